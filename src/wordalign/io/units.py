"""Files whose pairs are not lines: CSV, Parquet, TMX and XLIFF. Each pair of such a file is a unit.

    <tu><tuv xml:lang="en"><seg>Yes</seg></tuv>       ->   {"line": 7, "source": "Yes", "target": "Ja"}
        <tuv xml:lang="de"><seg>Ja</seg></tuv></tu>

A reader of each format (`csv.py`, `parquet.py`, `tmx.py`, `xliff.py`) gives its units one by one, in constant
memory. A unit becomes a line of JSON, so that all that works with lines, such as resuming and worker
processes, works with units. One that has no text in a language has an empty side, and so an empty result: the
output has a line for each unit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from wordalign.errors import UsageError
from wordalign.registry import load_target

COLUMNS = ("source", "target")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of a file is read: two of its columns, or two of its languages; None is left to the reader."""

    columns: tuple[str, str] | None = None
    source_language: str | None = None
    target_language: str | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[str | int] | None,
        source_language: str | None,
        target_language: str | None,
    ) -> Chosen:
        """Check what was given: two columns, each a name or a number."""
        if columns is None:
            return cls(None, source_language, target_language)
        if isinstance(columns, str) or len(columns) != 2:
            raise UsageError("Name two columns: the source's and the target's.")
        source, target = map(str, columns)
        return cls((source, target), source_language, target_language)

    def check(self, pair_format: str | None) -> None:
        """Refuse a choice that a file of this format does not offer."""
        part = self.part_for(pair_format)
        if part.columns != self.columns:
            raise UsageError("--columns is for CSV and Parquet files: leave it out.")
        if part != self:
            raise UsageError(
                "--source-language and --target-language are for TMX and XLIFF files: leave them out."
            )

    def part_for(self, pair_format: str | None) -> Chosen:
        """What of the choice a file of this format offers."""
        found = unit_format(pair_format)
        takes = found.takes if found else ""
        return Chosen(
            self.columns if takes == "columns" else None,
            self.source_language if takes == "languages" else None,
            self.target_language if takes == "languages" else None,
        )


NOTHING_CHOSEN = Chosen()


@dataclass(frozen=True, slots=True)
class Unit:
    """A pair of a file. `line` is where it begins, for messages; `wrong` says why there is no pair."""

    source: Any = ""
    target: Any = ""
    line: int | None = None
    wrong: str | None = None

    def as_line(self) -> bytes:
        """The unit as a line of JSON."""
        fields: dict[str, Any] = {} if self.line is None else {"line": self.line}
        fields |= {"wrong": self.wrong} if self.wrong else {"source": self.source, "target": self.target}
        return json.dumps(fields, ensure_ascii=False, default=str).encode("utf-8", "replace")


class ReadUnits(Protocol):
    def __call__(self, path: str | Path, chosen: Chosen) -> Iterator[Unit]: ...


@dataclass(frozen=True, slots=True)
class UnitFormat:
    """A format: its reader, as "module:function", what its units are called, and what can be chosen in it."""

    reader: str
    unit: str
    takes: str  # columns or languages
    suffixes: tuple[str, ...]
    count: str | None = None  # what counts the units without reading them

    def read(self, path: str | Path, chosen: Chosen) -> Iterator[Unit]:
        return cast(ReadUnits, load_target(self.reader))(path, chosen)

    def length(self, path: str | Path) -> int | None:
        """The number of units, where it can be known at once."""
        return cast("Callable[[str | Path], int]", load_target(self.count))(path) if self.count else None


UNIT_FORMATS: Mapping[str, UnitFormat] = {
    "csv": UnitFormat("wordalign.io.csv:read_csv", "row", "columns", (".csv",)),
    "tmx": UnitFormat("wordalign.io.tmx:read_tmx", "unit", "languages", (".tmx",)),
    "xliff": UnitFormat(
        "wordalign.io.xliff:read_xliff",
        "unit",
        "languages",
        (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"),
    ),
    "parquet": UnitFormat(
        "wordalign.io.parquet:read_parquet",
        "row",
        "columns",
        (".parquet", ".pq"),
        "wordalign.io.parquet:count_rows",
    ),
}


def unit_format(name: str | None) -> UnitFormat | None:
    """The format of that name; None for formats of lines."""
    return UNIT_FORMATS.get(name or "")


def place_of(text: str, pair_format: str | None, number: int) -> str:
    """Where a record is, in words: `line 3`, `row 3`, or `unit 3 (line 17)` where a unit says its line."""
    found = unit_format(pair_format)
    if found is None:
        return f"line {number}"
    line = json.loads(text).get("line")
    return f"{found.unit} {number}" + (f" (line {line})" if line else "")
