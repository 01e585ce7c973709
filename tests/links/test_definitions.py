"""The fast functions against literal, slow transcriptions of the paper's definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.links import argmax, calibrated, drop_null, forward, itermax, link_entropy, match, reverse
from wordalign.links.similarity import distortion

# Few distinct values make ties, zeros and zero rows common; many make the usual case.
CELLS = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1, width=32, allow_subnormal=False)
)


def matrices(most: int = 7) -> st.SearchStrategy[np.ndarray]:
    shapes = st.tuples(st.integers(1, most), st.integers(1, most))
    return hnp.arrays(np.float32, shapes, elements=CELLS)


def first_argmax(values: list[float]) -> int:
    best = 0
    for index, value in enumerate(values):
        if value > values[best]:
            best = index
    return best


def slow_forward(s: np.ndarray) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i in range(s.shape[0])
        for j in range(s.shape[1])
        if j == first_argmax(list(s[i])) and s[i].any()
    }


def slow_argmax(s: np.ndarray) -> set[tuple[int, int]]:
    return {
        (i, j)
        for i in range(s.shape[0])
        for j in range(s.shape[1])
        if i == first_argmax(list(s[:, j])) and j == first_argmax(list(s[i])) and s[i].any() and s[:, j].any()
    }


def slow_itermax(s: np.ndarray, n_max: int, alpha: float) -> set[tuple[int, int]]:
    m, n = s.shape
    a = np.zeros((m, n), dtype=int)
    for _ in range(n_max):
        mask = np.zeros((m, n), dtype=s.dtype)
        for i, j in itertools.product(range(m), range(n)):
            counts = (a[:, j].sum(), a[i, :].sum())
            mask[i, j] = 1 if max(counts) == 0 else 0 if min(counts) > 0 else alpha
        for i, j in slow_argmax(s * mask):
            a[i, j] += 1
    return links_of(a > 0)


def slow_matchings(m: int, n: int) -> list[list[tuple[int, int]]]:
    if m <= n:
        return [list(enumerate(columns)) for columns in itertools.permutations(range(n), m)]
    return [[(i, j) for j, i in matching] for matching in slow_matchings(n, m)]


def links_of(a: np.ndarray) -> set[tuple[int, int]]:
    return set(zip(*(index.tolist() for index in np.nonzero(a)), strict=True))


@given(matrices())
def test_argmax_is_the_papers(s):
    assert links_of(argmax(s)) == slow_argmax(s)


@given(matrices())
def test_forward_and_reverse_are_its_two_directions(s):
    assert links_of(forward(s)) == slow_forward(s)
    assert links_of(reverse(s)) == {(i, j) for j, i in slow_forward(s.T)}
    assert (argmax(s) == (forward(s) & reverse(s))).all()


@given(matrices(), st.integers(1, 4), st.sampled_from([0.0, 0.5, 0.9, 0.95, 1.0]))
def test_itermax_is_algorithm_1(s, n_max, alpha):
    assert links_of(itermax(s, n_max, alpha)) == slow_itermax(s, n_max, alpha)


@given(matrices())
def test_one_round_of_itermax_is_argmax_and_more_rounds_only_add(s):
    assert (itermax(s, n_max=1) == argmax(s)).all()
    assert (itermax(s, n_max=2) >= argmax(s)).all()
    assert (itermax(s, n_max=3) >= itermax(s, n_max=2)).all()


@given(matrices(most=5))
def test_match_is_the_heaviest_matching_and_is_maximal(s):
    links = match(s)
    assert links.sum(axis=0).max(initial=0) <= 1
    assert links.sum(axis=1).max(initial=0) <= 1
    heaviest = max(sum(float(s[i, j]) for i, j in matching) for matching in slow_matchings(*s.shape))
    assert s.astype(float)[links].sum() == pytest.approx(heaviest, abs=1e-6)
    free = ~links.any(axis=1)[:, None] & ~links.any(axis=0)[None, :]
    assert not (free & (s > 0)).any()
    assert (s[links] > 0).all()


CURVES = (
    Calibration(8.0, -1.0, (-9.0, -3.0, 1.0, 7.0), (-4.0, -3.0, 0.5, 4.0)),
    Calibration(
        6.0, 0.5, (-30.0, -3.0, 1.0, 7.0), (-9.0, -3.0, 0.5, 4.0), sharpness=12.0, larger=0.4, smaller=1.1
    ),
)


def slow_score(s: np.ndarray, curve: Calibration, i: int, j: int) -> float:
    """A cell's score as the module defines it, one number at a time."""
    cosine = 2 * s.astype(float) - 1

    def share(line: np.ndarray, similarities: np.ndarray) -> float:
        total = sum(
            math.exp(curve.sharpness * x) for x, known in zip(line, similarities, strict=True) if known > 0
        )
        return curve.sharpness * cosine[i, j] - math.log(total)

    row, column = share(cosine[i], s[i]), share(cosine[:, j], s[:, j])
    own = curve.scale * cosine[i, j] + curve.bias
    return own + curve.larger * max(row, column) + curve.smaller * min(row, column)


