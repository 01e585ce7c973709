"""Files of links beside a file of gold links: sentence by sentence, in memory for one sentence.

Whatever is missing or too much is handled and told: a sentence that a file of links lacks counts as one
without predicted links; links beyond the last gold sentence are not scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from wordalign.errors import InputError
from wordalign.evaluate.counts import Counts, count
from wordalign.evaluate.text import TextCounter
from wordalign.io.gold import missing_gold
from wordalign.io.lines import read_lines, shown
from wordalign.io.notes import Notes, Report
from wordalign.io.pairs import tokenized
from wordalign.io.placed import (
    EMPTY,
    LinkTokens,
    Placed,
    PlacedReader,
    check_range,
    in_order,
    note_several,
    read_placed,
)
from wordalign.types import GoldAlignment, Link, Pair, Sentence


class Judged(NamedTuple):
    """A sentence (counted from 1): its gold links, those of each file, and its words where they are known."""

    number: int
    gold: GoldAlignment
    links: tuple[frozenset[Link], ...]
    words: Pair | None


class _Row(NamedTuple):
    """The same before anything is parsed; None for what a file lacks."""

    number: int
    gold: Placed | None
    found: list[Placed | None]
    words: Pair | None


class LinkFile:
    """Predicted links in Pharaoh, TSV or JSONL (as `wordalign align` writes them), or in a gold format.

    `signature` says what made them, which JSONL carries; `words` are those of the sentence read last.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        lines = read_lines(path)
        first = next(lines, None)
        self._lines = lines if first is None else chain([first], lines)
        self.json = first is not None and first.startswith("{")
        self.tsv = not self.json and Path(path).suffix.lower() == ".tsv"
        self.signature: str | None = None
        self.words: Pair | None = None
        if self.json and first is not None:
            with suppress(ValueError):  # said with the line's number when it is read
                self.signature = json.loads(first).get("signature")

    @property
    def carries_words(self) -> bool:
        return self.json or self.tsv

    def sentences(self, notes: Notes) -> Iterator[Placed]:
        """All sentences, once."""
        if not self.carries_words:
            yield from read_placed(self.path, None, None, notes, lines=self._lines, predicted=True)
            return
        reader = PlacedReader(self.path, LinkTokens(one_based=False, no_word=False), notes, predicted=True)
        for number, line in enumerate(self._lines, start=1):
            try:
                text = (self._from_json if self.json else self._from_tsv)(line, number, notes)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                problem = f"there is no {error}" if isinstance(error, KeyError) else str(error)
                raise InputError(f"{shown(self.path)}, line {number}: {problem}") from error
            yield Placed(number - 1, number, None, text, reader)

    def _from_json(self, line: str, number: int, notes: Notes) -> str:
        if not line.strip():
            self.words = None
            return ""
        record: dict[str, Any] = json.loads(line)
        if record.get("signature") != self.signature:
            notes.add(
                f"Lines of {shown(self.path)} with another signature than the first: {{count}} (first: line "
                "{first}).",
                str(number),
            )
        if "methods" in record:
            note_several(self.path, number, notes)
        sides = [record.get(side) for side in ("source", "target")]
        known = all(isinstance(words, list) for words in sides)
        self.words = Pair(*(Sentence.from_words(words or ()) for words in sides)) if known else None
        return " ".join(f"{i}-{j}" for i, j in record["links"])

    def _from_tsv(self, line: str, number: int, notes: Notes) -> str:
        columns = line.split("\t")
        if len(columns) < 3:
            raise ValueError("expected source, TAB, target, TAB, links.")
        if len(columns) > 3:
            note_several(self.path, number, notes)
        self.words = Pair(tokenized(columns[0]), tokenized(columns[1]))
        return columns[2]


def judge_files(
    gold: str | Path,
    files: Sequence[LinkFile],
    *,
    gold_format: str | None = None,
    one_based: bool | None = None,
    texts: Iterable[Pair] | None = None,
    report: Report,
) -> Iterator[Judged]:
    """Every gold sentence with the links that each file has for it.

    `texts` are the words of all sentences; where they are known, here or from the files of links, a link out
    of their range is refused. `report` gets a sentence for everything noticed, at the end.
    """
    for row in _rows(gold, files, gold_format, one_based, texts, report):
        yield _judged(row)


