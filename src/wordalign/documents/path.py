"""Vectors of sentences -> roughly which part of a text belongs to which part of the other, in linear time.

As in Vecalign (Thompson and Koehn 2019): neighbours are added up two by two until a few hundred vectors are
left of each text, the best path through these is found, and then refined level by level, each time only
near the path of the level above. A step of a path takes a sentence of both texts, which earns what their
vectors have in common, or passes over one of either text, which costs nothing: so pages that only one of
the texts has are passed over.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordalign.documents.steps import Window, best_steps
from wordalign.types import Floats, Ints, unit_rows

COARSEST = 300  # vectors of a text at the level where every pair is looked at
RADIUS = 10  # how far around the path of the level above a path is looked for
# What two sentences must have in common beyond that which sentences of these texts have anyway.
LEAST = 0.1
SAMPLE = 1000  # sentences of the other text by which that is found out
NEAREST = 4


class Path(NamedTuple):
    """For each sentence of the first text, the sentence of the other at its side, -1 for none, and how
    alike."""

    partner: Ints
    similarity: Floats


def rough_path(source: Floats, target: Floats) -> Path:
    """The best path through the vectors of two texts, shapes (n, d) and (m, d)."""
    levels = [(source, target)]
    while max(len(levels[-1][0]), len(levels[-1][1])) > COARSEST:
        levels.append((_halved(levels[-1][0]), _halved(levels[-1][1])))
    path: Path | None = None
    for one, other in reversed(levels):
        if path is None:
            windows = [Window(0, len(other) + 1)] * (len(one) + 1)
        else:
            windows = windows_around(path.partner, len(one), len(other), RADIUS, halved=True)
        path = _best(one, other, windows)
    assert path is not None
    return path


def windows_around(partner: Ints, n: int, m: int, radius: int, *, halved: bool = False) -> list[Window]:
    """The places near a path: for each of 0 to n sentences of one text, how many of the other may be passed.

    With `halved` the path is that of vectors which stand for two sentences each.
    """
    scale = 2 if halved else 1
    matched = partner >= 0
    rows = np.flatnonzero(matched) * scale
    columns = partner[matched] * scale
    # The path goes through the corners, and, between two pairs, through all places from one to the other.
    rows = np.concatenate([[0], np.minimum(rows, n), [n]])
    columns = np.concatenate([[0], np.minimum(columns, m), [m]])
    after = np.searchsorted(rows, np.arange(n + 1), side="left")
    before = np.searchsorted(rows, np.arange(n + 1), side="right") - 1
    low, high = columns[before], columns[after]
    low, high = np.minimum(low, high), np.maximum(low, high)
    reach = radius * scale
    low = np.maximum.accumulate(np.maximum(low[np.maximum(np.arange(n + 1) - reach, 0)] - reach, 0))
    high = np.maximum.accumulate(np.minimum(high[np.minimum(np.arange(n + 1) + reach, n)] + reach, m))
    return [Window(a, b + 1) for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _halved(vectors: Floats) -> Floats:
    if len(vectors) % 2:
        vectors = np.concatenate([vectors, np.zeros((1, vectors.shape[1]), dtype=vectors.dtype)])
    return unit_rows(vectors[0::2] + vectors[1::2])


def _best(source: Floats, target: Floats, windows: list[Window]) -> Path:
    usual_source, usual_target = usual_similarity(source, target), usual_similarity(target, source)

    def gains(row: int) -> dict[tuple[int, int], tuple[int, Floats]]:
        start, end = windows[row].start, windows[row + 1].end - 1
        alike = target[start:end] @ source[row]
        return {(1, 1): (start, alike - (usual_source[row] + usual_target[start:end]) / 2 - LEAST)}

    partner = np.full(len(source), -1, dtype=np.int64)
    similarity = np.zeros(len(source), dtype=np.float32)
    i = j = 0
    for a, b in best_steps(
        len(source), len(target), windows, gains, np.zeros(len(source)), np.zeros(len(target))
    ):
        if a == b == 1:
            partner[i], similarity[i] = j, float(source[i] @ target[j])
        i, j = i + a, j + b
    return Path(partner, similarity)


def usual_similarity(source: Floats, target: Floats) -> Floats:
    """How similar each source is to the nearest of a sample of targets but for the very nearest, (n,)."""
    sample = target[:: max(1, len(target) // SAMPLE)]
    if len(sample) <= NEAREST + 1:
        return np.zeros(len(source), dtype=np.float32)
    usual = np.empty(len(source), dtype=np.float32)
    for start in range(0, len(source), SAMPLE):
        alike = source[start : start + SAMPLE] @ sample.T
        nearest = np.partition(alike, -NEAREST - 1, axis=1)[:, -NEAREST - 1 :]
        usual[start : start + SAMPLE] = (nearest.sum(axis=1) - nearest.max(axis=1)) / NEAREST
    return usual


def cuts(path: Path, apart: int) -> list[tuple[int, int]]:
    """Where both texts can be cut, so that each part can be aligned on its own: sentences before each cut.

    A cut lies behind a pair that is surely right, as are the pairs before and behind it, with nothing between
    them. Cuts are at least `apart` sentences of each text from each other.
    """
    partner, matched = path.partner, path.partner >= 0
    if not matched.any():
        return []
    sure = matched & (path.similarity >= np.median(path.similarity[matched]))
    beside = sure[1:] & sure[:-1] & (partner[1:] == partner[:-1] + 1)
    found: list[tuple[int, int]] = []
    last = (0, 0)
    for i in np.flatnonzero(beside[1:] & beside[:-1]).tolist():
        here = (i + 2, int(partner[i + 1]) + 1)
        if min(here[0] - last[0], here[1] - last[1]) >= apart:
            found.append(here)
            last = here
    return found
