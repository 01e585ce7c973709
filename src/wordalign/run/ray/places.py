"""Paths and URIs: a folder on this machine, on S3, on GCS, on HDFS … whatever Arrow knows.

    Place.at("s3://corpus/deu").child("part-00000.txt")   ->  s3://corpus/deu/part-00000.txt

A place is two strings, so that it can be sent to other machines; each of them opens the file system itself.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from wordalign.errors import InputError, MissingExtraError, OutputError, UsageError
from wordalign.io.whole import whole_remote_file

_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """A `path` on the file system of a `uri`."""

    uri: str
    path: str

    @classmethod
    def at(cls, name: str) -> Place:
        """Make a place of a path or of a URI such as s3://bucket/folder."""
        uri = name if "://" in name else str(Path(name).resolve())
        return cls(uri, _file_system(uri)[1].rstrip("/") or "/")

    def child(self, name: str) -> Place:
        return replace(self, path=f"{self.path}/{name}")

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    def __str__(self) -> str:
        scheme, separator, _ = self.uri.partition("://")
        return f"{scheme}://{self.path}" if separator and scheme != "file" else self.path

    @property
    def files(self) -> Any:
        """The file system, as an object of Arrow."""
        return _file_system(self.uri)[0]

    def info(self) -> Any:
        """Ask Arrow for the `type`, `size` and `mtime_ns`."""
        try:
            return self.files.get_file_info(self.path)
        except OSError as error:
            raise InputError(f"Cannot look at {self}: {_reason(error)}.") from error

    def is_folder(self) -> bool:
        from pyarrow.fs import FileType

        return bool(self.info().type == FileType.Directory)

    def exists(self) -> bool:
        from pyarrow.fs import FileType

        return bool(self.info().type != FileType.NotFound)

    def inside(self, recursive: bool = False) -> list[tuple[Place, Any]]:
        """List the files of a folder with their `info`, sorted by name; empty if there is no such folder."""
        from pyarrow.fs import FileSelector, FileType

        try:
            found = self.files.get_file_info(
                FileSelector(self.path, allow_not_found=True, recursive=recursive)
            )
        except OSError as error:
            raise InputError(f"Cannot list {self}: {_reason(error)}.") from error
        listed = [(replace(self, path=info.path), info) for info in found if info.type == FileType.File]
        return sorted(listed, key=lambda place_and_info: place_and_info[0].path)

    def open(self) -> BinaryIO:
        """Open a file to read its bytes from any position."""
        try:
            return io.BufferedReader(self.files.open_input_file(self.path), _BUFFER)
        except FileNotFoundError as error:
            raise InputError(f"There is no file {self}.") from error
        except OSError as error:
            raise InputError(f"Cannot read {self}: {_reason(error)}.") from error

    @contextmanager
    def replaced(self) -> Iterator[Any]:
        """A stream to write to, which becomes the file, at once and whole, if nothing is raised.

        Concurrent writers of the same place cannot collide: their temporary names differ.
        """
        try:
            with whole_remote_file(self.files, self.path) as stream:
                yield stream
        except OSError as error:
            raise OutputError(f"Cannot write {self}: {_reason(error)}.") from error

    def write(self, content: bytes) -> None:
        with self.replaced() as stream:
            stream.write(content)

    def remove(self) -> None:
        self._forget(self.path)

    def remove_folder(self) -> None:
        if self.is_folder():
            self.files.delete_dir(self.path)

    def _forget(self, path: str) -> None:
        with suppress(OSError):
            self.files.delete_file(path)


@lru_cache(maxsize=64)
def _file_system(uri: str) -> tuple[Any, str]:
    try:
        import pyarrow as arrow
        from pyarrow.fs import FileSystem
    except ModuleNotFoundError as error:
        raise MissingExtraError("Reading and writing shards", "ray") from error
    try:
        files, path = FileSystem.from_uri(uri)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError) as error:
        raise UsageError(f"{uri} is on no file system that Arrow knows: {error}.") from error
    except OSError as error:
        raise InputError(f"Cannot reach {uri}: {_reason(error)}.") from error
    return files, path


def _reason(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)
