"""Groups are cut where their links allow it, and nothing is lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wordalign.documents.pieces import CROSSING, LONG, pieces


@given(
    st.integers(1, 120),
    st.integers(1, 120),
    st.lists(st.tuples(st.integers(0, 119), st.integers(0, 119))),
    st.data(),
)
def test_pieces_hold_every_word_once_and_few_links_are_cut(n, m, drawn, data):
    links = sorted({(i % n, j % m) for i, j in drawn})
    borders = tuple(
        data.draw(st.lists(st.integers(1, max(1, size - 1)), max_size=3)) if size > 1 else []
        for size in (n, m)
    )
    found = pieces(links, (n, m), borders)
    assert found[0][0][0] == found[0][1][0] == 0
    assert (found[-1][0][1], found[-1][1][1]) == (n, m)
    for before, after in pairwise(found):
        assert (before[0][1], before[1][1]) == (after[0][0], after[1][0])
    assert all(start < end for piece in found for start, end in piece)
    kept = sum(any(a <= i < b and c <= j < d for (a, b), (c, d) in found) for i, j in links)
    assert kept >= len(links) * (1 - CROSSING * sum(map(len, borders)))


def test_a_long_sentence_in_the_same_order_is_cut_and_a_crossed_one_is_not():
    length = 3 * LONG
    assert len(pieces([(k, k) for k in range(length)], (length, length), ([], []))) > 1
    assert len(pieces([(k, length - 1 - k) for k in range(length)], (length, length), ([], []))) == 1
