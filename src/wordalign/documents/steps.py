"""The best way through two texts, step by step, within windows: a dynamic program.

A step takes `a` sentences of the first text and `b` of the second; the steps (a, b) of a group earn what
the caller says, and the steps (1, 0) and (0, 1), which pass over a sentence, cost what the caller says. Row
i stands for i sentences of the first text that are behind, and holds the best sum for each number of
sentences of the second text in its window. Time and memory grow with the windows' areas, one byte of which
is a place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from wordalign.types import Floats

Step: TypeAlias = tuple[int, int]
# For the steps that end with one sentence of the first text: the first of the sentences of the second text at
# which such a step can begin, and what it earns there and at each of the following ones.
Gains: TypeAlias = Callable[[int], Mapping[Step, tuple[int, Floats]]]


class Window(NamedTuple):
    """The places `start` to `end` (not included) of a row."""

    start: int
    end: int


def best_steps(
    n: int, m: int, windows: list[Window], gains: Gains, skip_source: Floats, skip_target: Floats
) -> list[Step]:
    """The steps from the beginning of both texts to their ends that earn most.

    There are n + 1 windows, whose starts and ends never fall; the first holds 0 and the last m.
    """
    rows: list[tuple[int, Floats]] = []
    chosen: list[np.ndarray] = []
    names: list[Step] = [(1, 0), (0, 1)]
    cost = np.concatenate([[0.0], np.cumsum(skip_target)])
    for i in range(n + 1):
        start, end = windows[i]
        best = np.full(end - start, -np.inf)
        which = np.zeros(end - start, dtype=np.uint8)
        if i == 0:
            best[0 - start] = 0.0
        else:
            _offer(best, which, 0, start, rows[-1][0], rows[-1][1] - skip_source[i - 1])
            for step, (first, earned) in gains(i - 1).items():
                a, b = step
                if a > i or not len(earned):
                    continue
                if step not in names:
                    names.append(step)
                before, sums = rows[-a]
                low, high = max(first, before), min(first + len(earned), before + len(sums))
                if low < high:
                    total = sums[low - before : high - before] + earned[low - first : high - first]
                    _offer(best, which, names.index(step), start, low + b, total)
        # Passing over sentences of the second text: the best of all places before, less what lies between.
        along = np.maximum.accumulate(best + cost[start:end]) - cost[start:end]
        passed = along > best + 1e-9
        which[passed] = 1
        best = np.where(passed, along, best)
        rows.append((start, best))
        chosen.append(which)
        if len(rows) > 8:
            rows.pop(0)
    return _traced(n, m, windows, chosen, names)


def _offer(best: Floats, which: np.ndarray, name: int, start: int, first: int, offered: Floats) -> None:
    """Take what is offered from place `first` on wherever it is better than what there is."""
    low, high = max(start, first), min(start + len(best), first + len(offered))
    if low >= high:
        return
    new = offered[low - first : high - first]
    better = new > best[low - start : high - start]
    best[low - start : high - start][better] = new[better]
    which[low - start : high - start][better] = name


def _traced(n: int, m: int, windows: list[Window], chosen: list[np.ndarray], names: list[Step]) -> list[Step]:
    steps: list[Step] = []
    i, j = n, m
    while i or j:
        step = names[chosen[i][j - windows[i].start]] if i else (0, 1)
        steps.append(step)
        i, j = i - step[0], j - step[1]
    return steps[::-1]
