"""Two directions into one: against literal pseudo-code, worked examples and another implementation."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordalign.errors import UnknownNameError
from wordalign.links.symmetrize import (
    HEURISTICS,
    grow_diag,
    grow_diag_final,
    grow_diag_final_and,
    intersection,
    invert,
    och,
    symmetrize,
    union,
)

Links = set[tuple[int, int]]
SIZE = 7
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def directions(total: bool = False) -> st.SearchStrategy[tuple[Links, Links]]:
    """Links as aligners give them, each word of one side with one partner at most, or any links at all."""
    if total:
        links = st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=20)
        return st.tuples(links, links)
    partners = st.lists(st.integers(-1, SIZE - 1), min_size=SIZE, max_size=SIZE)
    forward = partners.map(lambda found: {(i, j) for j, i in enumerate(found) if i >= 0})
    backward = partners.map(lambda found: {(i, j) for i, j in enumerate(found) if j >= 0})
    return st.tuples(forward, backward)


any_directions = st.one_of(directions(), directions(total=True))


class Koehn:
    """The pseudo-code of Koehn et al. (2005) and the Moses manual, line by line."""

    def __init__(self, forward: Links, backward: Links) -> None:
        self.links = forward & backward
        self.union = forward | backward

    def free(self, i: int, j: int) -> tuple[bool, bool]:
        return all(e != i for e, _ in self.links), all(f != j for _, f in self.links)

    def grow_diag(self) -> None:
        added = True
        while added:
            added = False
            for i in range(SIZE):
                for j in range(SIZE):
                    if (i, j) not in self.links:
                        continue
                    for down, right in NEIGHBOURS:
                        new = (i + down, j + right)
                        if any(self.free(*new)) and new in self.union and new not in self.links:
                            self.links.add(new)
                            added = True

    def final(self, direction: Links, enough: object) -> None:
        for i in range(SIZE):
            for j in range(SIZE):
                if (i, j) in direction and enough(self.free(i, j)):
                    self.links.add((i, j))


def literal(forward: Links, backward: Links, name: str) -> Links:
    koehn = Koehn(forward, backward)
    koehn.grow_diag()
    if name != "grow-diag":
        enough = all if name == "grow-diag-final-and" else any
        koehn.final(forward, enough)
        koehn.final(backward, enough)
    return koehn.links


def literal_och(forward: Links, backward: Links) -> Links:
    """Och and Ney (2003), section 5, with the whole alignment checked for each link."""

    def near(links: Links, i: int, j: int) -> tuple[bool, bool]:
        return bool({(i - 1, j), (i + 1, j)} & links), bool({(i, j - 1), (i, j + 1)} & links)

    links = forward & backward
    added = True
    while added:
        added = False
        for i, j in sorted((forward | backward) - links):
            lonely = all(e != i and f != j for e, f in links)
            grown = links | {(i, j)}
            fits = any(near(links, i, j)) and not any(all(near(grown, *link)) for link in grown)
            if lonely or fits:
                links, added = grown, True
    return links


@given(any_directions)
def test_every_heuristic_lies_between_intersection_and_union(pair):
    forward, backward = pair
    for name in HEURISTICS:
        links = symmetrize(forward, backward, name)
        assert intersection(forward, backward) <= links <= union(forward, backward), name


@given(any_directions)
def test_each_heuristic_holds_the_ones_before_it(pair):
    assert grow_diag(*pair) <= grow_diag_final_and(*pair)
    assert grow_diag(*pair) <= grow_diag_final(*pair)
    # After -final every word of a directed link is linked to something.
    for i, j in union(*pair):
        assert any(i == e or j == f for e, f in grow_diag_final_and(*pair))
    linked = {i for i, _ in grow_diag_final(*pair)}, {j for _, j in grow_diag_final(*pair)}
    assert linked == ({i for i, _ in union(*pair)}, {j for _, j in union(*pair)})


@given(any_directions)
def test_growing_equals_the_pseudo_code(pair):
    for name in ("grow-diag", "grow-diag-final", "grow-diag-final-and"):
        assert symmetrize(*pair, name) == literal(*pair, name), name


@given(any_directions)
@example(({(0, 0), (0, 1), (1, 0)}, {(0, 0), (0, 1), (0, 2), (1, 0)}))  # the intersection is crossed already
def test_och_equals_its_definition(pair):
    assert och(*pair) == literal_och(*pair)


@given(any_directions)
def test_the_input_is_left_alone_and_any_set_will_do(pair):
    forward, backward = map(frozenset, pair)
    for name in HEURISTICS:
        found = symmetrize(forward, backward, name)
        assert isinstance(found, set)
        assert symmetrize(set(pair[0]), set(pair[1]), name) == found
    assert (forward, backward) == pair


@given(any_directions)
def test_what_is_symmetric(pair):
    """Exchanging the languages exchanges the links of what does not depend on an order."""
    forward, backward = pair
    for heuristic in (intersection, union):
        assert heuristic(forward, backward) == heuristic(backward, forward)
        assert heuristic(invert(backward), invert(forward)) == invert(heuristic(forward, backward))
    assert grow_diag(forward, backward) == grow_diag(backward, forward)
    assert och(forward, backward) == och(backward, forward)
    assert invert(invert(forward)) == forward


@given(any_directions)
def test_two_equal_directions_stay_as_they_are(pair):
    for name in HEURISTICS:
        assert symmetrize(pair[0], pair[0], name) == pair[0]


def test_the_example_of_koehn_2003():
    """Maria no daba una bofetada a la bruja verde / Mary did not slap the green witch.

    From Koehn, Och and Marcu (2003) and chapter 4.5.3 of Koehn's Statistical Machine Translation: English
    rows, Spanish columns. Growing gives `slap` its whole phrase and `did` its `no`; nothing else is added.
    """
    english = ["Mary", "did", "not", "slap", "the", "green", "witch"]
    spanish = ["Maria", "no", "daba", "una", "bofetada", "a", "la", "bruja", "verde"]

    def links(*pairs: str) -> Links:
        return {(english.index(a), spanish.index(b)) for a, b in (pair.split("-") for pair in pairs)}

    certain = ["Mary-Maria", "not-no", "slap-bofetada", "the-la", "green-verde", "witch-bruja"]
    forward = links(*certain, "slap-daba", "slap-una", "the-a")  # each Spanish word has one English word
    backward = links(*certain, "did-no")  # each English word has one Spanish word
    assert intersection(forward, backward) == links(*certain)
    grown = grow_diag(forward, backward)
    assert grown == links(*certain, "slap-daba", "slap-una", "the-a", "did-no")
    assert grow_diag_final_and(forward, backward) == grow_diag_final(forward, backward) == grown


def test_the_three_ends_of_growing_differ():
    forward, backward = {(0, 0), (3, 3), (0, 5)}, {(0, 0), (5, 0)}
    assert grow_diag(forward, backward) == {(0, 0)}
    assert grow_diag_final_and(forward, backward) == {(0, 0), (3, 3)}
    assert grow_diag_final(forward, backward) == {(0, 0), (3, 3), (0, 5), (5, 0)}


def test_och_keeps_lines_straight():
    """Och and Ney: a block may grow along one side only, and diagonal neighbours do not count."""
    assert och({(0, 0), (0, 1)}, {(0, 0), (1, 0)}) == {(0, 0), (0, 1)}
    assert och({(0, 0), (1, 2)}, {(0, 0), (1, 1)}) == {(0, 0), (1, 1), (1, 2)}
    assert och({(0, 0), (1, 1), (0, 2)}, {(0, 0), (1, 1)}) == {(0, 0), (1, 1)}


def test_the_order_of_growing_is_that_of_the_scan():
    """(1, 1) is reached from (0, 0) first and then leaves no free word for (1, 0) or (0, 1)."""
    forward, backward = {(0, 0), (1, 1), (2, 2)}, {(0, 0), (1, 2), (2, 2)}
    assert grow_diag(forward, backward) == {(0, 0), (1, 1), (2, 2)}


def by_candidates(forward: Links, backward: Links) -> Links:
    """grow-diag-final-and in another order: candidates are scanned, not links."""
    links, left = forward & backward, sorted(forward | backward)

    def free(i: int, j: int) -> int:
        return all(e != i for e, _ in links) + all(f != j for _, f in links)

    added = True
    while added:
        added = False
        for i, j in left:
            touches = any((i + down, j + right) in links for down, right in NEIGHBOURS)
            if (i, j) not in links and touches and free(i, j):
                links.add((i, j))
                added = True
    for direction in (forward, backward):
        for link in sorted(direction):
            if link not in links and free(*link) == 2:
                links.add(link)
    return links


@given(directions())
def test_another_order_differs_in_ties_only(pair):
    """Scanned in another order, the same rules link the same words, if not always to the same partner."""
    ours, theirs = grow_diag_final_and(*pair), by_candidates(*pair)
    assert intersection(*pair) <= ours & theirs
    if ours != theirs:
        assert len(pair[0] | pair[1]) > len(pair[0] & pair[1]) + 1


def hard(size: int) -> list[tuple[Links, Links]]:
    """Links that one word of a side has with all of the other, and that grow against the scan."""
    last, words = size - 1, range(size)
    return [
        ({(last, j) for j in words}, {(i, last) for i in words}),
        ({(0, j) for j in words}, {(i, 0) for i in words}),
        ({(i, j) for i in (0, 1) for j in words}, {(0, j) for j in words}),
    ]


@pytest.mark.parametrize("name", list(HEURISTICS))
def test_the_work_grows_with_the_links(name):
    """Ten times the links take about ten times as long, not a hundred times."""

    def seconds(pair: tuple[Links, Links]) -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            symmetrize(*pair, name)
            times.append(time.process_time() - start)
        return min(times)

    for small, large in zip(hard(400), hard(4000), strict=True):
        assert seconds(large) < 40 * seconds(small)


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(UnknownNameError, match=r"no symmetrisation 'gdfa-final'.*Known: forward, grow"):
        symmetrize(set(), set(), "gdfa-final")
    with pytest.raises(UnknownNameError, match="Did you mean 'grow-diag' or 'grow-diag-final-and'"):
        symmetrize(set(), set(), "grow-diag-and")