@pytest.mark.parametrize("curve", CURVES, ids=["cosine", "competition"])
@given(s=matrices())
def test_scores_are_cosines_and_shares_of_rows_and_columns(curve, s):
    score = curve.score(s)
    for i, j in itertools.product(*map(range, s.shape)):
        expected = slow_score(s, curve, i, j) if s[i, j] > 0 else -math.inf
        assert score[i, j] == pytest.approx(expected, abs=2e-6)
    padded = np.zeros((2, s.shape[0] + 3, s.shape[1] + 2), np.float32)
    padded[1, : s.shape[0], : s.shape[1]] = s
    assert (curve.score(padded)[1, : s.shape[0], : s.shape[1]] == score).all()


@pytest.mark.parametrize("curve", CURVES, ids=["cosine", "competition"])
@given(s=matrices(), always=st.floats(0.05, 0.95), mutual=st.floats(0.05, 0.95))
def test_calibrated_is_above_one_bound_or_mutual_best_above_another(curve, s, always, mutual):
    links = calibrated(s, always, mutual, calibration=curve)
    chance, score = curve(s), curve.score(s)
    best = slow_argmax(np.where(s > 0, score + 1000, 0))
    for i, j in itertools.product(*map(range, s.shape)):
        if min(abs(chance[i, j] - always), abs(chance[i, j] - mutual)) < 1e-6:
            continue
        wanted = chance[i, j] > always or ((i, j) in best and chance[i, j] > mutual)
        assert links[i, j] == (wanted and s[i, j] > 0)


def test_a_sentence_against_its_copy_links_each_word_once():
    """All words are alike, but each has one that is most alike."""
    s = np.full((8, 8), 0.85, np.float32) + np.eye(8, dtype=np.float32) * 0.15
    flooding, competing = (
        calibrated(s, 0.5, 0.5, calibration=Calibration(16.0, -5.0, (-30.0, 30.0), (-30.0, 30.0), *more))
        for more in ((), (25.0, 0.4, 1.1))
    )
    assert flooding.all()
    assert (competing == np.eye(8, dtype=bool)).all()


@pytest.mark.parametrize("shape", [(40, 50), (2, 45, 36), (300, 20)])
def test_calibrated_bounds_the_links_of_lines_that_repeat_one_word(shape):
    curve = Calibration(4.0, 0.0, (-4.0, 4.0), (-4.0, 4.0))
    s = np.random.default_rng(3).choice(np.array([0.6, 0.8, 1.0], dtype=np.float32), shape)
    links = calibrated(s, 0.5, 0.1, calibration=curve)
    for matrix, found in zip(s.reshape(-1, *shape[-2:]), links.reshape(-1, *shape[-2:]), strict=True):
        for i, j in itertools.product(*map(range, matrix.shape)):
            better_in_row = sum(matrix[i] > matrix[i, j]) + sum(matrix[i, :j] == matrix[i, j])
            better_in_column = sum(matrix[:, j] > matrix[i, j]) + sum(matrix[:i, j] == matrix[i, j])
            assert found[i, j] == (min(better_in_row, better_in_column) < 32)


