"""Two annotators of the same pairs: how far they agree, and gold links made of both.

With one's links A and the other's links B, sure and possible alike, and B's sure links S of all pairs:

    F1    = 2 |A ∩ B| / (|A| + |B|)
    AER   = 1 - (|A ∩ S| + |A ∩ B|) / (|A| + |S|), of A against B; and the same of B against A
    kappa = (o - e) / (1 - e), Cohen's: over all places where a link could be, o is the share of places on
            which both agree, and e the share on which they would by chance

>>> one = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
>>> other = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))
>>> found = agreement([(one, other, (2, 2))])
>>> round(found.f1, 3), [round(aer, 3) for aer in found.aer], round(found.kappa, 3)
(0.667, [0.333, 0.0], 0.5)
>>> sorted(common(one, other).sure), sorted(common(one, other).possible)
([(0, 0)], [(0, 0), (1, 1)])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from wordalign.types import GoldAlignment


@dataclass(frozen=True, slots=True)
class Agreement:
    """The counts that agreement is made of; `places` is 0 where the numbers of words are not known."""

    pairs: int = 0
    places: int = 0
    one: int = 0
    other: int = 0
    both: int = 0
    one_sure: int = 0
    other_sure: int = 0
    one_in_other_sure: int = 0
    other_in_one_sure: int = 0

    @property
    def f1(self) -> float:
        return _share(2 * self.both, self.one + self.other)

    @property
    def aer(self) -> tuple[float, float]:
        """Of the one's links against the other's, and the other way round."""
        return (
            1 - _share(self.one_in_other_sure + self.both, self.one + self.other_sure),
            1 - _share(self.other_in_one_sure + self.both, self.other + self.one_sure),
        )

    @property
    def kappa(self) -> float | None:
        """None where the numbers of words are not known."""
        if not self.places:
            return None
        neither = self.places - self.one - self.other + self.both
        observed = (self.both + neither) / self.places
        rest = (self.places - self.one) * (self.places - self.other)
        expected = (self.one * self.other + rest) / self.places**2
        return 1.0 if expected == 1 else (observed - expected) / (1 - expected)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "f1": self.f1, "aer": self.aer, "kappa": self.kappa}


def agreement(
    pairs: Iterable[tuple[GoldAlignment, GoldAlignment, tuple[int, int] | None]],
) -> Agreement:
    """Count both annotators' links of each pair; the last of a triple is its numbers of words, if known."""
    total = [0] * 9
    known = True
    for one, other, lengths in pairs:
        known = known and lengths is not None
        places = lengths[0] * lengths[1] if lengths else 0
        counts = (
            1,
            places,
            len(one.possible),
            len(other.possible),
            len(one.possible & other.possible),
            len(one.sure),
            len(other.sure),
            len(one.possible & other.sure),
            len(other.possible & one.sure),
        )
        total = [before + new for before, new in zip(total, counts, strict=True)]
    if not known:
        total[1] = 0
    return Agreement(*total)


def common(one: GoldAlignment, other: GoldAlignment) -> GoldAlignment:
    """Gold links of two annotators: sure what both call sure, possible what any of them has."""
    return GoldAlignment(one.sure & other.sure, one.possible | other.possible)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
