"""A log that only grows: records as lines of JSON, each on the disk before `append` returns.

A process that is killed while it writes leaves at most a part of the last line behind, of a record that
nobody was told about. `Journal` takes that part away when it is opened; every record that was told about is
whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wordalign.errors import InputError
from wordalign.io.whole import explained


class Journal:
    """The log at `path`, which need not exist; one process at a time may have it open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._size = self._whole_size()

    def append(self, record: Any) -> None:
        """Add a record; a failure, say of a full disk, leaves the log as it was."""
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with explained(self._path):
            new = not self._path.exists()
            with self._path.open("ab") as stream:
                try:
                    stream.write(line)
                    stream.flush()
                    os.fsync(stream.fileno())
                except OSError:
                    stream.truncate(self._size)
                    raise
            if new:
                _sync_folder(self._path.parent)
        self._size += len(line)

    def __iter__(self) -> Iterator[Any]:
        if not self._size:
            return
        with self._path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise InputError(
                        f"{self._path}, line {number}: this is not a record of the log ({error}). "
                        "Somebody has changed the file: put a copy of it in its place."
                    ) from error

    def _whole_size(self) -> int:
        """The size without the part of a line that a killed process left."""
        if not self._path.exists():
            return 0
        with explained(self._path), self._path.open("rb+") as stream:
            data = stream.read()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                stream.truncate(whole)
                os.fsync(stream.fileno())
        return whole


def _sync_folder(folder: Path) -> None:
    """A new name is on the disk only when its folder is."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
