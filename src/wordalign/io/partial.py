"""A partial file that is gone on with, and that one run at a time writes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from wordalign.errors import OutputError
from wordalign.io.compression import compression_of
from wordalign.io.output import as_output_error, keep_finished_lines, partial_name
from wordalign.io.parts import PartWriter


class PartialFile:
    """`NAME.partial`, locked; `length` is what it held when it was opened. Nothing changes before `begin`."""

    def __init__(self, final: Path) -> None:
        self.final, self.partial = final, partial_name(final)
        with explained(final):
            self._is_new = not self.partial.exists()
            # Without a buffer: after a failure nothing is left that could still be written.
            self._stream: BinaryIO = self.partial.open("ab", buffering=0)
        _lock(self._stream, self.partial)
        self.length = os.fstat(self._stream.fileno()).st_size
        self.writer = PartWriter(self._stream, compression_of(final))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def begin(self, size: int) -> None:
        """Everything after `size` is thrown away."""
        with explained(self.final):
            os.truncate(self._stream.fileno(), size)
        self.writer = PartWriter(self._stream, compression_of(self.final), size)

    def sync(self) -> None:
        os.fsync(self._stream.fileno())

    def put_in_place(self) -> None:
        self._stream.close()
        self.partial.replace(self.final)

    def keep(self) -> None:
        with suppress(OSError):
            keep_finished_lines(self.partial, self.writer)

    def forget(self) -> None:
        if self._is_new:
            self.partial.unlink(missing_ok=True)


def _lock(stream: BinaryIO, path: Path) -> None:
    """Where the system can: two runs that write the same file would spoil it."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        stream.close()
        raise OutputError(f"Another run is writing {path}: wait for it, or stop it first.") from error
    except OSError:
        pass  # some network file systems have no locks


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """What goes wrong with files in the block is an `OutputError`."""
    try:
        yield
    except OSError as error:
        raise as_output_error(error, path) from error
