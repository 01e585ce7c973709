"""Calibrated: links whose probability of being right is high enough.

>>> curve = Calibration(scale=6.0, bias=0.0, scores=(-6.0, 6.0), log_odds=(-6.0, 6.0))
>>> calibrated(np.array([[0.9, 0.6, 0.1],
...                      [0.1, 0.2, 0.4]]), always=0.5, mutual=0.2, calibration=curve).astype(int)
array([[1, 1, 0],
       [0, 0, 1]])
"""

from __future__ import annotations

import numpy as np

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.links.argmax import mutual_best
from wordalign.types import Bools, Floats

# No word has more translations in one sentence. Lines of one repeated word (rows of dots, tables of contents)
# would otherwise link every copy with every other: millions of links.
MOST = 32


def calibrated(
    similarity: Floats,
    always: float,
    mutual: float,
    *,
    calibration: Calibration,
    score: Floats | None = None,
) -> Bools:
    """Links that are probably right: above `always`, or mutual best and above `mutual`.

    Each model brings its own values of both, chosen on development sets.

    A[i, j] = 1 iff p(i, j) > always, or no other cell of row i and of column j has a higher score and
    p(i, j) > mutual, where p is the probability that the model's calibration gives. Where more than 32
    cells of a row and of a column are above `always`, only those count that are among the 32 best of their
    row or of their column. Shape (m, n), or a zero-padded stack (..., m, n). `score` is what the calibration
    says of the same matrices, where it has been asked already.
    """
    if not (0 <= always <= 1 and 0 <= mutual <= 1):
        raise UsageError(f"Probabilities lie between 0 and 1, not always={always} and mutual={mutual}.")
    # Probabilities rise with scores, so comparing scores is the same, cheaper, and has no ties where they
    # are flat.
    if score is None:
        score = calibration.score(similarity)
    high = _best_of(score, score > calibration.score_at(always))
    # No cell that is not there has a score above anything.
    links: Bools = high | (mutual_best(score) & (score > calibration.score_at(mutual)))
    return links


def _best_of(score: Floats, high: Bools) -> Bools:
    """Those of `high` that are among the `MOST` best of their row or column; the first where they tie."""
    if min(high.shape[-2:]) <= MOST or not (high.sum(axis=-1) > MOST).any():
        return high
    among = np.zeros_like(high)
    for axis in (-1, -2):
        best = np.argsort(-score, axis=axis, kind="stable").take(np.arange(MOST), axis=axis)
        np.put_along_axis(among, best, True, axis=axis)
    return high & among
