"""Two spaces -> the dictionary they imply: each word's nearest word of the other language, both ways.

Nearness is CSLS (Conneau et al. 2018): cos(x, z) less half the mean cosine of z to its k nearest x, and
of x to its k nearest z, which keeps words that lie near everything from being everyone's translation.
With `keep` below 1 each cell of the matrix counts only with that probability: a random jolt out of poor
solutions (Artetxe et al. 2018, 3.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordalign.types import Ints
from wordalign.vectors.map.arrays import Array, Arrays


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """Word numbers that are translations: `source[k]` and `target[k]`."""

    source: Ints
    target: Ints

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class Induced:
    """`forward[i]` is the word of source word i, `backward[j]` that of target word j.

    `similarity` is the mean cosine of all words of both languages to their nearest word.
    """

    forward: Ints
    backward: Ints
    similarity: float

    @property
    def union(self) -> Dictionary:
        """Both directions together; a pair that both found counts twice."""
        return Dictionary(
            np.concatenate([np.arange(len(self.forward)), self.backward]),
            np.concatenate([self.forward, np.arange(len(self.backward))]),
        )

    @property
    def mutual(self) -> Dictionary:
        """The pairs that both directions found."""
        source = np.flatnonzero(self.backward[self.forward] == np.arange(len(self.forward)))
        return Dictionary(source, self.forward[source])


def induce(x: Array, z: Array, arrays: Arrays, k: int = 10, keep: float = 1.0) -> Induced:
    """The dictionary of unit rows, (n, d) and (m, d). The (n, m) matrix is computed in blocks of rows."""
    matrix = _Blocks(x, z, arrays)
    near_x, near_z, similarity = _neighbourhoods(matrix, arrays, k)
    forward = []
    backward = np.zeros(len(z), dtype=np.intp)
    height = np.full(len(z), -np.inf)
    for start, block in matrix:
        places, _ = arrays.best(arrays.drop(block - near_z[None, :] / 2, keep))
        forward.append(arrays.get(places))
        columns = arrays.transposed(block) - near_x[None, start : start + len(block)] / 2
        places, values = map(arrays.get, arrays.best(arrays.drop(columns, keep)))
        backward = np.where(values > height, places + start, backward)
        height = np.maximum(values, height)
    return Induced(np.concatenate(forward), backward, similarity)


def _neighbourhoods(matrix: _Blocks, arrays: Arrays, k: int) -> tuple[Array, Array, float]:
    """The mean cosine of every x to its k nearest z, of every z likewise, and the mean of the highest."""
    tops_x: list[Array] = []
    tops_z: list[Array] = []
    for _, block in matrix:
        tops_x.append(arrays.top(block, k))
        here = arrays.top(arrays.transposed(block), k)
        tops_z = [arrays.top(arrays.join([*tops_z, here], axis=1), k)]
    of_x, of_z = arrays.join(tops_x), tops_z[0]
    similarity = (float(of_x[:, 0].mean()) + float(of_z[:, 0].mean())) / 2
    return of_x.mean(axis=1), of_z.mean(axis=1), similarity


class _Blocks:
    """Blocks of rows of x zᵀ with the number of their first row; a single block is computed only once."""

    def __init__(self, x: Array, z: Array, arrays: Arrays) -> None:
        self._x, self._z = x, z
        self._rows = max(1, arrays.block_cells // len(z))
        self._whole = x @ z.T if self._rows >= len(x) else None

    def __iter__(self) -> Iterator[tuple[int, Array]]:
        if self._whole is not None:
            yield 0, self._whole
            return
        for start in range(0, len(self._x), self._rows):
            yield start, self._x[start : start + self._rows] @ self._z.T
