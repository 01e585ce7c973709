from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from wordalign.render import layout as module
from wordalign.render.layout import COST_OF_A_CUT_LINK, WELL_FILLED, bands

widths = st.lists(st.integers(1, 12), max_size=25)


@st.composite
def long_pairs(draw):
    source, target = draw(widths), draw(widths)
    if not source or not target:
        return frozenset(), source, target
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return draw(st.frozensets(link, max_size=30)), source, target


def first_band(links, source, target, limit):
    """The definition, word for word: every band that fits is tried."""

    def fits(side, end):
        return end <= 1 or sum(side[:end]) <= limit

    rows = [i for i in range(len(source) + 1) if fits(source, i)]
    columns = [j for j in range(len(target) + 1) if fits(target, j)]
    if (rows[-1], columns[-1]) == (len(source), len(target)):
        return rows[-1], columns[-1]
    enough = min(WELL_FILLED * limit, max(sum(source[: rows[-1]]), sum(target[: columns[-1]])))
    gains = {}
    for i in rows:
        for j in columns:
            if i + j and max(sum(source[:i]), sum(target[:j])) >= enough:
                cut = sum((a < i) != (b < j) for a, b in links)
                gains[i, j] = i + j - COST_OF_A_CUT_LINK * cut
    return max(gains, key=lambda end: (gains[end], -end[0], -end[1]))


@given(long_pairs(), st.integers(5, 60))
def test_the_first_band_is_the_best_by_definition(pair, limit):
    links, source, target = pair
    if source or target:
        assert bands(links, (source, target), limit)[0] == tuple(
            (0, end) for end in first_band(links, source, target, limit)
        )


@given(long_pairs(), st.integers(5, 60))
def test_bands_hold_every_word_once_in_order_and_fit(pair, limit):
    links, *sides = pair
    found = bands(links, (sides[0], sides[1]), limit)
    for side, spans in zip(sides, zip(*found, strict=True), strict=True):
        assert [number for begin, end in spans for number in range(begin, end)] == list(range(len(side)))
        for begin, end in spans:
            assert end - begin <= 1 or sum(side[begin:end]) <= limit


def test_a_cut_falls_between_the_translations():
    links = [(number, number) for number in range(12)]
    found = bands(links, ([10] * 12, [10] * 12), 65)
    assert found == [((0, 6), (0, 6)), ((6, 12), (6, 12))]


def test_the_docstring():
    assert doctest.testmod(module) == (0, 1)
