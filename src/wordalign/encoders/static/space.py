"""The way of one language's vectors into the space that two languages share.

First the rows are normalised: unit length, less their mean, unit length again (Artetxe et al. 2018, 3.1).

    (3, 4), (6, 8), (0, 2)  ->  unit (.6, .8), (.6, .8), (0, 1)  ->  less their mean  ->  unit again

The first step makes all words count equally, the second takes away what all of them share, and the third
makes products cosines. Then the rows are multiplied with the matrix that `wordalign vectors map` has learned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordalign.types import Floats, unit_rows

BLOCK_ROWS = 16_384


@dataclass(frozen=True, slots=True, eq=False)
class SpaceMap:
    """Brings vectors of one language into the common space, also those of words that are not in the table."""

    centre: Floats
    matrix: Floats

    def __call__(self, rows: Floats) -> Floats:
        """Map rows of shape (n, d) to rows of shape (n, d)."""
        mapped: Floats = normalise(rows, self.centre) @ self.matrix
        return mapped


def centre_of(matrix: Floats) -> Floats:
    """The mean of the unit rows, computed block by block; its shape is (dimensions,)."""
    total = np.zeros(matrix.shape[1], dtype=np.float64)
    for block in blocks(matrix):
        total += unit_rows(block).sum(axis=0, dtype=np.float64)
    return (total / max(len(matrix), 1)).astype(np.float32)


def normalise(rows: Floats, centre: Floats) -> Floats:
    """Rows of unit length around the centre. A row of zeros stays zero: it says nothing about its word."""
    unit = unit_rows(np.asarray(rows, dtype=np.float32))
    return unit_rows(np.where(unit.any(axis=1, keepdims=True), unit - centre, 0))


def blocks(matrix: Floats) -> Iterator[Floats]:
    for start in range(0, len(matrix), BLOCK_ROWS):
        yield np.asarray(matrix[start : start + BLOCK_ROWS], dtype=np.float32)
