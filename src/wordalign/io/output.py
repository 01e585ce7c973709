"""Output that appears whole or not at all.

Lines go to `NAME.partial`, which takes the place of `NAME` when all of them are written. If the work
stops early, the partial file stays, with complete lines only, and the message says so. A name that ends in
.gz, .xz or .zst is a compressed file.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from wordalign.errors import OutputError
from wordalign.io.compression import compression_of
from wordalign.io.parts import PartWriter


class WriteLine(Protocol):
    def __call__(self, line: str) -> None: ...


@contextmanager
def open_output(path: str | Path | None) -> Iterator[WriteLine]:
    """A function that writes one line to the file, or to standard output for None or "-"."""
    if path is None or str(path) == "-":
        with _standard_output() as writer:
            yield lambda line: writer.write((line,))
        return
    final = final_name(path)
    special = is_special(final)
    target = final if special else partial_name(final)
    try:
        stream = target.open("wb")
    except OSError as error:
        raise as_output_error(error, path) from error
    writer = PartWriter(stream, compression_of(final))
    try:
        with stream:
            yield lambda line: writer.write((line,))
            writer.end_file()
            stream.flush()
            if not special:
                os.fsync(stream.fileno())
        if not special:
            target.replace(final)
    except BaseException as error:
        if not special and keep_finished_lines(target, writer):
            error.add_note(f"The lines finished so far are in {target}.")
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise as_output_error(error, path) from error
        raise


def final_name(path: str | Path) -> Path:
    """Behind a symbolic link the file is replaced, not the link."""
    named = Path(path)
    if named.is_dir():
        raise OutputError(f"{path} is a directory; give a file to write to.")
    # A pipe has no other name than the link /dev/fd/63, /dev/stdout … that leads to it.
    return named if is_special(named) else named.resolve()


def is_special(path: Path) -> bool:
    """/dev/null, a named pipe: never to be replaced."""
    return path.exists() and not path.is_file()


def partial_name(final: Path) -> Path:
    return final.with_name(final.name + ".partial")


def keep_finished_lines(partial: Path, writer: PartWriter) -> bool:
    """Make the best of a file that will not be finished: whole lines, or no file at all."""
    if not partial.exists():
        return False
    if writer.compression is None:
        with partial.open("rb+") as stream:
            stream.truncate(_end_of_last_line(stream))
    else:
        _end_compressed(partial, writer)
    if partial.stat().st_size == 0:
        partial.unlink()
        return False
    return True


def as_output_error(error: OSError, path: str | Path) -> OutputError:
    folder = Path(path).parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        explained = OutputError(f"Cannot write {path}: there is no folder {folder}.")
    else:
        explained = OutputError(f"Cannot write {path}: {error.strerror or error}.")
    for note in getattr(error, "__notes__", []):
        explained.add_note(note)
    return explained


def _end_compressed(partial: Path, writer: PartWriter) -> None:
    """End the part that was begun, or, where there is no room for that, leave it out."""
    held = partial.stat().st_size
    if writer.whole and held == writer.size:
        before, end = writer.sound, io.BytesIO()
        writer.stream = end
        writer.end_part()
        with suppress(OSError), partial.open("ab") as stream:
            stream.write(end.getvalue())
            return
        os.truncate(partial, before)
    else:
        # Less than was written: a buffer could not be emptied, and where parts end is not known any more.
        os.truncate(partial, writer.sound if writer.sound <= held else 0)


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
def _standard_output() -> Iterator[PartWriter]:
    if sys.stdout is None:
        raise OutputError("Standard output is closed; give a file with -o.")
    stream = sys.stdout.buffer
    try:
        try:
            yield PartWriter(stream)
        finally:
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise as_output_error(error, "standard output") from error