@given(st.floats(0.001, 0.999))
def test_a_calibration_and_its_inverse_agree(probability):
    curve = Calibration(8.0, 0.0, (-8.0, -4.0, 1.0, 8.0), (-9.0, -3.0, 0.5, 9.0))
    assert float(curve.probability(np.array(curve.score_at(probability)))) == pytest.approx(probability)
    assert curve.score_at(1.0) == math.inf


def test_a_situation_has_its_own_log_odds():
    curve = Calibration(8.0, 0.0, (-8.0, 8.0), (-8.0, 8.0), situations={"alike": (-10.0, 6.0)})
    assert curve.in_situation("usual").log_odds == (-8.0, 8.0)
    alike = curve.in_situation("alike")
    assert alike.log_odds == (-10.0, 6.0)
    assert alike.probability(np.array(2.0)) == pytest.approx(0.5)
    assert alike.in_situation("usual") is alike  # one that was taken stays
    assert Calibration.from_facts(curve.facts()) == curve


@given(matrices(), st.floats(0, 1))
def test_null_removes_by_the_papers_entropy(s, tau):
    links = itermax(s)
    kept = drop_null(links, s, tau)
    entropies = link_entropy(s)
    assert ((entropies >= 0) & (entropies <= 1)).all()
    for i, j in links_of(links):
        across = -sum(p * math.log(p) for p in s[i].astype(float) / s[i].astype(float).sum() if p > 0)
        down = -sum(p * math.log(p) for p in s[:, j].astype(float) / s[:, j].astype(float).sum() if p > 0)
        n, m = int((s[i] > 0).sum()), int((s[:, j] > 0).sum())
        expected = min(across / math.log(n) if n > 1 else 0, down / math.log(m) if m > 1 else 0)
        assert entropies[i, j] == pytest.approx(expected, abs=1e-6)
        assert kept[i, j] == (entropies[i, j] <= tau)
    padded = np.zeros((2, s.shape[0] + 1, s.shape[1] + 2), np.float32)
    padded[1, : s.shape[0], : s.shape[1]] = s
    assert link_entropy(padded)[1, : s.shape[0], : s.shape[1]] == pytest.approx(entropies)


@given(st.integers(1, 9), st.integers(1, 9), st.floats(0, 1))
def test_distortion_is_the_papers_formula(m, n, kappa):
    p = distortion(m, n, kappa)
    for i, j in itertools.product(range(m), range(n)):
        assert p[i, j] == pytest.approx(1 - kappa * (i / m - j / n) ** 2)
    assert ((p >= 1 - kappa - 1e-9) & (p <= 1)).all()


@settings(deadline=None)
@given(st.lists(matrices(), min_size=1, max_size=6))
@pytest.mark.parametrize("method", [argmax, forward, reverse, itermax, match])
def test_a_zero_padded_stack_gives_the_links_of_its_matrices(method, stack):
    height = max(s.shape[0] for s in stack) + 1
    width = max(s.shape[1] for s in stack) + 2
    padded = np.zeros((len(stack), height, width), dtype=np.float32)
    for slot, s in zip(padded, stack, strict=True):
        slot[: s.shape[0], : s.shape[1]] = s
    for found, s in zip(method(padded), stack, strict=True):
        assert links_of(found) == links_of(method(s))


@given(matrices())
@pytest.mark.parametrize("method", [argmax, itermax])
def test_swapping_the_sides_swaps_the_links(method, s):
    assert (method(s.T) == method(s).T).all()


@pytest.mark.parametrize("method", [argmax, forward, reverse, itermax, match])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 4, 4)])
def test_an_empty_side_has_no_links(method, shape):
    assert method(np.zeros(shape, dtype=np.float32)).shape == shape


def test_ties_take_the_smaller_index_and_zeros_no_link():
    s = np.array([[0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])
    assert links_of(argmax(s)) == {(0, 0)}
    assert links_of(match(s)) in ({(0, 0), (1, 1)}, {(0, 1), (1, 0)})


def test_wrong_parameters_are_refused():
    s = np.ones((2, 2))
    with pytest.raises(UsageError, match="n_max"):
        itermax(s, n_max=0)
    with pytest.raises(UsageError, match="alpha"):
        itermax(s, alpha=1.5)
    with pytest.raises(UsageError, match="kappa"):
        distortion(2, 2, -1)
