"""Markup and placeholders of a source, put into its finished translation.

    transfer("Press <b>Save</b>.", "Drücken Sie Speichern.")   ->   "Drücken Sie <b>Speichern</b>."

`syntax.py` tells text and markup apart, an aligner links the words, `placing.py` finds the places, and this
writes the translation with the elements in it. Nothing of the translation changes, and every element of the
source stands in the result once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import tee
from typing import NamedTuple

from wordalign.aligners.base import BaseAligner
from wordalign.project.markup.placing import Placement, place
from wordalign.project.markup.syntax import (
    CDATA,
    Marked,
    Target,
    check_syntax,
    check_xml,
    guess_syntax,
    parse_source,
    parse_target,
)
from wordalign.text import Segmenter, split_words
from wordalign.types import Alignment, Pair

# Behind these, and before them, a placeholder needs no space.
_CLOSING = frozenset(".,;:!?)]}%…»”’")
_OPENING = frozenset("([{«„“‘¿¡")


@dataclass(frozen=True, slots=True)
class Transferred:
    """A translation with the markup of its source, and where each element went."""

    text: str
    placements: tuple[Placement, ...]

    def walk(self) -> Iterator[Placement]:
        """All placements, those inside others too."""
        for placement in self.placements:
            yield from placement.walk()

    @property
    def unsure(self) -> list[Placement]:
        """Elements for whose place no link speaks."""
        return [placement for placement in self.walk() if placement.probability == 0]


class Prepared(NamedTuple):
    """A source and its translation, read, and not yet aligned."""

    marked: Marked
    target: Target
    syntax: str
    pair: Pair


def transfer(
    source: str, target: str, aligner: BaseAligner | None = None, *, syntax: str | None = None
) -> str:
    """The translation with the markup and the placeholders of the source.

    `syntax` is html, xml, xliff, markdown or text (placeholders alone); by default it is html where the
    source has a tag or an entity, and text where it has none.

    >>> transfer("Press <b>Save</b>.", "Drücken Sie Speichern.")
    'Drücken Sie <b>Speichern</b>.'
    """
    return next(transfer_stream([(source, target)], aligner, syntax=syntax)).text


def transfer_stream(
    pairs: Iterable[tuple[str, str]],
    aligner: BaseAligner | None = None,
    *,
    syntax: str | None = None,
    segmenter: Segmenter | None = None,
    workers: int = 1,
) -> Iterator[Transferred]:
    """The same for any number of pairs, in order and in bounded memory."""
    if syntax is not None:
        check_syntax(syntax)
    prepared = (prepare(source, target, syntax, segmenter) for source, target in pairs)
    return transfer_prepared(prepared, aligner, workers=workers)


def transfer_prepared(
    prepared: Iterable[Prepared], aligner: BaseAligner | None = None, *, workers: int = 1
) -> Iterator[Transferred]:
    """What `prepare` made, aligned and put together."""
    aligner = aligner or default_aligner()
    to_align, to_finish = tee(prepared)
    alignments = aligner.stream((one.pair for one in to_align), workers=workers)
    for one, alignment in zip(to_finish, alignments, strict=True):
        yield finish(one, alignment)


@lru_cache(maxsize=1)
def default_aligner() -> BaseAligner:
    from wordalign.aligners.neural import Aligner

    return Aligner()


def prepare(
    source: str, target: str, syntax: str | None = None, segmenter: Segmenter | None = None
) -> Prepared:
    """Read both sides; `MalformedError` says what cannot be read."""
    syntax = syntax or guess_syntax(source)
    read = parse_target(target, syntax)
    if syntax in ("xml", "xliff"):
        check_xml(read.written)
    marked = parse_source(source, syntax, Counter(read.anchors.values()))
    pair = Pair(split_words(marked.text, segmenter), split_words(read.text, segmenter))
    return Prepared(marked, read, syntax, pair)


def finish(prepared: Prepared, alignment: Alignment) -> Transferred:
    """Place the elements by the links, and write the translation with them."""
    marked, target, syntax, pair = prepared
    aligned = Alignment(alignment.links, alignment.scores, pair.source, pair.target)
    placements = place(marked, target, aligned) if marked.elements else ()
    text = _Writer(target, pair).written(placements)
    if syntax in ("xml", "xliff"):
        check_xml(text)
    return Transferred(text, placements)


class _Writer:
    """Puts elements into a translation."""

    def __init__(self, target: Target, pair: Pair) -> None:
        self.target = target
        self.offsets = pair.target.offsets or ()
        self.out: list[str] = []

    def written(self, placements: Sequence[Placement]) -> str:
        self._level(placements, 0, len(self.target.text), raw=False)
        return "".join(self.out)

    def _level(self, placements: Sequence[Placement], start: int, end: int, raw: bool) -> None:
        """Write the characters `start` to `end` of the text with all that is placed among them."""
        spots = [(self._spot(placement, start), number) for number, placement in enumerate(placements)]
        written = start
        for spot, number in sorted(spots, key=lambda s: (s[0], not placements[s[1]].element.is_point, s[1])):
            placement = placements[number]
            self._text(written, spot, raw)
            written = spot
            element = placement.element
            if element.is_point:
                self._point(placement, spot)
                continue
            written = self.offsets[placement.end - 1][1]
            self.out.append(element.opening)
            self._level(placement.inside, spot, written, raw=element.opening == CDATA[0])
            self.out.append(element.closing)
        self._text(written, end, raw)

    def _spot(self, placement: Placement, start: int) -> int:
        """The character before which an element begins."""
        if not self.offsets:
            return start
        if placement.left:
            return self.offsets[placement.start - 1][1]
        return self.offsets[placement.start][0]

    def _point(self, placement: Placement, spot: int) -> None:
        element = placement.element
        if not element.is_text:
            self.out.append(element.opening)
            return
        # A placeholder is read like a word: it has spaces where the source has them and the script does.
        before = next((piece[-1] for piece in reversed(self.out) if piece), " ")
        after = self.target.text[spot : spot + 1] or " "
        space_before = not (
            element.glued[0] or before.isspace() or before in _OPENING or _is_unspaced(before)
        )
        space_after = not (element.glued[1] or after.isspace() or after in _CLOSING or _is_unspaced(after))
        self.out += [" " * space_before, element.opening, " " * space_after]

    def _text(self, start: int, end: int, raw: bool) -> None:
        if not raw:
            places = self.target.places
            self.out.append(self.target.written[places[start] : places[end]])
            return
        for spot in range(start, end):  # of CDATA, in which nothing can be escaped
            anchor = self.target.anchors.get(spot)
            if anchor is None:
                ends = self.target.text[max(start, spot - 2) : spot + 1] == CDATA[1]
                self.out += [*(CDATA[1], CDATA[0]) * ends, self.target.text[spot]]
            elif anchor.startswith("<"):
                self.out += [CDATA[1], anchor, CDATA[0]]
            else:
                self.out.append(anchor)


def _is_unspaced(sign: str) -> bool:
    """Whether it is of a script that writes no spaces: Chinese, Japanese, Thai …"""
    return (
        "\u0e00" <= sign <= "\u0eff"
        or "\u1000" <= sign <= "\u109f"
        or "\u1780" <= sign <= "\u17ff"
        or ("\u2e80" <= sign <= "\ua4cf" or "\uf900" <= sign <= "\ufaff" or "\uff00" <= sign <= "\uffef")
    )
