"""Rows of unit length around a common centre: unit, centre, unit (Artetxe et al. 2018, 3.1).

    (3, 4), (6, 8), (0, 2)  ->  unit (.6, .8), (.6, .8), (0, 1)  ->  less their mean  ->  unit again

The first makes all words count equally, the second takes away what all of them share, the third makes
products cosines.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wordalign.links.similarity import unit_rows
from wordalign.types import Floats

BLOCK_ROWS = 16_384


def centre_of(matrix: Floats) -> Floats:
    """The mean of the unit rows, found block by block: shape (dimensions,)."""
    total = np.zeros(matrix.shape[1], dtype=np.float64)
    for block in blocks(matrix):
        total += unit_rows(block).sum(axis=0, dtype=np.float64)
    return (total / max(len(matrix), 1)).astype(np.float32)


def normalise(rows: Floats, centre: Floats) -> Floats:
    """Unit, less the centre, unit. A row of zeros stays zero: it says nothing of its word."""
    unit = unit_rows(np.asarray(rows, dtype=np.float32))
    return unit_rows(np.where(unit.any(axis=1, keepdims=True), unit - centre, 0))


def blocks(matrix: Floats) -> Iterator[Floats]:
    for start in range(0, len(matrix), BLOCK_ROWS):
        yield np.asarray(matrix[start : start + BLOCK_ROWS], dtype=np.float32)
