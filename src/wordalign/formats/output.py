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
    """A function that writes one line to the file, or to standard output for None or "-"."""
    if path is None or str(path) == "-":
        try:
            with _lines_to(sys.stdout.buffer) as write:
                yield write
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _as_output_error(error, "standard output") from error
        return
    # Behind a symbolic link the file is replaced, not the link.
    final = Path(path).resolve()
    if final.is_dir():
        raise OutputError(f"{path} is a directory; give a file to write to.")
    special = final.exists() and not final.is_file()  # /dev/null, a named pipe: never to be replaced
    target = final if special else final.with_name(final.name + ".partial")
    try:
        stream = target.open("wb")
    except OSError as error:
        raise _as_output_error(error, path) from error
    try:
        with stream, _lines_to(stream) as write:
            yield write
            stream.flush()
            if not special:
                os.fsync(stream.fileno())
        if not special:
            target.replace(final)
    except BaseException as error:
        if not special:
            _keep_finished_lines(target, error)
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _as_output_error(error, path) from error
        raise


def _keep_finished_lines(partial: Path, error: BaseException) -> None:
    if not partial.exists():
        return
    with partial.open("rb+") as stream:
        stream.truncate(_end_of_last_line(stream))
    if partial.stat().st_size == 0:
        partial.unlink()
    else:
        error.add_note(f"The lines finished so far are in {partial}.")


def _end_of_last_line(stream: BinaryIO) -> int:
    """A full disk can cut a line in the middle: where the last whole one ends."""
    end = stream.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - 65536)
        stream.seek(start)
        found = stream.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


@contextmanager
def _lines_to(stream: BinaryIO) -> Iterator[WriteLine]:
    def write(line: str) -> None:
        # Lone surrogates (from JSON escapes) have no UTF-8; a question mark keeps the line.
        stream.write(line.encode("utf-8", "replace") + b"\n")

    try:
        yield write
    finally:
        stream.flush()


def _as_output_error(error: OSError, path: str | Path) -> OutputError:
    explained = OutputError(f"Cannot write {path}: {error.strerror}.")
    for note in getattr(error, "__notes__", []):
        explained.add_note(note)
    return explained
