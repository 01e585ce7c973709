"""Lines of a file or of standard input, as UTF-8.

Only a line feed ends a line: the Unicode line separators that `str.splitlines` honours may stand inside
a sentence, and would break files that run in parallel.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wordalign.errors import InputError

STDIN = "-"


def read_lines(path: str | Path) -> Iterator[str]:
    """The lines of a file (`-` is standard input) without line ends; a byte order mark is dropped."""
    with open_input(path) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield line.decode("utf-8").removesuffix("\n").removesuffix("\r")
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{shown(path)}, line {number}: not UTF-8 (byte {line[error.start]:#04x} at "
                    f"position {error.start + 1}). Convert the file first, e.g. with iconv."
                ) from error


def count_lines(path: str | Path) -> int | None:
    """How many lines `read_lines` will give, or None where that cannot be known without reading them."""
    if str(path) == STDIN or not Path(path).is_file():
        return None
    with open_input(path) as stream:
        count, last = 0, b"\n"
        while block := stream.read(1 << 20):
            count, last = count + block.count(b"\n"), block[-1:]
        return count + (last != b"\n")


def open_input(path: str | Path) -> BinaryIO:
    if str(path) == STDIN:
        return sys.stdin.buffer
    try:
        return Path(path).open("rb")
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path}.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a directory; give a file.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error


def shown(path: str | Path) -> str:
    return "standard input" if str(path) == STDIN else str(path)
