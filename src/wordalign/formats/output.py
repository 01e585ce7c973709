"""Output that appears whole or not at all.

Lines go to `NAME.partial`, which takes the place of `NAME` when all of them are written. If the work
stops early, the partial file stays, with complete lines only, and the message says so.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from wordalign.errors import OutputError


class WriteLine(Protocol):
    def __call__(self, line: str) -> None: ...


@contextmanager
def open_output(path: str | Path | None) -> Iterator[WriteLine]:
    """A function that writes one line to the file, or to standard output for None."""
    if path is None:
        with _lines_to(sys.stdout.buffer) as write:
            yield write
        return
    final = Path(path)
    partial = final.with_name(final.name + ".partial")
    if final.is_dir():
        raise OutputError(f"{final} is a directory; give a file to write to.")
    try:
        stream = partial.open("wb")
    except OSError as error:
        raise OutputError(f"Cannot write {final}: {error.strerror}.") from error
    try:
        with stream, _lines_to(stream) as write:
            yield write
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(final)
    except BaseException as error:
        if partial.exists() and partial.stat().st_size == 0:
            partial.unlink()
        elif partial.exists():
            error.add_note(f"The lines finished so far are in {partial}.")
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _as_output_error(error, final) from error
        raise


@contextmanager
def _lines_to(stream: BinaryIO) -> Iterator[WriteLine]:
    def write(line: str) -> None:
        # Lone surrogates (from JSON escapes) have no UTF-8; a question mark keeps the line.
        stream.write(line.encode("utf-8", "replace") + b"\n")

    try:
        yield write
    finally:
        stream.flush()


def _as_output_error(error: OSError, path: Path) -> OutputError:
    explained = OutputError(f"Cannot write {path}: {error.strerror}.")
    for note in getattr(error, "__notes__", []):
        explained.add_note(note)
    return explained
