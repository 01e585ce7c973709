"""Lines of text to a file that appears whole or not at all, or to standard output, a pipe or a device.

If the work stops early, the file does not appear. The lines finished so far are kept beside its place in
`NAME.partial`, and the error says so. A name that ends in .gz, .xz or .zst is a compressed file.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

from wordalign.errors import OutputError
from wordalign.io.compression import FrameWriter, compression_of
from wordalign.io.records import LineError, Record
from wordalign.io.whole import (
    as_output_error,
    explained,
    final_name,
    is_special,
    put_in_place,
    put_where_free,
    temporary_name,
)


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
    target = final if special else temporary_name(final)
    with explained(path):
        stream = target.open("wb")
    writer = FrameWriter(stream, compression_of(final))
    try:
        with stream:
            yield lambda line: writer.write((line,))
            writer.end_file()
            stream.flush()
            if not special:
                os.fsync(stream.fileno())
        if not special:
            put_in_place(target, final)
    except BaseException as error:
        if not special and keep_finished_lines(target, writer):
            kept = put_where_free(target, partial_name(final))
            error.add_note(f"The lines finished so far are in {kept}.")
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise as_output_error(error, path) from error
        raise


def partial_name(final: Path) -> Path:
    """Where the lines of work that stopped early are kept."""
    return final.with_name(final.name + ".partial")


def keep_finished_lines(partial: Path, writer: FrameWriter) -> bool:
    """Cut an unfinished file behind its last whole line; delete it, and return False, if there is none."""
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


class StreamedOutput:
    """The output of a run that cannot be resumed: to standard output, a pipe or a device.

    It is used like `ResumableOutput`. A reader at the other end of a pipe gets each chunk when it is done.
    """

    overwrites = 0

    def __init__(self, path: str | Path | None, errors: str | Path | None = None) -> None:
        self._path, self._errors = path, errors
        self.records = self.failed = 0

    def finished(self) -> bool:
        return False

    def verify(self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]) -> None:
        """Nothing is verified: a stream was never finished before."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._write: WriteLine = stack.enter_context(open_output(self._path))
            if self._errors is not None:
                self._write_error: WriteLine = stack.enter_context(open_output(self._errors))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def start(
        self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]
    ) -> Iterator[Record]:
        return iter(records)

    def watch(self, chunks: Iterable[Sequence[Record]]) -> Iterator[Sequence[Record]]:
        return iter(chunks)

    def write(self, lines: Sequence[str], errors: Sequence[LineError] = ()) -> None:
        for line in lines:
            self._write(line)
        if self._path in (None, "-"):
            sys.stdout.flush()
        for error in errors:
            self._write_error(error.as_json())
        self.records += len(lines)
        self.failed += len(errors)


def _end_compressed(partial: Path, writer: FrameWriter) -> None:
    """End the frame that was begun, or leave it out where there is no room for its end."""
    held = partial.stat().st_size
    if writer.whole and held == writer.size:
        before, end = writer.sound, io.BytesIO()
        writer.stream = end
        writer.end_frame()
        with suppress(OSError), partial.open("ab") as stream:
            stream.write(end.getvalue())
            return
        os.truncate(partial, before)
    else:
        # The file is shorter than what was written: a buffer could not be emptied, and where the frames end
        # is not known any more.
        os.truncate(partial, writer.sound if writer.sound <= held else 0)


def _end_of_last_line(stream: BinaryIO) -> int:
    """Where the last whole line ends; a full disk can cut a line in the middle."""
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
def _standard_output() -> Iterator[FrameWriter]:
    if sys.stdout is None:
        raise OutputError("Standard output is closed; give a file with -o.")
    stream = sys.stdout.buffer
    with explained("standard output"):
        try:
            yield FrameWriter(stream)
        finally:
            stream.flush()
