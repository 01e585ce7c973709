"""Files of links beside a file of gold links, sentence by sentence, with one sentence in memory.

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
from wordalign.io.gold import gold_lines, missing_gold
from wordalign.io.lines import read_lines, shown
from wordalign.io.link_lines import (
    EMPTY,
    RAW_HINT,
    LinkLine,
    Notes,
    Report,
    in_order,
    note_several,
    read_link_lines,
)
from wordalign.io.links import alignment_of, is_tsv, parse_tsv
from wordalign.types import Alignment, GoldAlignment, Link, Pair


class Judged(NamedTuple):
    """A sentence (counted from 1): its gold links, those of each file, and its words where they are known."""

    number: int
    gold: GoldAlignment
    links: tuple[frozenset[Link], ...]
    words: Pair | None

    def counts(self) -> tuple[Counts, ...]:
        """The counts of each file."""
        return tuple([count(self.gold, links) for links in self.links])


class LinkFile:
    """Predicted links in Pharaoh, TSV or JSONL (as `wordalign align` writes them), or in a gold format.

    `signature` says what made them, where the file is JSONL.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path
        lines = read_lines(path)
        first = next(lines, None)
        self._lines = lines if first is None else chain([first], lines)
        self._json = first is not None and first.startswith("{")
        self._tsv = not self._json and is_tsv(path)
        self.signature: str | None = None
        if self._json and first is not None:
            with suppress(ValueError):  # said with the line's number when it is read
                self.signature = json.loads(first).get("signature")

    @property
    def carries_words(self) -> bool:
        return self._json or self._tsv

    def sentences(self, notes: Notes) -> Iterator[LinkLine]:
        """All sentences; this can be called once."""
        if not self.carries_words:
            yield from read_link_lines(self.path, None, None, notes, lines=self._lines, predicted=True)
            return
        parse = self._from_json if self._json else self._from_tsv
        for number, line in enumerate(self._lines, start=1):
            try:
                found = parse(line, number, notes)
            except (ValueError, TypeError, AttributeError) as error:
                raise InputError(f"{shown(self.path)}, line {number}: {error}") from error
            words = Pair(found.source, found.target) if found.source.words or found.target.words else None
            every = frozenset(found.links)
            links = GoldAlignment(every, every)
            yield LinkLine(number - 1, number, None, links, self.path, RAW_HINT, words)

    def _from_json(self, line: str, number: int, notes: Notes) -> Alignment:
        if not line.strip():
            return Alignment((), ())
        record = json.loads(line)
        found = alignment_of(record)
        if record.get("signature") != self.signature:
            notes.add(
                f"Lines of {shown(self.path)} with another signature than the first: {{count}} (first: line "
                "{first}).",
                str(number),
            )
        if "methods" in record:
            note_several(self.path, number, notes)
        return found

    def _from_tsv(self, line: str, number: int, notes: Notes) -> Alignment:
        if line.count("\t") > 2:
            note_several(self.path, number, notes)
        return parse_tsv(line)


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

    `texts` are the words of all sentences. Where they are known, here or from the files of links, a link out
    of their range is refused. `report` gets a sentence for everything that was noticed, at the end.
    """
    notes = Notes()
    golds = in_order(gold_lines(gold, gold_format, one_based, notes))
    found = [in_order(file.sentences(notes)) for file in files]
    any_gold = False
    rows = zip_longest(golds, texts or (), *found, fillvalue=_END)
    for number, (expected, words, *predicted) in enumerate(rows, start=1):
        if words is _END:
            if expected is _END:
                _note_extra(files, predicted, gold, number, notes)
                continue
            if texts is not None:
                raise InputError(f"{shown(gold)} has a sentence {number:,}, which the text does not have.")
            words = next(
                (line.words for line in predicted if isinstance(line, LinkLine) and line.words), None
            )
        if not isinstance(expected, LinkLine):
            notes.add(missing_gold(gold), str(number))
            expected = None
        any_gold = any_gold or bool(expected and expected.links.possible)
        for place, (file, line) in enumerate(zip(files, predicted, strict=True)):
            if not isinstance(line, LinkLine):
                predicted[place] = None
                notes.add(
                    f"Sentences missing from {shown(file.path)}: {{count}} (first: sentence {{first}}). They "
                    "count as sentences without predicted links.",
                    str(number),
                )
            elif line.name is not None and expected is not None:
                _check_names(line, expected)
        if words is not None:
            for line in (expected, *predicted):
                if line is not None:
                    line.check_range((len(words.source), len(words.target)))
        links = tuple([EMPTY.possible if line is None else line.links.possible for line in predicted])
        yield Judged(number, EMPTY if expected is None else expected.links, links, words)
    if not any_gold:
        raise InputError(f"{shown(gold)} holds no gold links, so there is nothing to score against.")
    notes.report(report)


_END: Any = object()  # stands for a file that has no more sentences


def _check_names(line: LinkLine, gold: LinkLine) -> None:
    """Ids that are numbers decided about the places of their sentences; names can only be compared."""
    names = (line.name or "", gold.name or "")
    if all(names) and not any(name.isdecimal() for name in names) and names[0] != names[1]:
        raise InputError(
            f"{line.where()}: the gold has sentence {gold.name} here. Put the sentences of both files in the "
            "same order."
        )


def _note_extra(
    files: Sequence[LinkFile], predicted: Sequence[Any], gold: str | Path, number: int, notes: Notes
) -> None:
    for file, line in zip(files, predicted, strict=True):
        if isinstance(line, LinkLine):
            notes.add(
                f"Sentences of {shown(file.path)} beyond the last of {shown(gold)}: {{count}} (first: "
                "sentence {first}). They were not scored.",
                str(number),
            )
