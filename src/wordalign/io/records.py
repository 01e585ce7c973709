"""Lines of input before and after they are understood.

    files --Records--> Record (bytes, a number) --Parser--> Pair, or an InputError that names the line

The two halves are apart so that reading stays in one place and in order, while the second half, most of
the work, may be done by others: a record and a parser can be pickled.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path

from wordalign.errors import InputError, UnknownNameError, counted
from wordalign.io.lines import (
    LONGEST_LINE,
    count_lines,
    decode_line,
    read_byte_lines,
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
        if self._units is not None:
            (file,) = self._files
            for number, unit in enumerate(self._units.read(file, self._chosen), start=1):
                yield Record(number, (unit.as_line(),))
            return
        readers = [read_byte_lines(file, cut=self._cut) for file in self._files]
        if len(readers) == 1:
            for number, line in enumerate(readers[0], start=1):
                yield Record(number, (line,))
            return
        rows: Iterator[tuple[bytes | None, ...]] = zip_longest(*readers)
        for number, row in enumerate(rows, start=1):
            lines = tuple(line for line in row if line is not None)
            if len(lines) < len(row):
                source, target = self._files if row[0] is None else reversed(self._files)
                rest = sum(1 for _ in rows)
                raise InputError(_unequal(source, number - 1, target, number + rest))
            yield Record(number, lines)


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
