"""Calibrated: links whose probability of being right is high enough.

>>> curve = Calibration((0.0, 0.5, 1.0), (-3.0, 0.0, 3.0))
>>> calibrated(np.array([[0.9, 0.6, 0.1],
...                      [0.1, 0.2, 0.3]]), always=0.5, mutual=0.2, calibration=curve).astype(int)
array([[1, 1, 0],
       [0, 0, 1]])
"""

from __future__ import annotations

import numpy as np

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.links.argmax import argmax
from wordalign.types import Bools, Floats

# No word has more translations in one sentence. Lines of one repeated word (rows of dots, tables of contents)
# would otherwise link every copy with every other: millions of links.
MOST = 32


def calibrated(similarity: Floats, always: float, mutual: float, *, calibration: Calibration) -> Bools:
    """Links that are probably right: above `always`, or mutual best and above `mutual`.

    Each model brings its own values of both, chosen on development sets.

    A[i, j] = 1 iff p(S[i, j]) > always, or argmax links i and j and p(S[i, j]) > mutual, where p is the
    model's calibration. Where more than 32 cells of a row and of a column are above `always`, only those
    count that are among the 32 best of their row or of their column. Shape (m, n), or a zero-padded stack
    (..., m, n).
    """
    if not (0 <= always <= 1 and 0 <= mutual <= 1):
        raise UsageError(f"Probabilities lie between 0 and 1, not always={always} and mutual={mutual}.")
    # The curve rises, so comparing similarities is the same, cheaper, and has no ties where it is flat.
    high = _best_of(similarity, similarity > calibration.similarity_at(always))
    fair = similarity > calibration.similarity_at(mutual)
    links: Bools = np.logical_or(high, argmax(similarity) & fair) & (similarity > 0)
    return links


def _best_of(similarity: Floats, high: Bools) -> Bools:
    """Those of `high` that are among the `MOST` best of their row or column; the first where they tie."""
    if min(high.shape[-2:]) <= MOST or not (high.sum(axis=-1) > MOST).any():
        return high
    among = np.zeros_like(high)
    for axis in (-1, -2):
        best = np.argsort(-similarity, axis=axis, kind="stable").take(np.arange(MOST), axis=axis)
        np.put_along_axis(among, best, True, axis=axis)
    return high & among
