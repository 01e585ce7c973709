"""Gold links on disk, and how right other links are.

alignment matrix (English words, other words) -> links -> precision, recall, F1, AER
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordalign.evaluate import evaluate
from wordalign.types import GoldAlignment

Links = set[tuple[int, int]]


@dataclass(frozen=True, slots=True, eq=False)
class GoldSet:
    """Sentences and links of one set. `silver`: only the labelled English words count."""

    name: str
    english: list[list[str]]
    other: list[list[str]]
    sure: list[Links]
    possible: list[Links]

    @property
    def links(self) -> list[GoldAlignment]:
        return list(map(GoldAlignment, map(frozenset, self.sure), map(frozenset, self.possible)))

    @property
    def silver(self) -> bool:
        """Only some words are labelled: recall can be measured, precision not."""
        return self.name.endswith("silver")

    @property
    def complete(self) -> bool:
        """Whether a link that is missing is wrong. Links that were joined over a third language lack many."""
        return not self.name.endswith(("silver", "composed"))

    def take(self, numbers: Sequence[int]) -> GoldSet:
        """Only these sentences."""
        lists = (self.english, self.other, self.sure, self.possible)
        return GoldSet(self.name, *([part[number] for number in numbers] for part in lists))  # type: ignore[arg-type]

    def finished(self) -> list[int]:
        """The sentences whose links look finished; all, where both sides are of one language.

        Makers of gold links sometimes stop halfway, or miscount the words. Then names, numbers and marks that
        stand exactly once on each side have no link with each other.
        """
        first, second = self.name.split(".")[0].split("-")
        if first == second:
            return list(range(len(self.english)))
        sides = zip(self.english, self.other, self.possible, strict=True)
        return [
            number
            for number, (words, others, links) in enumerate(sides)
            if all(
                (words.index(word), others.index(word)) in links
                for word in set(words) & set(others)
                if words.count(word) == others.count(word) == 1
            )
        ]


def read_gold(folder: Path) -> GoldSet:
    """Read a folder `a-b.name`: `a.txt`, `b.txt` and `gold.txt` (`i-j` sure, `ipj` possible, from 0, `a`
    first).

    Two sentences of one language are in `a1.txt` and `a2.txt`.
    """
    first, second = folder.name.split(".")[0].split("-")
    if first == second:
        first, second = f"{first}1", f"{second}2"
    left, right, gold = (
        (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in (first, second, "gold")
    )
    sure, possible = [], []
    for line in gold:
        links = [(token.replace("p", "-").split("-"), "-" in token) for token in line.split()]
        possible.append({(int(i), int(j)) for (i, j), _ in links})
        sure.append({(int(i), int(j)) for (i, j), certain in links if certain})
    return GoldSet(folder.name, [s.split() for s in left], [s.split() for s in right], sure, possible)


def read_sets(folder: Path) -> list[GoldSet]:
    """All gold sets of a folder, by name."""
    return [read_gold(part) for part in sorted(folder.iterdir()) if (part / "gold.txt").exists()]


def links_of(alignment: np.ndarray) -> Links:
    """The alignment matrix that `wordalign.links` gives, bool (English words, other words) -> its links."""
    return {(int(i), int(j)) for i, j in np.argwhere(alignment)}


def score_links(gold: GoldSet, links: list[Links]) -> dict[str, float]:
    """Precision, recall, F1 and AER; for a silver set `right`, the share of labelled English words right."""
    if gold.silver:
        right = total = 0
        for found, sure in zip(links, gold.sure, strict=True):
            for i in {i for i, _ in sure}:
                total += 1
                right += bool({link for link in found if link[0] == i} & sure)
        return {"right": right / max(total, 1)}
    return evaluate(gold.links, links).scores._asdict()
