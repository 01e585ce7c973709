"""Argmax: link two words that are each other's most similar word.

>>> argmax(np.array([[0.9, 0.1, 0.2],
...                  [0.8, 0.3, 0.7],      # prefers column 0, which prefers row 0: no link
...                  [0.1, 0.6, 0.2]])).astype(int)
array([[1, 0, 0],
       [0, 0, 0],
       [0, 1, 0]])

All functions here take a similarity matrix of shape (m, n), or any stack of them of shape (..., m, n)
padded with zeros, and return the binary alignment matrix A of the same shape. Similarities are not
negative, so padding never wins against a real cell: a zero-padded stack gives the same links as its
matrices one by one.
"""

from __future__ import annotations

import numpy as np

from wordalign.types import Bools, Floats


def forward(similarity: Floats) -> Bools:
    """A link from every source word to its most similar target word.

    A[i, j] = 1 iff j = argmax_l S[i, l].
    Ties take the smaller index; a row or column of zeros gives no link.
    """
    return _best(similarity, axis=-1) & (similarity > 0)


def reverse(similarity: Floats) -> Bools:
    """A link from every target word to its most similar source word.

    A[i, j] = 1 iff i = argmax_l S[l, j].
    Ties take the smaller index; a row or column of zeros gives no link.
    """
    return _best(similarity, axis=-2) & (similarity > 0)


def argmax(similarity: Floats) -> Bools:
    """Links between words that are each other's most similar word.

    A[i, j] = 1 iff (i = argmax_l S[l, j]) and (j = argmax_l S[i, l]).
    Ties take the smaller index; a row or column of zeros gives no link (Jalili Sabet et al. 2020, 2.1).
    """
    return mutual_best(similarity) & (similarity > 0)


def mutual_best(values: Floats) -> Bools:
    """Cells that no other cell of their row and of their column exceeds; the first of those that tie."""
    return _best(values, axis=-1) & _best(values, axis=-2)


def _best(similarity: Floats, axis: int) -> Bools:
    chosen = np.zeros(similarity.shape, dtype=np.bool_)
    if similarity.size:
        np.put_along_axis(chosen, np.expand_dims(similarity.argmax(axis), axis), True, axis)
    return chosen
