"""Probabilities of cells -> the two thresholds with the best mean score over development sets. numpy only.

A cell is linked if its probability is above `always`, or if it is the best of its row and of its column and
above `mutual`. Sets of which only some words were labelled (silver) do not count: recall alone would lower
every threshold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wordalign.encoders.onnx_file import Array

ALWAYS = np.round(np.arange(0.1, 0.91, 0.02), 3)
MUTUAL = np.round(np.arange(0.02, 0.91, 0.02), 3)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """All cells of a set that may be linked, and the number of its sure links; arrays (cells,)."""

    chance: Array
    mutual: Array
    sure: Array
    possible: Array
    sure_links: int

    def linked(self, always: float, mutual: float) -> Array:
        return (self.chance > always) | (self.mutual & (self.chance > mutual))

    def accuracy(self, always: float, mutual: float) -> float:
        """1 - AER."""
        made = self.linked(always, mutual)
        right = self.sure[made].sum() + self.possible[made].sum()
        return float(right / max(made.sum() + self.sure_links, 1))


def _above(values: Array, amounts: Array, thresholds: Array) -> Array:
    """Sums of amounts (cells, kinds) over the cells above each threshold, (thresholds, kinds)."""
    order = np.argsort(values)
    sums = np.concatenate((np.zeros((1, amounts.shape[1])), np.cumsum(amounts[order], axis=0)))
    found: Array = sums[-1] - sums[np.searchsorted(values[order], thresholds, side="right")]
    return found


def grid(cells: Cells) -> Array:
    """1 - AER for every pair of thresholds, (ALWAYS, MUTUAL)."""
    amounts = np.stack((np.ones_like(cells.chance), cells.sure + cells.possible), axis=1).astype(np.float64)
    best = cells.mutual
    others = _above(cells.chance[~best], amounts[~best], ALWAYS)[:, None, :]
    lower = np.minimum(MUTUAL[None, :], ALWAYS[:, None])
    mutual = _above(cells.chance[best], amounts[best], lower.reshape(-1)).reshape(*lower.shape, 2)
    made = others + mutual
    found: Array = made[..., 1] / np.maximum(made[..., 0] + cells.sure_links, 1)
    return found


def choose_thresholds(sets: Mapping[str, Cells]) -> tuple[float, float]:
    """(always, mutual) with the best mean over the sets."""
    mean = np.mean([grid(cells) for cells in sets.values()], axis=0)
    a, m = np.unravel_index(int(mean.argmax()), mean.shape)
    return float(ALWAYS[a]), float(min(MUTUAL[m], ALWAYS[a]))
