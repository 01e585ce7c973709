"""What a picture shows of one pair, before anything is drawn: the part that each link plays, and where a long
pair is cut into bands.

A band is a piece of both sentences that fits the page. A cut should separate few links, so that the two
pieces of a band translate each other. Bands are chosen one after the other. Among those that fill the page
well on at least one side, the one with the most words wins, where each link that leaves the band costs as
much as three words.

>>> bands([(0, 0), (1, 1), (2, 2), (3, 3)], widths=([4, 4, 4, 4], [4, 4, 4, 4]), limit=9)
[((0, 2), (0, 2)), ((2, 4), (2, 4))]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from wordalign.errors import UsageError
from wordalign.types import Alignment, Floats, GoldAlignment, Link

Span: TypeAlias = tuple[int, int]

NO_GOLD = GoldAlignment(frozenset(), frozenset())

COST_OF_A_CUT_LINK = 3
WELL_FILLED = 0.6


@dataclass(frozen=True, slots=True)
class Marks:
    """The links of a picture: those of both alignments (or of the only one), those that only one of the two
    has, and the gold links.

    Pictures tell them apart by colour and by shape, since not everybody sees the colours.
    """

    common: frozenset[Link]
    first: frozenset[Link]
    second: frozenset[Link]
    sure: frozenset[Link]
    possible: frozenset[Link]  # without the sure ones

    @property
    def predicted(self) -> frozenset[Link]:
        return self.common | self.first | self.second

    @property
    def all(self) -> frozenset[Link]:
        return self.predicted | self.sure | self.possible

    def part(self, link: Link) -> str:
        return "first" if link in self.first else "second" if link in self.second else "common"


def marks(
    words: tuple[Sequence[str], Sequence[str]],
    first: Iterable[Link],
    second: Iterable[Link] | None = None,
    gold: GoldAlignment | None = None,
) -> Marks:
    gold = gold or NO_GOLD
    one = frozenset(first)
    other = one if second is None else frozenset(second)
    found = Marks(one & other, one - other, other - one, gold.sure, gold.possible - gold.sure)
    refuse_links_outside(found.all, len(words[0]), len(words[1]))
    return found


def words_of(alignment: Alignment) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of both sides, or their numbers where the alignment was read from links alone."""
    if alignment.source.words or alignment.target.words:
        return alignment.source.words, alignment.target.words
    sides = zip(*alignment.links, strict=True) if alignment.links else ((), ())
    source, target = ([str(number) for number in range(max(side, default=-1) + 1)] for side in sides)
    return source, target


def refuse_links_outside(links: Collection[Link], source: int, target: int) -> None:
    for i, j in sorted(links):
        if not (0 <= i < source and 0 <= j < target):
            raise UsageError(
                f"The link {i}-{j} lies outside a pair of {source} and {target} words (which count from 0)."
            )


def bands(
    links: Collection[Link], widths: tuple[Sequence[float], Sequence[float]], limit: float
) -> list[tuple[Span, Span]]:
    """Return spans of source and target words, each no wider than `limit` unless it is a single word."""
    lengths = len(widths[0]), len(widths[1])
    found = []
    start = 0, 0
    while start != lengths:
        ahead = [(i - start[0], j - start[1]) for i, j in links if i >= start[0] and j >= start[1]]
        fitting = _fitting(widths[0], start[0], limit), _fitting(widths[1], start[1], limit)
        end = start[0] + len(fitting[0]) - 1, start[1] + len(fitting[1]) - 1
        if end != lengths:
            rows, columns = _best(ahead, fitting, limit)
            end = start[0] + rows, start[1] + columns
        found.append(((start[0], end[0]), (start[1], end[1])))
        start = end
    return found or [((0, 0), (0, 0))]


def _fitting(widths: Sequence[float], begin: int, limit: float) -> Floats:
    """Return the widths of 0, 1, 2 … words from `begin`, as many as fit. One word always fits."""
    totals = [0.0]
    for width in widths[begin:]:
        if len(totals) > 1 and totals[-1] + width > limit:
            break
        totals.append(totals[-1] + width)
    return np.array(totals)


def _best(links: Collection[Link], fitting: tuple[Floats, Floats], limit: float) -> Link:
    """Return how many words of each side the next band takes; links count from the start of the band."""
    height, width = len(fitting[0]), len(fitting[1])
    inside = np.zeros((height, width), dtype=np.int64)
    from_source, to_target = np.zeros(height, dtype=np.int64), np.zeros(width, dtype=np.int64)
    # After summing up, [i, j] says how many links lie within the first i and the first j words.
    for i, j in links:
        if i + 1 < height:
            from_source[i + 1] += 1
        if j + 1 < width:
            to_target[j + 1] += 1
        if i + 1 < height and j + 1 < width:
            inside[i + 1, j + 1] += 1
    cut = (
        from_source.cumsum()[:, None] + to_target.cumsum()[None, :] - 2 * inside.cumsum(axis=0).cumsum(axis=1)
    )
    words = np.arange(height)[:, None] + np.arange(width)[None, :]
    filled = np.maximum(fitting[0][:, None], fitting[1][None, :]) >= min(
        WELL_FILLED * limit, max(fitting[0][-1], fitting[1][-1])
    )
    gain = np.where(filled & (words > 0), words - COST_OF_A_CUT_LINK * cut, np.iinfo(np.int64).min)
    rows, columns = np.unravel_index(int(gain.argmax()), gain.shape)
    return int(rows), int(columns)
