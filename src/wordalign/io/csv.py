"""CSV files, as spreadsheets write them: fields between commas, and quotation marks around what holds commas.

    source,target,note
    "Yes, it is.","Ja, ist es.",spoken

The first row has the names of the columns. Where the columns are chosen by number (`1 2`), there is no such
row, and the first one is a pair already. A file without a comma in its first row may have semicolons or
tabs instead, which spreadsheets write in some countries; a first line `sep=;`, which Excel writes, says so.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from wordalign.errors import InputError
from wordalign.io.lines import read_byte_lines, shown
from wordalign.io.units import COLUMNS, Chosen, Unit

_SEPARATORS = (",", ";", "\t")
_TOLD = re.compile(r"sep=(.)", re.IGNORECASE)
_ESCAPED = re.compile("[\ud800-\udfff]")
_NOT_UTF8 = "not UTF-8. Convert the file first, e.g. with iconv."
_BREAK = re.compile(r"\s*[\r\n]+\s*")


def read_csv(path: str | Path, chosen: Chosen) -> Iterator[Unit]:
    """The pairs of a CSV file. A row in which a column is missing is a unit that says so."""
    rows = _rows(path)
    line, first = next(rows, (0, None))
    if first is None:
        return
    places, has_header = _places(first, chosen.columns, path)
    if not has_header:
        yield _unit(line, first, places)
    for line, row in rows:
        yield _unit(line, row, places)


def _rows(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """The rows, each with the line on which it begins. An empty line is a row without fields."""
    lines = _lines(path)
    first = next(lines, None)
    if first is None:
        return
    before = 0
    if told := _TOLD.fullmatch(first):
        separator, first, before = told[1], next(lines, ""), 1
    else:
        separator = next((sign for sign in _SEPARATORS if sign in first), ",")

    def given() -> Iterator[str]:
        yield f"{first}\n"
        yield from (f"{line}\n" for line in lines)

    reader = csv.reader(given(), delimiter=separator, strict=True)
    begins = before + 1
    try:
        for row in reader:
            yield begins, row
            begins = before + reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"{shown(path)}, line {begins}: not CSV ({error}). Is a quotation mark missing there, or is it "
            "another format (--input-format)?"
        ) from error


def _lines(path: str | Path) -> Iterator[str]:
    """The lines of the file. A byte that is not UTF-8 becomes half of a surrogate pair, which a row may not
    hold: so one row is refused, and not all that follow."""
    for number, line in enumerate(read_byte_lines(path)):
        text = line.decode("utf-8", "surrogateescape")
        yield text if number else text.removeprefix("\ufeff")


def _places(
    first: Sequence[str], columns: tuple[str, str] | None, path: str | Path
) -> tuple[tuple[int, int], bool]:
    """Where the two columns are, and whether the first row has their names."""
    if _ESCAPED.search("".join(first)):
        raise InputError(f"{shown(path)}, line 1: {_NOT_UTF8}")
    wanted = columns or COLUMNS
    if all(name in first for name in wanted):
        return (first.index(wanted[0]), first.index(wanted[1])), True
    if columns and all(name.isascii() and name.isdigit() and int(name) > 0 for name in columns):
        return (int(columns[0]) - 1, int(columns[1]) - 1), False
    missing = next(name for name in wanted if name not in first)
    raise InputError(
        f"{shown(path)} has no column {missing!r} in its first row, but {', '.join(map(repr, first[:20]))}: "
        "say which with --columns SOURCE TARGET, or with their numbers, as in --columns 1 2, if the first "
        "row is a pair already."
    )


def _unit(line: int, row: Sequence[str], places: tuple[int, int]) -> Unit:
    if not any(map(str.strip, row)):
        return Unit(line=line)
    if len(row) <= max(places):
        return Unit(line=line, wrong=f"expected {max(places) + 1} columns or more, found {len(row)}.")
    if _ESCAPED.search("".join(row)):
        return Unit(line=line, wrong=_NOT_UTF8)
    source, target = (_BREAK.sub(" ", row[place]) for place in places)
    return Unit(source, target, line)
