"""Links against gold links, as a result keeps them: scores, and the counts they were made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from wordalign.evaluate import METRICS, Counts, Evaluation, evaluate, score
from wordalign.types import GoldAlignment, Link


@dataclass(frozen=True, eq=False)
class Found:
    """The links of every sentence of a set, by one system with one setting."""

    links: tuple[frozenset[Link], ...]
    signature: str

    def against(self, golds: Iterable[GoldAlignment]) -> Evaluation:
        return evaluate(golds, self.links)


def scores_of(counts: Counts) -> dict[str, Any]:
    """`{"precision": .., "recall": .., "f1": .., "aer": .., "counts": [|A|, |A∩P|, |A∩S|, |S|]}`."""
    values = score(counts)
    return {
        **{metric: round(getattr(values, metric), 5) for metric in METRICS},
        "counts": [int(number) for number in counts],
    }
