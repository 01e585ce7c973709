"""What a picture shows of one pair: its words, and each link with the part it plays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from wordalign.errors import UsageError
from wordalign.types import Alignment, GoldAlignment, Link

NO_GOLD = GoldAlignment(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Marks:
    """Links by part: of both alignments (or the only one), of one alone; gold ones apart from that.

    Drawn apart from each other by colour and by shape, since not everybody sees the colours.
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
    """The words of both sides; their positions where the alignment was read from links alone."""
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