def count_files(
    gold: str | Path,
    files: Sequence[LinkFile],
    *,
    gold_format: str | None = None,
    one_based: bool | None = None,
    texts: Iterable[Pair] | None = None,
    report: Report,
) -> Iterator[tuple[Counts, ...]]:
    """The counts of every sentence, of each file: as `judge_files` and `count`, but several times faster
    where lines can be compared as text."""
    count_text = TextCounter()
    for row in _rows(gold, files, gold_format, one_based, texts, report):
        counts = _count_text(row, count_text)
        if counts is None:
            judged = _judged(row)
            counts = tuple(count(judged.gold, links) for links in judged.links)
        yield counts


def _count_text(row: _Row, count_text: TextCounter) -> tuple[Counts, ...] | None:
    """None where a line must be parsed: to check its range, to shift its links, or for its looks."""
    if row.words is not None or row.gold is None or not row.gold.reader.tokens.zero_based:
        return None
    found = []
    for placed in row.found:
        if placed is None or not placed.reader.tokens.zero_based:
            return None
        counts = count_text(row.gold.text, placed.text)
        if counts is None:
            return None
        found.append(counts)
    row.gold.reader.only_sure += found[0].sure
    return tuple(found)


def _rows(
    gold: str | Path,
    files: Sequence[LinkFile],
    gold_format: str | None,
    one_based: bool | None,
    texts: Iterable[Pair] | None,
    report: Report,
) -> Iterator[_Row]:
    """The files side by side, with a note of what is missing or too much."""
    notes = Notes()
    golds = in_order(read_placed(gold, gold_format, one_based, notes))
    found = [in_order(file.sentences(notes)) for file in files]
    carriers = [file for file in files if file.carries_words]
    pairs: Iterable[Pair] = iter(()) if texts is None else texts
    any_gold = False
    rows = zip_longest(golds, pairs, *found, fillvalue=_END)
    for number, (expected, words, *predicted) in enumerate(rows, start=1):
        if words is _END:
            if expected is _END:
                _note_extra(files, predicted, gold, number, notes)
                continue
            if texts is not None:
                raise InputError(f"{shown(gold)} has a sentence {number:,}, which the text does not have.")
            words = _words_of(files, predicted) if carriers else None
        if expected is _END or expected is None:
            notes.add(missing_gold(gold), str(number))
            expected = None
        elif not any_gold:
            any_gold = bool(expected.text.strip())
        for place, (file, placed) in enumerate(zip(files, predicted, strict=True)):
            if placed is _END or placed is None:
                predicted[place] = None
                notes.add(
                    f"Sentences missing from {shown(file.path)}: {{count}} (first: sentence {{first}}). They "
                    "count as sentences without predicted links.",
                    str(number),
                )
            elif placed.name is not None and expected is not None:
                _check_names(placed, expected)
        yield _Row(number, expected, predicted, words)
    if not any_gold:
        raise InputError(f"{shown(gold)} holds no gold links, so there is nothing to score against.")
    notes.report(report)


_END: Any = object()  # of a file that has no more sentences


def _judged(row: _Row) -> Judged:
    gold = EMPTY if row.gold is None else row.gold.gold
    links = tuple(EMPTY.possible if found is None else found.gold.possible for found in row.found)
    if row.words is not None:
        lengths = len(row.words.source), len(row.words.target)
        if row.gold is not None:
            check_range(gold.possible, lengths, row.gold.where(), row.gold.hint)
        for found, predicted in zip(row.found, links, strict=True):
            if found is not None:
                check_range(predicted, lengths, found.where())
    return Judged(row.number, gold, links, row.words)


def _words_of(files: Sequence[LinkFile], predicted: Sequence[Placed | None]) -> Pair | None:
    """The words that the first file which has this sentence and carries words has for it."""
    both = zip(files, predicted, strict=True)
    return next((file.words for file, placed in both if placed is not _END and file.words), None)


def _check_names(placed: Placed, gold: Placed) -> None:
    """Ids that are numbers were placed by them; names can only be compared."""
    names = (placed.name or "", gold.name or "")
    if all(names) and not any(name.isdecimal() for name in names) and names[0] != names[1]:
        raise InputError(
            f"{placed.where()}: the gold has sentence {gold.name} here. Put the sentences of both files in "
            "the same order."
        )


def _note_extra(
    files: Sequence[LinkFile], predicted: Sequence[Placed | None], gold: str | Path, number: int, notes: Notes
) -> None:
    for file, placed in zip(files, predicted, strict=True):
        if isinstance(placed, Placed):
            notes.add(
                f"Sentences of {shown(file.path)} beyond the last of {shown(gold)}: {{count}} (first: "
                "sentence {first}). They were not scored.",
                str(number),
            )
