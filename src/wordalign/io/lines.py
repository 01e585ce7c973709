"""Lines of a file or of standard input, as UTF-8; compressed ones are read through (`compression.py`).

Only a line feed ends a line: the Unicode line separators that `str.splitlines` honours may stand inside
a sentence, and would break files that run in parallel. A line has a bound, so that one that never ends
cannot fill the memory.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from wordalign.errors import InputError
from wordalign.io.compression import compression_of, decompressed

STDIN = "-"
LONGEST_LINE = 16 << 20  # bytes
_BLOCK = 1 << 18

_AS_LINES = "Write its sentences to two files, line by line, or to a TSV file of source and target."
_BY_FORMAT = "`wordalign align` reads it alone, as a file of pairs, with --input-format"
_OTHER_FORMATS = {
    b"PAR1\x15": (
        "a Parquet file",
        f"{_BY_FORMAT} parquet.",
    ),
    b"<?xml version": ("an XML file (TMX or XLIFF, perhaps)", f"{_BY_FORMAT} tmx or xliff."),
    b"<tmx version": ("a TMX file", f"{_BY_FORMAT} tmx."),
    b"<xliff": ("an XLIFF file", f"{_BY_FORMAT} xliff."),
    b"PK\x03\x04": (
        "a zip archive (or an Excel or Word file, which is one)",
        "Unpack it, or save it as text.",
    ),
    b"%PDF-": ("a PDF file", "Save it as text."),
    b"SQLite format 3\0": ("an SQLite database", _AS_LINES),
}


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a file (`-` is standard input) without line ends; a byte order mark is dropped."""
    for number, line in enumerate(read_byte_lines(path), start=1):
        yield decode_line(line, path, number)


def read_byte_lines(path: str | Path, *, cut: bool = False) -> Iterator[bytes]:
    """The lines of a file as bytes, without line ends; see `line_batches`."""
    for lines in read_line_batches(path, cut=cut):
        yield from lines


def read_line_batches(path: str | Path, *, cut: bool = False) -> Iterator[list[bytes]]:
    """The same, as many at a time as are there."""
    with open_input(path) as stream:
        yield from line_batches(stream, path, cut=cut)


def byte_lines(stream: BinaryIO, path: str | Path, *, cut: bool = False, before: int = 0) -> Iterator[bytes]:
    """The lines of an open stream as bytes, without line ends; see `line_batches`."""
    for lines in line_batches(stream, path, cut=cut, before=before):
        yield from lines


def line_batches(
    stream: BinaryIO, path: str | Path, *, cut: bool = False, before: int = 0
) -> Iterator[list[bytes]]:
    """The same lines, as many at a time as are there, with no work for each of them.

    Messages name `path`, and count from the `before` lines that come before the stream. A line longer than
    LONGEST_LINE is an `InputError`. With `cut` such a line is read to its end, and only its beginning, which
    is a byte longer than allowed, is given.
    """
    number, rest = before, b""
    returns = False  # whether a line may end with a carriage return
    while block := _read(stream, path):
        returns = returns or b"\r" in block
        head, *lines = block.split(b"\n")
        rest += head[: max(0, LONGEST_LINE + 1 - len(rest))]  # of a line that is too long no more is kept
        if lines:
            lines.insert(0, rest)
            rest = lines.pop()
            yield from _sound(lines, path, number, cut, returns)
            number += len(lines)
        if len(rest) > LONGEST_LINE and not cut:
            break
    if rest:
        yield from _sound([rest], path, number, cut, returns)


def _sound(
    lines: list[bytes], path: str | Path, before: int, cut: bool, returns: bool
) -> Iterator[list[bytes]]:
    """The lines as they are given, up to one that is too long."""
    if before == 0:
        refuse_other_formats(lines[0], path)
    too_long = None
    if max(map(len, lines)) > LONGEST_LINE:
        if cut:
            lines = [line[: LONGEST_LINE + 1] for line in lines]
        else:
            too_long = next(place for place, line in enumerate(lines) if len(line) > LONGEST_LINE)
    whole = lines[:too_long]
    if returns:
        whole = [line if len(line) > LONGEST_LINE else line.removesuffix(b"\r") for line in whole]
    if whole:
        yield whole
    if too_long is not None:
        check_length(lines[too_long], path, before + too_long + 1)


def refuse_other_formats(head: bytes, path: str | Path) -> None:
    """Refuse a file whose first bytes show that it does not hold lines of text, and say what it is."""
    head = head[:100].removeprefix(codecs.BOM_UTF8).lstrip()
    for beginning, (what, advice) in _OTHER_FORMATS.items():
        if head.startswith(beginning):
            raise InputError(f"{shown(path)} seems to be {what}, which cannot be read line by line. {advice}")


def check_length(line: bytes, path: str | Path, number: int) -> None:
    if len(line) > LONGEST_LINE:
        raise InputError(
            f"{shown(path)}, line {number}: longer than {LONGEST_LINE >> 20} MiB, which no sentence is. "
            "Does the file have line feeds?"
        )


def decode_line(line: bytes, path: str | Path, number: int) -> str:
    """The text of a line; an `InputError` says where the line is not UTF-8."""
    check_length(line, path, number)
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shown(path)}, line {number}: not UTF-8 (byte {line[error.start]:#04x} at "
            f"position {error.start + 1}). Convert the file first, e.g. with iconv."
        ) from error


def refuse_other_files(path: str | Path) -> None:
    """Refuse a file in which lines cannot be counted: UTF-16, by its byte order mark, and other formats."""
    with open_input(path) as stream:
        head = stream.read(100)
        refuse_other_formats(head, path)
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InputError(f"{path} is UTF-16, not UTF-8. Convert the file first, e.g. with iconv.")


def count_lines(path: str | Path) -> int | None:
    """How many lines `read_lines` gives; None for a stream or a compressed file, where counting is slow."""
    if str(path) == STDIN or compression_of(path) or not Path(path).is_file():
        return None
    count, last = 0, b"\n"
    with open_input(path) as stream:
        while block := stream.read(_BLOCK):
            count, last = count + block.count(b"\n"), block[-1:]
        return count + (last != b"\n")


def open_input(path: str | Path) -> BinaryIO:
    """The bytes of a file or of standard input, decompressed."""
    if str(path) == STDIN and sys.stdin is None:
        raise InputError("Standard input is closed; give a file.")
    try:
        if str(path) == STDIN:
            return decompressed(sys.stdin.buffer, path, shown(path))
        return decompressed(Path(path).open("rb"), path, shown(path))
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a directory; give a file.") from error
    except OSError as error:
        raise _unreadable(path, error) from error


def shown(path: str | Path) -> str:
    return "standard input" if str(path) == STDIN else str(path)


def _read(stream: BinaryIO, path: str | Path) -> bytes:
    """What is there of a stream, without waiting for more."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    try:
        return read(_BLOCK)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: OSError) -> InputError:
    return InputError(f"Cannot read {shown(path)}: {error.strerror or error}.")
