"""Scores of matrices of any size, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.encoders import calibration as calibration_module
from wordalign.encoders.calibration import Calibration

CURVE = Calibration(8.0, -2.0, (-4.0, 4.0), (-4.0, 4.0), sharpness=10.0, larger=0.7, smaller=0.4)


def by_definition(similarity: np.ndarray) -> np.ndarray:
    """Cell by cell, as the module's docstring says."""
    score = np.full(similarity.shape, -np.inf)
    for matrix, row, column in zip(*np.nonzero(similarity > 0), strict=True):
        found = similarity[matrix]
        sharp = np.where(found > 0, np.exp(CURVE.sharpness * (2 * found - 1.0)), 0)
        shares = [np.log(sharp[row, column] / line.sum()) for line in (sharp[row], sharp[:, column])]
        cosine = 2 * found[row, column] - 1.0
        competition = CURVE.larger * max(shares) + CURVE.smaller * min(shares)
        score[matrix, row, column] = CURVE.scale * cosine + CURVE.bias + competition
    return score


@pytest.mark.parametrize("part_cells", [1, 7, 1 << 22])
@given(
    st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 6)), st.integers(0, 1000), st.floats(0, 1)
)
def test_scores_are_those_of_the_definition_in_parts_of_any_size(part_cells, shape, seed, absent):
    dice = np.random.default_rng(seed)
    similarity = dice.random(shape)
    similarity[dice.random(shape) < absent] = 0
    whole = CURVE.score(similarity)
    np.testing.assert_allclose(whole, by_definition(similarity), atol=1e-5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calibration_module, "PART_CELLS", part_cells)
        assert np.array_equal(CURVE.score(similarity), whole)
