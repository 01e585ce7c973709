"""Lines of input before and after they are understood.

    files --Records--> Record (bytes, a number) --Parser--> Pair, or an InputError that names the line

The two halves are apart so that reading stays in one place and in order, while the second half, most of
the work, may be done by others: a record and a parser can be pickled.
"""

from __future__ import annotations

import codecs
import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, count
from pathlib import Path
from typing import NoReturn, overload

from wordalign.errors import InputError, UnknownNameError, counted
from wordalign.io.lines import (
    LONGEST_LINE,
    count_lines,
    decode_line,
    read_line_batches,
    refuse_other_files,
    shown,
)
from wordalign.io.pairs import PAIR_FORMATS, ToSentence, split_pair, tokenized
from wordalign.io.units import NOTHING_CHOSEN, Chosen, place_of, unit_format
from wordalign.text import find_words, split_words
from wordalign.text.segmenters import find_segmenter
from wordalign.types import Pair, Sentence

_EMPTY = Pair(Sentence(()), Sentence(()))


@dataclass(frozen=True, slots=True)
class Record:
    """One line of each input file, without line ends, or a unit as a line of JSON; `number` counts from 1."""

    number: int
    lines: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a record has an empty result.

    >>> LineError(3, "pairs.tsv, line 3: expected source, TAB, target; found no TAB.").as_json()
    '{"line": 3, "reason": "pairs.tsv, line 3: expected source, TAB, target; found no TAB."}'
    """

    number: int
    reason: str

    def as_json(self) -> str:
        """The error as a line of a file of errors."""
        return json.dumps({"line": self.number, "reason": self.reason}, ensure_ascii=False)


class Records:
    """The records of one file of pairs or of two parallel files, which must have equally many lines.

    Each iteration reads from the beginning. A line of more than `lines.LONGEST_LINE` bytes is an
    `InputError`, or, with `cut`, a record that the parser refuses. The records of a file in a format of
    `UNIT_FORMATS` are its units, and `chosen` says what of it is read.
    """

    def __init__(
        self,
        files: Sequence[str | Path],
        pair_format: str | None = None,
        chosen: Chosen = NOTHING_CHOSEN,
        *,
        cut: bool = False,
    ) -> None:
        self._files, self._cut = tuple(files), cut
        self._units = unit_format(pair_format)
        self._chosen = chosen

    def __iter__(self) -> Iterator[Record]:
        if self._units is None:
            return RecordStream(self._files, self._cut)
        (file,) = self._files
        units = self._units.read(file, self._chosen)
        return (Record(number, (unit.as_line(),)) for number, unit in enumerate(units, start=1))


@dataclass(frozen=True, slots=True, eq=False)
class RecordBlock(Sequence[Record]):
    """Records in a row, as the lines of each file; a record is made when it is asked for.

    The first has the number `first`. Made of a chunk of single records, it is what travels between processes.

    >>> block = RecordBlock(5, (("a1", "a2"), ("b1", "b2")))
    >>> len(block), block[-1]
    (2, Record(number=6, lines=('a2', 'b2')))
    """

    first: int
    sides: tuple[Sequence[bytes], ...]

    @classmethod
    def of(cls, records: Sequence[Record]) -> RecordBlock:
        """The same records, whose numbers follow each other, as a block."""
        if isinstance(records, RecordBlock):
            return records
        return cls(records[0].number, tuple(zip(*(record.lines for record in records), strict=True)))

    def __reduce__(self) -> tuple[object, ...]:
        # As one text a file: a list of lines takes ten times as long to send.
        return _unjoined, (self.first, [b"\n".join(lines) for lines in self.sides])

    def __len__(self) -> int:
        return len(self.sides[0])

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> RecordBlock: ...
    def __getitem__(self, place: int | slice) -> Record | RecordBlock:
        if isinstance(place, slice):
            first = self.first + range(len(self))[place].start
            return RecordBlock(first, tuple(lines[place] for lines in self.sides))
        return Record(self.first + range(len(self))[place], tuple(lines[place] for lines in self.sides))

    def __iter__(self) -> Iterator[Record]:
        return map(Record, count(self.first), zip(*self.sides, strict=True))


def _unjoined(first: int, sides: list[bytes]) -> RecordBlock:
    return RecordBlock(first, tuple(lines.split(b"\n") for lines in sides))


class RecordStream(Iterator[Record]):
    """The records of files of lines, one by one or, with `blocks`, as many at a time as are wanted."""

    def __init__(self, files: Sequence[str | Path], cut: bool) -> None:
        self._files = files
        self._batches = [read_line_batches(file, cut=cut) for file in files]
        self._waiting: list[list[bytes]] = [[] for _ in files]  # read, but not from all files
        self._ready = RecordBlock(1, tuple([] for _ in files))
        self._taken = 0  # of those that are ready

    def __next__(self) -> Record:
        if not self._more():
            raise StopIteration
        self._taken += 1
        return self._ready[self._taken - 1]

    def blocks(self, most: int, most_size: int) -> Iterator[RecordBlock]:
        """The rest, cut as `parallel.cut` cuts records whose size is that of their lines."""
        sides: list[list[bytes]] = [[] for _ in self._files]
        first, held = 0, 0
        try:
            while self._more():
                ready, place = self._ready, self._taken
                sizes = accumulate(map(sum, zip(*(map(len, lines) for lines in ready.sides), strict=True)))
                ends = [0, *sizes]
                while place < len(ready):
                    filled = len(sides[0])
                    fits = bisect_right(ends, ends[place] + most_size - held) - 1
                    end = min(max(fits, place + (not filled)), place + most - filled, len(ready))
                    if not filled:
                        first = ready.first + place
                    for side, lines in zip(sides, ready.sides, strict=True):
                        side += lines[place:end]
                    held += ends[end] - ends[place]
                    self._taken = place = end
                    if len(sides[0]) == most or place < len(ready):
                        yield RecordBlock(first, tuple(sides))
                        sides, held = [[] for _ in self._files], 0
        except Exception:
            if sides[0]:
                yield RecordBlock(first, tuple(sides))
            raise
        if sides[0]:
            yield RecordBlock(first, tuple(sides))

    def _more(self) -> bool:
        """Read on if no record is ready; False at the end."""
        if self._taken < len(self._ready):
            return True
        for place, batches in enumerate(self._batches):
            if not self._waiting[place]:
                self._waiting[place] = next(batches, [])
        number = min(map(len, self._waiting))
        if not number and any(self._waiting):
            self._refuse_unequal()
        first = self._ready.first + len(self._ready)
        self._ready = RecordBlock(first, tuple(lines[:number] for lines in self._waiting))
        self._waiting = [lines[number:] for lines in self._waiting]
        self._taken = 0
        return number > 0

    def _refuse_unequal(self) -> NoReturn:
        shorter = 0 if not self._waiting[0] else 1
        lines = self._ready.first + len(self._ready) - 1
        longer = 1 - shorter
        rest = len(self._waiting[longer]) + sum(map(len, self._batches[longer]))
        raise InputError(_unequal(self._files[shorter], lines, self._files[longer], lines + rest))


@dataclass(frozen=True, slots=True)
class Parser:
    """Turns a record into its pair. `files` are the names for messages, as many as a record has lines.

    >>> parser = Parser(("pairs.tsv",), "tsv")
    >>> parser(Record(1, (b"Das Museum\\tThe museum",))).target.words
    ('The', 'museum')
    """

    files: tuple[str, ...]
    pair_format: str | None = None  # of one file of pairs
    raw: bool = False
    segmenter: str | None = None
    places: bool = True  # of the words in raw text: whether anybody wants to know them

    def __post_init__(self) -> None:
        if len(self.files) == 1 and self.pair_format not in PAIR_FORMATS:
            raise UnknownNameError("pair format", str(self.pair_format), PAIR_FORMATS)
        _to_sentence(self.raw, self.segmenter, self.places)

    def __call__(self, record: Record) -> Pair:
        to_sentence = _to_sentence(self.raw, self.segmenter, self.places)
        return to_pair(record, self.files, self.pair_format, to_sentence)

    def sides(self, records: Sequence[Record]) -> list[bytes] | None:
        """The texts of sources and targets in turns, as they stand in the lines.

        None where that is not so simple: other formats, and lines that this parser refuses or may refuse.
        """
        if not (self.pair_format is None or self.pair_format == "tsv"):
            return None
        found: list[bytes] = []
        for record in records:
            lines: Sequence[bytes] = record.lines
            if max(map(len, lines)) > LONGEST_LINE:
                return None
            if record.number == 1:
                lines = [line.removeprefix(codecs.BOM_UTF8) for line in lines]
            if len(lines) == 1:
                lines = lines[0].split(b"\t", 2)
                if len(lines) == 3 and not _is_utf8(lines.pop()):
                    return None
                if len(lines) == 1:
                    if lines[0].strip():
                        return None
                    lines = b"", b""
            found += lines
        return found

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a side."""
        return _to_sentence(self.raw, self.segmenter, self.places)(text).words


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def to_pair(
    record: Record, files: Sequence[str | Path], pair_format: str | None, to_sentence: ToSentence
) -> Pair:
    """The pair of a record; `to_sentence` is any function from a text to its words."""
    texts = [decode_line(line, file, record.number) for file, line in zip(files, record.lines, strict=True)]
    if len(texts) == 1 and not texts[0].strip():
        return _EMPTY
    try:
        sides = texts if len(texts) == 2 else split_pair(texts[0], pair_format or PAIR_FORMATS[0])
        source, target = (
            to_sentence(side) if isinstance(side, str) else Sentence.from_words(side) for side in sides
        )
    except (ValueError, InputError) as error:  # the latter is a segmenter's, which knows no lines
        where = " and ".join(map(shown, files))
        place = place_of(texts[0], pair_format if len(texts) == 1 else None, record.number)
        raise InputError(f"{where}, {place}: {error}") from error
    return Pair(source, target)


