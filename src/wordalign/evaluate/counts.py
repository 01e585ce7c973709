"""Counts of links, and precision, recall, F1 and AER from them.

With the predicted links A, the sure links S and the possible links P (S ⊆ P) of the whole corpus
(Och and Ney 2003):

    precision = |A ∩ P| / |A|        F1 = 2 precision recall / (precision + recall)
    recall = |A ∩ S| / |S|           AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

A share of nothing is 0: no predicted links have precision 0, and AER is 1 where nothing is predicted and
nothing is sure. So AER = 1 - F1 whenever S = P, without exception.

>>> gold = GoldAlignment(sure=frozenset({(0, 0)}), possible=frozenset({(0, 0), (1, 1)}))
>>> count(gold, [(0, 0), (1, 1), (2, 2)])
Counts(predicted=3, right_possible=2, right_sure=1, sure=1)
>>> score(_).aer
0.25
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np

from wordalign.errors import UsageError
from wordalign.types import Alignment, Floats, GoldAlignment, Ints, Link

Links: TypeAlias = Iterable[Link] | Alignment

METRICS = ("precision", "recall", "f1", "aer")


class Counts(NamedTuple):
    """The four numbers that scores are made of: |A|, |A ∩ P|, |A ∩ S| and |S|. Counts of sentences add up."""

    predicted: int = 0
    right_possible: int = 0
    right_sure: int = 0
    sure: int = 0

    def __add__(self, other: tuple[int, ...]) -> Counts:  # type: ignore[override]
        predicted, right_possible, right_sure, sure = other
        return Counts(
            self.predicted + predicted,
            self.right_possible + right_possible,
            self.right_sure + right_sure,
            self.sure + sure,
        )


class Scores(NamedTuple):
    precision: float
    recall: float
    f1: float
    aer: float


def link_set(links: Links) -> frozenset[Link]:
    """The links as a set, so that a link that is given twice counts once."""
    if isinstance(links, Alignment):
        return frozenset(links.links)
    if isinstance(links, Mapping):
        raise UsageError(f"These are links of several methods ({', '.join(links)}): give those of one.")
    if isinstance(links, str):
        raise UsageError("Links are pairs of numbers; wordalign.io.parse_pharaoh makes them of a text.")
    return frozenset((i, j) for i, j in links)


def count(gold: GoldAlignment, links: Links) -> Counts:
    """The counts of one pair's predicted links against its gold links."""
    found = links if isinstance(links, frozenset) else link_set(links)
    right = found & gold.possible
    right_sure = right if gold.sure is gold.possible else found & gold.sure
    return Counts(len(found), len(right), len(right_sure), len(gold.sure))


def rates(counts: Ints | Floats) -> Floats:
    """Precision, recall, F1 and AER (…, 4) of counts (…, 4), which are in the order of `Counts`."""
    predicted, right_possible, right_sure, sure = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    precision, recall = _share(right_possible, predicted), _share(right_sure, sure)
    f1 = _share(2 * precision * recall, precision + recall)
    aer = 1 - _share(right_sure + right_possible, predicted + sure)
    return np.stack([precision, recall, f1, aer], axis=-1)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def score(counts: Counts) -> Scores:
    return Scores(*map(float, rates(np.array(counts))))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The counts of every sentence, int64 (sentences, 4), in the order of `Counts`."""

    per_sentence: Ints

    @classmethod
    def of(cls, counts: Iterable[Counts]) -> Evaluation:
        return cls.of_several(((one,) for one in counts), 1)[0]

    @classmethod
    def of_several(cls, rows: Iterable[tuple[Counts, ...]], systems: int) -> list[Evaluation]:
        """From the counts that each of several systems has for a sentence, an evaluation of each."""
        flat = np.fromiter(chain.from_iterable(chain.from_iterable(rows)), dtype=np.int64)
        counts = flat.reshape(-1, systems, 4)
        return [cls(counts[:, system]) for system in range(systems)]

    @cached_property
    def counts(self) -> Counts:
        return Counts(*map(int, self.per_sentence.sum(axis=0)))

    @property
    def scores(self) -> Scores:
        return score(self.counts)


def add_up(rows: Iterable[tuple[Counts, ...]], systems: int) -> tuple[int, list[Counts]]:
    """The number of sentences, and the counts of all of them for each system; nothing else is kept."""
    sentences, totals = 0, [Counts()] * systems
    for row in rows:
        sentences += 1
        for system, counts in enumerate(row):
            totals[system] += counts
    return sentences, totals


def evaluate(golds: Iterable[GoldAlignment], predictions: Iterable[Links]) -> Evaluation:
    """Judge a corpus: as many predictions as gold alignments, in the same order.

    A prediction is an `Alignment`, as every aligner gives it, or an iterable of links `(i, j)`.
    """
    try:
        pairs = zip(golds, predictions, strict=True)
        return Evaluation.of(count(gold, links) for gold, links in pairs)
    except ValueError as error:
        if "zip()" not in str(error):
            raise
        raise UsageError("There must be a prediction, if an empty one, for every gold sentence.") from error
