"""Parallel text in files, as a run reads it: its pairs, in which format they stand, and what looks wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from wordalign.errors import InputError, UsageError
from wordalign.io.lines import STDIN, count_lines, shown
from wordalign.io.pairs import guess_pair_format, split_pair
from wordalign.io.records import Parser, Record, Records, check_parallel
from wordalign.io.units import NOTHING_CHOSEN, Chosen, unit_format
from wordalign.types import Pair

Files: TypeAlias = str | Path | Sequence[str | Path]
LOOKED_AT = 50  # lines
# Punctuation that tokenised text keeps apart from words, anywhere in a line or at its end.
_INSIDE, _AT_END = tuple(",،、，"), tuple(".!?؟।。！？")
# Scripts without spaces between words: hardly any word is that long.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{12}")


class ParallelText:
    """Two parallel files, or one file of pairs; can be read again unless it is a stream.

    `chosen` says which columns or languages of a file of pairs are read. `lines` is the number of pairs where
    it can be known without reading a compressed file or a stream.
    """

    def __init__(
        self,
        files: Files,
        pair_format: str | None = None,
        chosen: Chosen = NOTHING_CHOSEN,
        *,
        raw: bool = False,
        segmenter: str | None = None,
    ) -> None:
        self.files = _names(files)
        if not 1 <= len(self.files) <= 2 or self.files.count(STDIN) > 1:
            raise UsageError("Give two parallel files, or one file of pairs (- once for standard input).")
        if segmenter and not raw:
            raise UsageError("--segmenter splits raw text: give --raw too.")
        pair_format = format_of(self.files, pair_format)
        chosen.check(pair_format)
        self.chosen = chosen
        self.lines: int | None
        if pair_format is None:
            self.lines = check_parallel(*self.files)
        else:
            units = unit_format(pair_format)
            self.lines = units.length(self.files[0]) if units else count_lines(self.files[0])
        self.parser = Parser(tuple(self.files), pair_format, raw, segmenter)

    @property
    def rereadable(self) -> bool:
        return all(file != STDIN and Path(file).is_file() for file in self.files)

    def records(self, on_error: str = "stop") -> Records:
        return Records(self.files, self.parser.pair_format, self.chosen, cut=on_error == "skip")

    def pairs(self, on_error: str = "stop") -> Iterator[Pair]:
        """Read the pairs; `on_error="skip"` leaves those out that cannot be read."""
        for record in self.records(on_error):
            try:
                pair = self.parser(record)
            except InputError:
                if on_error == "stop":
                    raise
                continue
            yield pair

    def checked(
        self,
        chunks: Iterable[Sequence[Record]],
        report: Callable[[str], object],
        doubt: Callable[[list[Pair]], str | None] | None = None,
    ) -> Iterator[Sequence[Record]]:
        """Hand the chunks on, and report what looks wrong in the first lines of the first one.

        `doubt` says in a sentence what speaks against the links of pairs.
        """
        rest = iter(chunks)
        first = next(rest, None)
        if first is None:
            said = " and ".join(shown(file) for file in self.files)
            report(f"There is nothing to align: {said} {'is' if len(self.files) == 1 else 'are'} empty.")
        else:
            for warning in input_warnings(first[:LOOKED_AT], self.parser):
                report(warning)
            if doubt is not None and (doubtful := doubt(self._first_pairs(first))):
                report(doubtful)
            yield first
        yield from rest

    def _first_pairs(self, records: Sequence[Record]) -> list[Pair]:
        """The first pairs that are long enough to judge a model's links by; none where there are too few."""
        from wordalign.links.doubt import ENOUGH_PAIRS, long_enough

        found: list[Pair] = []
        for record in records:
            with suppress(InputError):
                pair = self.parser(record)
                if long_enough(pair):
                    found.append(pair)
            if len(found) == ENOUGH_PAIRS:
                return found
        return []


def format_of(files: Files, pair_format: str | None) -> str | None:
    """The format of a file of pairs, as it was given or by its name; None for two parallel files."""
    names = _names(files)
    return None if len(names) == 2 else pair_format or guess_pair_format(names[0])


def _names(files: Files) -> list[str]:
    return [str(files)] if isinstance(files, (str, Path)) else [str(file) for file in files]


def input_warnings(records: Sequence[Record], parser: Parser) -> Iterator[str]:
    """Look at the first lines of a text and say what looks wrong, in sentences."""
    if parser.pair_format == "tsv":
        wide = next((record for record in records if record.lines[0].count(b"\t") > 1), None)
        if wide is not None:
            yield (
                f"{shown(parser.files[0])} has more than two columns (as in line {wide.number}): the first "
                "two are read as source and target, the others are left out."
            )
    if parser.raw:
        return
    for side in range(2):
        lines = [text for record in records if (text := _side(record, parser, side)) is not None]
        example = _untokenised(lines)
        if example is not None:
            file = shown(parser.files[side if len(parser.files) == 2 else 0])
            yield (
                f"{file} does not look tokenised (as in {example!r}): punctuation is taken for a part of the "
                "word beside it. Give --raw, and the words of plain text are found."
            )
            return


def _side(record: Record, parser: Parser, side: int) -> str | None:
    """Find the source (0) or target (1) text of a record; None for a list of words and for a bad record."""
    try:
        texts = [line.decode("utf-8") for line in record.lines]
        if parser.pair_format is None:
            return texts[side]
        found = split_pair(texts[0], parser.pair_format)[side]
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _untokenised(lines: Sequence[str]) -> str | None:
    """Find a word with punctuation that should stand apart, if the lines do not look tokenised.

    >>> _untokenised(["The old clock has stopped.", "Yes, it has."])
    'stopped.'
    >>> _untokenised(["Mr. Smith has stopped , he says ."]), _untokenised(["猫 很 老 。"])
    (None, None)
    """
    filled = [line.split() for line in lines if line.strip()]
    glued: list[str] = []
    apart = 0
    for words in filled:
        for place, word in enumerate(words):
            marks = _INSIDE + _AT_END if place == len(words) - 1 else _INSIDE
            if word.endswith(marks):
                stem = word[:-1]
                apart += not stem
                if len(stem) > 1 and stem[-1].isalpha() and "." not in stem:
                    glued.append(word)
            elif _UNSPACED.search(word):
                glued.append(word)
    return glued[0] if len(glued) > 4 * apart and 10 * len(glued) >= len(filled) else None