def read_two_files(source: str | Path, target: str | Path, to_sentence: ToSentence) -> Iterator[Pair]:
    """The pairs of two parallel files, which must have equally many lines."""
    for record in Records((source, target)):
        yield to_pair(record, (source, target), None, to_sentence)


def read_pairs(path: str | Path, pair_format: str, to_sentence: ToSentence) -> Iterator[Pair]:
    """The pairs of one file, in a format of `PAIR_FORMATS`; `-` is standard input."""
    if pair_format not in PAIR_FORMATS:
        raise UnknownNameError("pair format", pair_format, PAIR_FORMATS)
    for record in Records((path,), pair_format):
        yield to_pair(record, (path,), pair_format, to_sentence)


def check_parallel(source: str | Path, target: str | Path) -> int | None:
    """Refuse two files with different numbers of lines; returns the number, where it can be known."""
    left, right = count_lines(source), count_lines(target)
    if left is not None and right is not None and left != right:
        for file in (source, target):
            refuse_other_files(file)
        raise InputError(_unequal(source, left, target, right))
    return left if left is not None else right


def _unequal(one: str | Path, lines: int, other: str | Path, other_lines: int) -> str:
    return (
        f"The files are not parallel: {shown(one)} has {counted(lines, 'line')}, {shown(other)} has "
        f"{other_lines:,}. "
        "Line i of one must be the translation of line i of the other."
    )


@cache
def _to_sentence(raw: bool, segmenter: str | None, places: bool) -> ToSentence:
    if not raw:
        return tokenized
    split = split_words if places else find_words
    return partial(split, segmenter=find_segmenter(segmenter)) if segmenter else split
