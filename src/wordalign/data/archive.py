"""The files of a download: of a zip, of a tar, or the one that it is.

Members are read into memory and never unpacked, so no member can be written anywhere; one whose name
points outside of the archive is refused all the same, since nobody packs that by mistake.
"""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from wordalign.errors import InputError

Read: TypeAlias = Callable[[], bytes]

LARGEST_MEMBER = 64 * 2**20
MOST_MEMBERS = 100_000


class Members:
    """The files of one or more downloads, by name."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {}
        self._all: list[str] = []

    def add(self, path: Path, name: str, patterns: tuple[str, ...]) -> None:
        """Keep the members of a download that match one of the patterns; `name` is a single file's."""
        with _reading(path, name):
            if tarfile.is_tarfile(path):
                self._add_tar(path, patterns)
            elif zipfile.is_zipfile(path):
                self._add_zip(path, patterns)
            else:
                self._keep(name, path.stat().st_size, patterns, path.read_bytes)

    def matching(self, pattern: str) -> list[tuple[str, bytes]]:
        """Names and contents of the files that match, sorted by name; at least one."""
        found = sorted((name, content) for name, content in self._content.items() if matches(name, pattern))
        if not found:
            shown = ", ".join(sorted(self._all)[:10]) or "nothing"
            raise InputError(
                f"The download has no file {pattern}: it is not the set, or its layout has changed. "
                f"It has {shown}."
            )
        return found

    def has(self, pattern: str) -> bool:
        return any(matches(name, pattern) for name in self._content)

    def _add_tar(self, path: Path, patterns: tuple[str, ...]) -> None:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    stream = archive.extractfile(member)
                    assert stream is not None  # it is a file
                    self._keep(member.name, member.size, patterns, stream.read)

    def _add_zip(self, path: Path, patterns: tuple[str, ...]) -> None:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with archive.open(member) as stream:
                        self._keep(member.filename, member.file_size, patterns, stream.read)

    def _keep(self, name: str, size: int, patterns: tuple[str, ...], read: Read) -> None:
        safe = PurePosixPath(name.replace("\\", "/"))
        if safe.is_absolute() or ".." in safe.parts or (safe.parts and safe.parts[0].endswith(":")):
            raise InputError(f"The archive holds a file outside of itself ({name}): it is not safe to use.")
        self._all.append(str(safe))
        if len(self._all) > MOST_MEMBERS:
            raise InputError(f"The archive holds more than {MOST_MEMBERS:,} files: it is not a gold set.")
        if safe.name.startswith(".") or not any(matches(str(safe), pattern) for pattern in patterns):
            return
        content = read() if size <= LARGEST_MEMBER else b""
        if size > LARGEST_MEMBER or len(content) > LARGEST_MEMBER:
            raise InputError(
                f"{name} in the archive is larger than {LARGEST_MEMBER:,} bytes: not a gold set."
            )
        self._content[str(safe)] = content


def matches(name: str, pattern: str) -> bool:
    """`*` stands for anything, folders too; a leading `*/` for no folder at all, as well."""
    return fnmatchcase(f"/{name}", pattern if pattern.startswith("*") else f"/{pattern}")


@contextmanager
def _reading(path: Path, name: str) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise InputError(f"{name} is a damaged archive ({error}): download it again.") from error
    except (RuntimeError, NotImplementedError) as error:  # a password, a compression nobody has
        raise InputError(f"{name} cannot be unpacked: {error}.") from error
