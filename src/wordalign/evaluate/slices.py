"""Counts by a property of the links: every link, predicted, sure or possible, falls in some slices.

>>> gold = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))
>>> count_slices(gold, [(0, 0), (0, 1)], lambda link: ["same"] if link[0] == link[1] else ["other"])["other"]
Counts(predicted=1, right_possible=0, right_sure=0, sure=0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from wordalign.evaluate.counts import Counts, Links, link_set
from wordalign.types import GoldAlignment, Link

SlicesOf: TypeAlias = Callable[[Link], Iterable[str]]


def count_slices(gold: GoldAlignment, links: Links, slices_of: SlicesOf) -> dict[str, Counts]:
    """The counts of one pair in every slice that one of its links falls in."""
    found = link_set(links)
    totals: dict[str, list[int]] = {}
    for link in found | gold.sure:
        sure = link in gold.sure
        predicted = link in found
        row = (predicted, predicted and link in gold.possible, predicted and sure, sure)
        for name in slices_of(link):
            total = totals.setdefault(name, [0, 0, 0, 0])
            for place, one in enumerate(row):
                total[place] += one
    return {name: Counts(*total) for name, total in totals.items()}


def add_slices(totals: dict[str, Counts], more: Mapping[str, Counts]) -> None:
    """Add the counts of a pair to those of the corpus, in place."""
    for name, counts in more.items():
        totals[name] = totals.get(name, Counts()) + counts
