"""Itermax: argmax again and again, favouring the words that have no link yet.

>>> similarity = np.array([[0.9, 0.8, 0.1],
...                        [0.2, 0.1, 0.7]])
>>> itermax(similarity, n_max=1).astype(int)
array([[1, 0, 0],
       [0, 0, 1]])
>>> itermax(similarity, n_max=2).astype(int)      # column 1 was free: its 0.8 counts 0.8 * alpha
array([[1, 1, 0],
       [0, 0, 1]])
"""

from __future__ import annotations

import numpy as np

from wordalign.errors import UsageError
from wordalign.links.argmax import argmax
from wordalign.types import Bools, Floats


def itermax(similarity: Floats, n_max: int = 2, alpha: float = 0.9) -> Bools:
    """Argmax `n_max` times, where a word that has a link counts `alpha` for a further one.

    Algorithm 1 of Jalili Sabet et al. 2020, on (m, n) or a zero-padded stack (..., m, n):
    A = 0; then `n_max` times A += argmax(S * M), where M[i, j] is
    1 if neither row i nor column j has a link, 0 if both have, `alpha` if one has.
    `n_max` = 1 is plain argmax.
    """
    if n_max < 1 or not 0 <= alpha <= 1:
        raise UsageError(f"itermax needs n_max >= 1 and alpha between 0 and 1, not {n_max} and {alpha}.")
    kind = similarity.dtype.type
    links = argmax(similarity)
    for _ in range(n_max - 1):
        row_linked = links.any(axis=-1, keepdims=True)
        column_linked = links.any(axis=-2, keepdims=True)
        weight = np.where(row_linked | column_linked, kind(alpha), kind(1))
        weight[row_linked & column_linked] = 0
        weight *= similarity
        added = argmax(weight)
        if not added.any():
            break
        links |= added
    return links
