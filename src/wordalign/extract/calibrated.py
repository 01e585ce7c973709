"""Calibrated: links whose probability of being right is high enough.

>>> curve = Calibration((0.0, 0.5, 1.0), (-3.0, 0.0, 3.0))
>>> calibrated(np.array([[0.9, 0.6, 0.1],
...                      [0.1, 0.2, 0.3]]), always=0.5, mutual=0.2, calibration=curve).astype(int)
array([[1, 1, 0],
       [0, 0, 1]])
"""

from __future__ import annotations

import numpy as np

from wordalign.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.extract.argmax import argmax
from wordalign.types import Bools, Floats


def calibrated(
    similarity: Floats, always: float = 0.5, mutual: float = 0.1, *, calibration: Calibration
) -> Bools:
    """Links that are probably right: above `always`, or mutual best and above `mutual`.

    A[i, j] = 1 iff p(S[i, j]) > always, or argmax links i and j and p(S[i, j]) > mutual, where p is the
    model's calibration. Shape (m, n), or a zero-padded stack (..., m, n).
    """
    if not (0 <= always <= 1 and 0 <= mutual <= 1):
        raise UsageError(f"Probabilities lie between 0 and 1, not always={always} and mutual={mutual}.")
    # The curve rises, so comparing similarities is the same, cheaper, and has no ties where it is flat.
    high = similarity > calibration.similarity_at(always)
    fair = similarity > calibration.similarity_at(mutual)
    links: Bools = np.logical_or(high, argmax(similarity) & fair) & (similarity > 0)
    return links
