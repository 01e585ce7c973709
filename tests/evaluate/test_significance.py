"""The tests of significance: against literal versions of themselves, and against what is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign.errors import UsageError
from wordalign.evaluate import METRICS, Counts, Evaluation, compare, score, significance


def made_up(seed: int, sentences: int, quality: float, sure: np.ndarray | None = None) -> Evaluation:
    generator = np.random.default_rng(seed)
    if sure is None:
        sure = np.random.default_rng(7).integers(5, 30, sentences)
    right = generator.binomial(sure, quality)
    wrong = generator.binomial(sure, 1 - quality)
    return Evaluation(np.stack([right + wrong, right, right, sure], axis=1))


counts = st.tuples(*[st.integers(0, 6)] * 3).map(lambda n: (n[0] + n[1] + n[2], n[0] + n[1], n[0]))


@st.composite
def two_systems(draw):
    rows = draw(st.lists(st.tuples(counts, counts, st.integers(6, 9)), min_size=1, max_size=8))
    return [Evaluation(np.array([(*row[side], row[2]) for row in rows])) for side in (0, 1)]


@given(two_systems())
@settings(max_examples=30)
def test_trials_are_those_of_the_definition(systems):
    """The same draws and coins, sentence by sentence in plain Python."""
    first, second = systems
    found = compare(first, second, resamples=20, seed=3)
    generator = np.random.default_rng(3)
    (draws,) = significance._draws(generator, 20, found.sentences)
    (coins,) = significance._coins(generator, 20, found.sentences)

    def scores(rows) -> np.ndarray:
        return np.array(score(sum((Counts(*map(int, row)) for row in rows), Counts())))

    def drawn(system, weights):
        return [
            row for row, weight in zip(system.per_sentence, weights, strict=True) for _ in range(int(weight))
        ]

    def swapped(one, other, sides):
        return [
            b if side else a for a, b, side in zip(one.per_sentence, other.per_sentence, sides, strict=True)
        ]

    observed = scores(first.per_sentence) - scores(second.per_sentence)
    boot = np.array([scores(drawn(first, row)) - scores(drawn(second, row)) for row in draws])
    shuffled = np.array(
        [scores(swapped(first, second, r)) - scores(swapped(second, first, r)) for r in coins]
    )
    for number, name in enumerate(METRICS):
        difference = found.differences[name]
        assert difference.difference == pytest.approx(observed[number])
        low, high = np.quantile(boot[:, number], [0.025, 0.975])
        assert (difference.low, difference.high) == (pytest.approx(low), pytest.approx(high))
        limit = abs(observed[number]) - 1e-9
        strays = np.abs(boot[:, number] - boot[:, number].mean()) >= limit
        assert difference.p_bootstrap == pytest.approx((strays.sum() + 1) / 21)
        assert difference.p_randomisation == pytest.approx(
            ((np.abs(shuffled[:, number]) >= limit).sum() + 1) / 21
        )


def test_draws_are_of_as_many_sentences_as_there_are():
    blocks = list(significance._draws(np.random.default_rng(0), 50, 40))
    assert sum(map(len, blocks)) == 50
    assert all((block.sum(axis=1) == 40).all() for block in blocks)


def test_blocks_change_nothing(monkeypatch):
    """Large corpora are resampled in blocks of memory."""
    first, second = made_up(1, 60, 0.8), made_up(2, 60, 0.78)
    whole = compare(first, second, resamples=200)
    monkeypatch.setattr(significance, "_CELLS", 7 * 60)
    assert sum(significance._blocks(200, 60)) == 200
    parts = compare(first, second, resamples=200)
    assert parts.differences["f1"].difference == whole.differences["f1"].difference
    assert parts.differences["f1"].low == pytest.approx(whole.differences["f1"].low, abs=0.01)


def test_a_system_is_as_good_as_itself():
    same = made_up(1, 200, 0.8)
    found = compare(same, same, resamples=100)
    for difference in found.differences.values():
        assert (difference.difference, difference.low, difference.high) == (0, 0, 0)
        assert difference.p_bootstrap == difference.p_randomisation == 1
        assert not difference.significant()
    assert found.verdict("a", "b") == f"a and b are equal: F1 {same.scores.f1:.4f}."


def test_a_clear_difference_is_found_and_a_tiny_one_is_not():
    clear = compare(made_up(1, 300, 0.9), made_up(2, 300, 0.8), resamples=500)
    assert clear.differences["f1"].significant()
    assert clear.differences["f1"].low > 0.05
    assert clear.verdict("a", "b").startswith("a is better than b, by more than chance: F1 0.9")
    assert (
        compare(made_up(2, 300, 0.8), made_up(1, 300, 0.9)).verdict("a", "b").startswith("b is better than a")
    )
    assert clear.verdict("a", "b", "aer").startswith("a is better than b, by more than chance: AER 0.0")
    chance = compare(made_up(1, 300, 0.8), made_up(2, 300, 0.8), resamples=500)
    assert not chance.differences["f1"].significant()
    assert "no more than by chance" in chance.verdict()


@given(two_systems())
@settings(max_examples=30)
def test_turning_the_systems_round_turns_the_difference_round(systems):
    one, other = compare(*systems, resamples=50), compare(*systems[::-1], resamples=50)
    for name in METRICS:
        here, there = one.differences[name], other.differences[name]
        assert here.difference == pytest.approx(-there.difference)
        assert (here.low, here.high) == (pytest.approx(-there.high), pytest.approx(-there.low))
        assert here.p_bootstrap == there.p_bootstrap
        assert here.p_randomisation == there.p_randomisation


def test_chance_differences_are_called_significant_about_as_often_as_they_should():
    """Under the null hypothesis p-values are uniform: about one in twenty lies below 0.05."""
    values = [
        compare(made_up(2 * seed, 80, 0.8), made_up(2 * seed + 1, 80, 0.8), resamples=100).differences["f1"]
        for seed in range(200)
    ]
    for name in ("p_bootstrap", "p_randomisation"):
        share = np.mean([getattr(value, name) < 0.05 for value in values])
        assert share < 0.12
        assert 0.35 < np.mean([getattr(value, name) for value in values]) < 0.65


def test_the_same_seed_gives_the_same_figures():
    systems = made_up(1, 50, 0.8), made_up(2, 50, 0.75)
    assert compare(*systems) == compare(*systems)
    assert compare(*systems).differences != compare(*systems, seed=1).differences


def test_only_evaluations_on_the_same_gold_can_be_compared():
    with pytest.raises(UsageError, match="the same gold sentences"):
        compare(made_up(1, 50, 0.8), made_up(1, 51, 0.8))
    with pytest.raises(UsageError, match="the same gold sentences"):
        compare(made_up(1, 50, 0.8), made_up(1, 50, 0.8, sure=np.full(50, 3)))
    with pytest.raises(UsageError, match="no sentences"):
        compare(Evaluation.of([]), Evaluation.of([]))
    with pytest.raises(UsageError, match="at least 1 resample"):
        compare(made_up(1, 5, 0.8), made_up(1, 5, 0.8), resamples=0)
