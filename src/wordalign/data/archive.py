"""The files of a download: the members of a zip or a tar, or the one file that it is.

Members are read into memory and never unpacked to disk, so that no member can be written anywhere. One whose
name points outside of the archive is refused all the same, since nobody packs that by mistake. The number of
members, the size of each and the size of all of them together are bounded: a small download can unpack to
more than any memory or patience.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeAlias

from wordalign.errors import InputError

Read: TypeAlias = Callable[[], bytes]

LARGEST_MEMBER = 64 * 2**20
LARGEST_TOTAL = 1024 * 2**20
MOST_MEMBERS = 100_000

_OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.GzipFile,
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}


class Members:
    """The files of one or more downloads, by name."""

    def __init__(self) -> None:
        self._content: dict[str, bytes] = {}
        self._names: list[str] = []
        self._members = 0
        self._unpacked = 0

    def add(self, path: Path, name: str, patterns: tuple[str, ...]) -> None:
        """Keep the members of a download that match one of the patterns.

        `name` is the name of a download that is a single file.
        """
        with _reading(name):
            if self._add_tar(path, patterns):
                return
            if zipfile.is_zipfile(path):
                self._add_zip(path, patterns)
            else:
                self._keep(name, path.stat().st_size, patterns, path.read_bytes)

    def matching(self, pattern: str) -> list[tuple[str, bytes]]:
        """Names and contents of the files that match, sorted by name; an `InputError` if there is none."""
        found = sorted((name, content) for name, content in self._content.items() if matches(name, pattern))
        if not found:
            shown = ", ".join(sorted(self._names)[:10]) or "nothing"
            raise InputError(
                f"The download has no file {pattern}: it is not the set, or its layout has changed. "
                f"It has {shown}."
            )
        return found

    def has(self, pattern: str) -> bool:
        return any(matches(name, pattern) for name in self._content)

    def _add_tar(self, path: Path, patterns: tuple[str, ...]) -> bool:
        """Add a tar, or return False. It is read as a stream, so that even its headers are bounded."""
        with _opened(path) as stream:
            try:
                archive = tarfile.open(fileobj=_Counted(stream, self._count_bytes), mode="r|")  # noqa: SIM115
            except tarfile.ReadError:
                return False
            with archive:
                for member in archive:
                    self._count_member()
                    content = archive.extractfile(member) if member.isfile() else None
                    if content is not None:
                        self._keep(member.name, member.size, patterns, content.read)
        return True

    def _add_zip(self, path: Path, patterns: tuple[str, ...]) -> None:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                self._count_member()
                self._count_bytes(member.file_size)
                if not member.is_dir():
                    with archive.open(member) as stream:
                        self._keep(member.filename, member.file_size, patterns, stream.read)

    def _count_member(self) -> None:
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise InputError(f"The archive holds more than {MOST_MEMBERS:,} files: it is not a gold set.")

    def _count_bytes(self, size: int) -> None:
        self._unpacked += size
        if self._unpacked > LARGEST_TOTAL:
            raise InputError(
                f"The archive unpacks to more than {LARGEST_TOTAL:,} bytes: it is not a gold set."
            )

    def _keep(self, name: str, size: int, patterns: tuple[str, ...], read: Read) -> None:
        safe = PurePosixPath(name.replace("\\", "/"))
        if safe.is_absolute() or ".." in safe.parts or (safe.parts and safe.parts[0].endswith(":")):
            raise InputError(f"The archive holds a file outside of itself ({name}): it is not safe to use.")
        self._names.append(str(safe))
        if safe.name.startswith(".") or not any(matches(str(safe), pattern) for pattern in patterns):
            return
        if size > LARGEST_MEMBER:
            raise InputError(
                f"{name} in the archive is larger than {LARGEST_MEMBER:,} bytes: not a gold set."
            )
        self._content[str(safe)] = read()


class _Counted(io.RawIOBase):
    """A stream whose bytes are counted as they are read."""

    def __init__(self, stream: IO[bytes], count: Callable[[int], None]) -> None:
        self._stream, self._count = stream, count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._count(len(data))
        buffer[: len(data)] = data
        return len(data)


def _opened(path: Path) -> IO[bytes]:
    """The content of a file, decompressed where it is compressed."""
    with path.open("rb") as stream:
        head = stream.read(6)
    opener = next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)
    return path.open("rb") if opener is None else opener(path)


def matches(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern. `*` also stands for folders, and a leading `*/` for none as well."""
    return fnmatchcase(f"/{name}", pattern if pattern.startswith("*") else f"/{pattern}")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError) as error:
        raise InputError(f"{name} is a damaged archive ({error}): download it again.") from error
    except (RuntimeError, NotImplementedError) as error:  # a password, a compression nobody has
        raise InputError(f"{name} cannot be unpacked: {error}.") from error
