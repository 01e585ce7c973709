"""Vectors -> similarity matrix, and the distortion that pulls it towards the diagonal."""

from __future__ import annotations

import numpy as np

from wordalign.encoders.base import unit_rows as unit_rows
from wordalign.errors import UsageError
from wordalign.types import Encoding, Floats, Ints


def word_means(encoding: Encoding) -> Encoding:
    """One row a word: the mean of its subwords. Words without a subword still have no row."""
    word_of_row = encoding.word_of_row
    starts = np.flatnonzero(np.diff(word_of_row, prepend=-1))
    if len(starts) == len(word_of_row):
        return encoding
    sums = np.add.reduceat(encoding.vectors, starts, axis=0)
    counts = np.diff(np.append(starts, len(word_of_row)))
    groups = None if encoding.group_of_row is None else encoding.group_of_row[starts]
    return Encoding(sums / counts[:, None].astype(sums.dtype), word_of_row[starts], groups)


def cosine_similarity(source: Floats, target: Floats) -> Floats:
    """Cosine brought to [0, 1]: S[i, j] = (cos(source[i], target[j]) + 1) / 2.

    Shapes (m, d) and (n, d) of unit rows -> (m, n).
    """
    similarity = source @ target.T
    # In place: for two lines of 10,000 words every copy would take 400 MB.
    similarity += 1
    similarity /= 2
    return np.clip(similarity, 0, 1, out=similarity)


def distortion(m: int, n: int, kappa: float = 0.5) -> Floats:
    """P[i, j] = 1 - kappa (i/m - j/n)^2, to be multiplied onto the similarity matrix (paper, 2.2).

    Positions count from 0, so that the first words of both sides are exactly level.
    """
    if not 0 <= kappa <= 1:
        raise UsageError(f"The distortion's kappa lies between 0 and 1, not {kappa}.")
    rows: Ints = np.arange(m)
    columns: Ints = np.arange(n)
    return 1 - kappa * (rows[:, None] / max(m, 1) - columns[None, :] / max(n, 1)) ** 2
