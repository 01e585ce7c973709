"""Matrices that may be larger than memory, in a file without a name."""

from __future__ import annotations

import tempfile

import numpy as np


def scratch_matrix(rows: int, columns: int) -> np.memmap:
    """A float32 matrix of zeros in a temporary file, which is gone as soon as nobody uses it."""
    if rows * columns == 0:
        return np.zeros((rows, columns), dtype=np.float32)  # type: ignore[return-value]
    with tempfile.TemporaryFile() as stream:
        return np.memmap(stream, np.float32, "w+", shape=(rows, columns))
