"""Agreement of two annotators, against its definitions."""

from __future__ import annotations

import random

import pytest

from wordalign.evaluate.agreement import Agreement, agreement, common
from wordalign.types import GoldAlignment


def some_links(generator: random.Random, height: int, width: int) -> GoldAlignment:
    cells = [(i, j) for i in range(height) for j in range(width)]
    possible = frozenset(generator.sample(cells, generator.randint(0, len(cells))))
    return GoldAlignment(frozenset(link for link in possible if generator.random() < 0.7), possible)


@pytest.mark.parametrize("seed", range(20))
def test_measures_are_their_definitions(seed):
    generator = random.Random(seed)
    pairs = []
    for _ in range(5):
        size = generator.randint(1, 6), generator.randint(1, 6)
        pairs.append((some_links(generator, *size), some_links(generator, *size), size))
    found = agreement(pairs)
    cells = [
        ((i, j) in one.possible, (i, j) in other.possible, (i, j) in one.sure, (i, j) in other.sure)
        for one, other, (height, width) in pairs
        for i in range(height)
        for j in range(width)
    ]
    a = sum(one for one, *_ in cells)
    b = sum(other for _, other, *_ in cells)
    both = sum(one and other for one, other, *_ in cells)
    assert found.f1 == pytest.approx(2 * both / (a + b) if a + b else 1)
    sure = sum(cell[3] for cell in cells)
    right = sum(cell[0] and cell[3] for cell in cells)
    assert found.aer[0] == pytest.approx(1 - (right + both) / (a + sure) if a + sure else 0)
    observed = sum(one == other for one, other, *_ in cells) / len(cells)
    expected = (a * b + (len(cells) - a) * (len(cells) - b)) / len(cells) ** 2
    wanted = 1 if expected == 1 else (observed - expected) / (1 - expected)
    assert found.kappa == pytest.approx(wanted)


def test_aer_is_the_same_as_that_of_evaluate():
    from wordalign.evaluate import Counts, count, score

    generator = random.Random(3)
    pairs = [(some_links(generator, 5, 6), some_links(generator, 5, 6), (5, 6)) for _ in range(8)]
    total = Counts()
    for one, other, _ in pairs:
        total += count(other, one.possible)
    assert agreement(pairs).aer[0] == pytest.approx(score(total).aer)


def test_who_agrees_wholly_has_one_and_zero():
    links = GoldAlignment(frozenset({(0, 0), (1, 2)}), frozenset({(0, 0), (1, 2)}))
    found = agreement([(links, links, (2, 3))])
    assert (found.f1, found.aer, found.kappa) == (1, (0, 0), 1)
    assert Agreement().kappa is None


def test_gold_links_of_two_are_sure_where_both_are():
    one = GoldAlignment(frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 2)}))
    other = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    made = common(one, other)
    assert made.sure == {(0, 0)}
    assert made.possible == {(0, 0), (1, 1), (2, 2)}
