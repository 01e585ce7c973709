"""Where a long pair is cut into bands that fit the page, each a part of both sentences.

A cut should separate few links: the parts of a band are then each other's translation. Bands are chosen one
after the other: of those that fill the page well on one side, the one that holds most words, where a link
that leaves the band costs as much as three.

>>> bands([(0, 0), (1, 1), (2, 2), (3, 3)], widths=([4, 4, 4, 4], [4, 4, 4, 4]), limit=9)
[((0, 2), (0, 2)), ((2, 4), (2, 4))]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np

from wordalign.types import Floats, Link

Span: TypeAlias = tuple[int, int]

COST_OF_A_CUT_LINK = 3
WELL_FILLED = 0.6


def bands(
    links: Collection[Link], widths: tuple[Sequence[float], Sequence[float]], limit: float
) -> list[tuple[Span, Span]]:
    """Spans of source and target words, each no wider than `limit` unless it is a single word."""
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
    """The widths of 0, 1, 2 … words from here that fit; one word always counts as fitting."""
    totals = [0.0]
    for width in widths[begin:]:
        if len(totals) > 1 and totals[-1] + width > limit:
            break
        totals.append(totals[-1] + width)
    return np.array(totals)


def _best(links: Collection[Link], fitting: tuple[Floats, Floats], limit: float) -> Link:
    """How many words of each side the next band takes; links and counts start at the band."""
    height, width = len(fitting[0]), len(fitting[1])
    inside = np.zeros((height, width), dtype=np.int64)
    from_source, to_target = np.zeros(height, dtype=np.int64), np.zeros(width, dtype=np.int64)
    for i, j in links:  # [i, j] of the sums: what lies within the first i and the first j words
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
