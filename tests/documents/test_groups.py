"""The dynamic program and what groups earn, against literal definitions."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.documents.groups import ALIKE, UNKNOWN, USUAL, Costs, Side, find_groups
from wordalign.documents.path import Path, cuts, rough_path, windows_around
from wordalign.documents.steps import Window, best_steps
from wordalign.types import unit_rows

STEPS = [(1, 1), (1, 2), (2, 1), (3, 1)]


@given(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_no_other_steps_earn_more(n, m, seed):
    dice = np.random.default_rng(seed)
    earned = {step: dice.normal(size=(n + 1, m + 1)) for step in STEPS}  # by the first sentences of a group
    skips = dice.random(n), dice.random(m)

    def gains(row):
        return {
            (a, b): (0, earned[a, b][row - a + 1, : m - b + 1])
            for a, b in STEPS
            if row - a + 1 >= 0 and m - b + 1 > 0
        }

    @cache
    def best(i, j):
        options = [0.0] if (i, j) == (0, 0) else []
        if i:
            options.append(best(i - 1, j) - skips[0][i - 1])
        if j:
            options.append(best(i, j - 1) - skips[1][j - 1])
        options += [best(i - a, j - b) + earned[a, b][i - a, j - b] for a, b in STEPS if a <= i and b <= j]
        return max(options)

    steps = best_steps(n, m, [Window(0, m + 1)] * (n + 1), gains, *skips)
    i = j = 0
    total = 0.0
    for a, b in steps:
        total += earned[a, b][i, j] if a and b else -skips[0][i] if a else -skips[1][j]
        i, j = i + a, j + b
    assert (i, j) == (n, m)
    assert total == pytest.approx(best(n, m))


def side_of(sizes, starts, dice) -> tuple[Side, list[np.ndarray]]:
    vectors = [unit_rows(dice.normal(size=(size, 6))).astype(np.float32) for size in sizes]
    count = np.array(sizes, dtype=np.int64)
    characters = count * dice.integers(2, 9, size=len(sizes)) + 1
    return Side(vectors.__getitem__, count, characters, np.array(starts, dtype=np.bool_)), vectors


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_groups_are_the_best_by_the_definition(n, m, seed):
    """Every division of both sides is tried, and what it earns summed up word by word."""
    dice = np.random.default_rng(seed)
    costs = Costs(
        more=0.3, both=0.2, length=0.1, chance=0.05, alone=0.4, across=0.2, most=3,
        most_together=5,
    )  # fmt: skip
    sides = [
        side_of(dice.integers(0, 4, size=count).tolist(), (dice.random(count) < 0.4).tolist(), dice)
        for count in (n, m)
    ]

    def usual(word, side):
        """The mean of the highest cosines with the words of each sentence but the nearest one."""
        nearest = sorted(float((other @ word).max()) for other in sides[side][1] if len(other))[:-1]
        return (sum(nearest) + UNKNOWN * USUAL) / (len(nearest) + UNKNOWN)

    def length(start, end, side):
        """In words of the source, by characters."""
        here = sides[side][0]
        words = here.characters[start:end].sum() * here.sizes.sum() / here.characters.sum()
        return words * (sides[0][0].sizes.sum() + ALIKE) / (here.sizes.sum() + ALIKE)

    def covered(words, others, side):
        total = 0.0
        chance = costs.chance * math.log((len(others) + 1) / (sides[side][0].sizes.mean() + 1))
        for word in words:
            best = float((others @ word).max()) if len(others) else -math.inf
            middle = costs.middle + costs.usual * usual(word, side) + chance
            total += 1 / (1 + math.exp((middle - best) / costs.width)) if best > -math.inf else 0.0
        return total

    def earned(i, k, j, e):
        if i == k or j == e:
            return -costs.alone * (k - i + e - j)
        both = [np.concatenate(sides[0][1][i:k]), np.concatenate(sides[1][1][j:e])]
        words = len(both[0]) + len(both[1])
        inside = int(sides[0][0].starts[i + 1 : k].sum() + sides[1][0].starts[j + 1 : e].sum())
        one, other = length(i, k, 0), length(j, e, 1)
        return (
            covered(both[0], both[1], 1) + covered(both[1], both[0], 0)
            - costs.share * words - costs.more * (k - i + e - j - 2) - costs.across * inside
            - costs.both * (k - i > 1 and e - j > 1) - costs.length * (one - other) ** 2 / (one + other + 1)
        )  # fmt: skip

    allowed = [(1, 0), (0, 1)] + [(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a + b <= 5]

    @cache
    def best(i, j):
        if (i, j) == (n, m):
            return 0.0
        return max(
            earned(i, i + a, j, j + b) + best(i + a, j + b) for a, b in allowed if i + a <= n and j + b <= m
        )

    steps = find_groups(sides[0][0], sides[1][0], [Window(0, m + 1)] * (n + 1), costs)
    i = j = 0
    total = 0.0
    for a, b in steps:
        total += earned(i, i + a, j, j + b)
        i, j = i + a, j + b
    assert (i, j) == (n, m)
    assert total == pytest.approx(best(0, 0), abs=1e-3)


def noisy(vectors, dice):
    return unit_rows(vectors + 0.6 * dice.normal(size=vectors.shape) / math.sqrt(vectors.shape[1])).astype(
        np.float32
    )


def test_the_rough_path_survives_pages_that_only_one_text_has():
    dice = np.random.default_rng(3)
    source = unit_rows(dice.normal(size=(1500, 64))).astype(np.float32)
    strangers = unit_rows(dice.normal(size=(200, 64))).astype(np.float32)
    target = np.concatenate(
        [noisy(source[:400], dice), strangers, noisy(source[400:900], dice), noisy(source[1050:], dice)]
    )
    path = rough_path(source, target)
    expected = np.concatenate([np.arange(400), np.arange(600, 1100), np.full(150, -1), np.arange(1100, 1550)])
    right = (path.partner == expected)[expected >= 0]
    assert right.mean() > 0.97
    for i, j in cuts(path, 100):
        assert expected[i - 1] == j - 1
    assert len(cuts(path, 100)) >= 5


@given(st.lists(st.integers(-1, 30), max_size=20), st.integers(0, 31), st.integers(1, 4), st.booleans())
def test_windows_rise_and_hold_the_path(given_partners, m, radius, halved):
    partner, last = [], -1
    for value in given_partners:
        last = max(last, value)
        partner.append(value if value == last and value < m and value not in partner else -1)
    n = len(partner) * (2 if halved else 1)
    m = m * 2 if halved else m
    windows = windows_around(np.array(partner, dtype=np.int64), n, m, radius, halved=halved)
    assert len(windows) == n + 1
    assert windows[0].start == 0
    assert windows[-1].end == m + 1
    for before, after in pairwise(windows):
        assert before.start <= after.start < before.end <= after.end <= m + 1
    for i, j in enumerate(partner):
        if j >= 0 and not halved:
            assert windows[i].start <= j < windows[i].end
            assert j + 1 < windows[i + 1].end


def test_without_a_sure_pair_nothing_is_cut():
    assert cuts(Path(np.full(5, -1), np.zeros(5)), 1) == []
