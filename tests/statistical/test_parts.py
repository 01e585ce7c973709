"""The small parts, against what they say they do."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wordalign.statistical.corpus import Vocabulary, cuts, number_pairs, pair_links
from wordalign.statistical.eflomal import count_priors, prior_lines
from wordalign.statistical.engines import Corpus, Directed, Direction
from wordalign.statistical.subwords import SubwordSplitter, word_links

words = st.lists(st.sampled_from("abcde"), max_size=9)
word_pairs = st.lists(st.tuples(words, words), max_size=6)


@given(st.integers(0, 5000), st.integers(0, 5000), st.integers(1, 700))
def test_pieces_cover_a_pair_in_order(source, target, most):
    found = list(cuts(source, target, most))
    for i, i_end, j, j_end in found:
        assert 0 < i_end - i <= most
        assert 0 < j_end - j <= most
    for before, after in itertools.pairwise(found):
        assert before[1] <= after[0]
        assert before[3] <= after[2]
    if source and target:
        if max(source, target) <= most:
            assert found == [(0, source, 0, target)]
        # The longer side is covered wherever the other has words for it; the shorter one always.
        covered = sum(i_end - i for i, i_end, _, _ in found), sum(j_end - j for _, _, j, j_end in found)
        assert covered[0 if source <= target else 1] == min(source, target)
    else:
        assert not found


@given(word_pairs, st.integers(1, 4), st.data())
def test_partners_of_pieces_become_links_of_pairs(pairs, most, data):
    vocabularies = Vocabulary(), Vocabulary()
    numbered = number_pairs(pairs, vocabularies, most)
    corpus = numbered.corpus
    partners = []
    for side, other in ((corpus.target, corpus.source), (corpus.source, corpus.target)):
        choices = [
            data.draw(st.integers(-1, len(right) - 1))
            for left, right in zip(side, other, strict=True)
            for _ in left
        ]
        partners.append(np.array(choices, dtype=np.int32))
    found = pair_links(numbered, Directed(Direction(partners[0]), Direction(partners[1])), len(pairs))
    assert len(found) == len(pairs)
    assert sum(len(links.forward) for links in found) == (partners[0] >= 0).sum()
    assert sum(len(links.backward) for links in found) == (partners[1] >= 0).sum()
    names = [list(vocabulary.numbers) for vocabulary in vocabularies]
    expected = Counter(
        (piece.pair, names[0][source[i]], names[1][target[j]])
        for piece, source, target, row in _rows(numbered, partners[0])
        for j, i in enumerate(row)
        if i >= 0
    )
    assert expected == Counter(
        (number, pairs[number][0][i], pairs[number][1][j])
        for number, links in enumerate(found)
        for i, j in links.forward
    )
    for links in found:
        for link in {*links.forward, *links.backward}:
            assert links.score(link) == ((link in links.forward) + (link in links.backward)) / 2


def _rows(numbered, partners):
    start = 0
    for piece, source, target in zip(
        numbered.pieces, numbered.corpus.source, numbered.corpus.target, strict=True
    ):
        yield piece, source, target, partners[start : start + len(target)].tolist()
        start += len(target)


@given(word_pairs.filter(lambda pairs: any(left and right for left, right in pairs)), st.data())
def test_priors_are_counted_as_eflomals_own_tool_does(pairs, data):
    """Against a transcription of what eflomal-makepriors counts, a pair and a link at a time."""
    corpus = number_pairs(pairs, (Vocabulary(), Vocabulary()), 100).corpus
    partners: list[list[list[int]]] = [[], []]
    for source, target in zip(corpus.source, corpus.target, strict=True):
        partners[0].append([data.draw(st.integers(-1, len(source) - 1)) for _ in target])
        partners[1].append([data.draw(st.integers(-1, len(target) - 1)) for _ in source])
    lexicon, jumps, fertilities = Counter(), (Counter(), Counter()), (Counter(), Counter())
    for number, sides in enumerate(zip(corpus.source, corpus.target, strict=True)):
        for way in (0, 1):
            row, others = partners[way][number], sides[way]
            last = -1
            for word, partner in enumerate(row):
                if partner >= 0:
                    if way == 0:
                        lexicon[others[partner], sides[1][word]] += 1
                    jumps[way][partner - last] += 1
                    last = partner
            jumps[way][len(others) - last] += 1
            for partner, fertility in Counter(partner for partner in row if partner >= 0).items():
                fertilities[way][others[partner], min(fertility, 7)] += 1
    flat = [np.array(sum(rows, []), dtype=np.int32) for rows in partners]  # noqa: RUF017
    counted = count_priors(corpus, Directed(Direction(flat[0]), Direction(flat[1])))

    def as_counter(rows):
        return Counter({(tuple(row[:-1]) if len(row) > 2 else row[0]): row[-1] for row in rows.tolist()})

    assert as_counter(counted["words"]) == lexicon
    assert as_counter(counted["jumps_forward"]) == jumps[0]
    assert as_counter(counted["jumps_backward"]) == jumps[1]
    assert as_counter(counted["fertilities_forward"]) == fertilities[0]
    assert as_counter(counted["fertilities_backward"]) == fertilities[1]


def test_priors_of_other_words_are_left_out():
    corpus = Corpus([[0, 1]], [[0, 1]], 2, 2)
    both = Direction(np.array([0, 1], dtype=np.int32))
    priors = count_priors(corpus, Directed(both, both))
    lines = prior_lines(priors, {1: 0}, {1: 0, 7: 1})
    # One word pair (numbered from 1), the jumps of both directions, one fertility a direction.
    assert lines == ["2 3 1 1 1 1 1", "1 1 1", "1 3", "1 3", "1 1 1", "1 1 1"]


def test_subwords_know_their_words():
    splitter = SubwordSplitter()
    ((units, of_word), empty) = splitter.split([["unbelievably", "x", "unbelievably"], []])
    assert len(units) == len(of_word) > 3
    assert of_word == sorted(of_word)
    assert set(of_word) == {0, 1, 2}
    assert units[: of_word.count(0)] == units[-of_word.count(2) :]
    assert empty == ([], [])


@given(
    st.dictionaries(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.floats(0, 1)),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
    st.lists(st.integers(0, 3), min_size=9, max_size=9),
)
def test_words_are_linked_if_any_of_their_subwords_are(links, of_source, of_target):
    found = word_links(links, of_source, of_target)
    for i in range(4):
        for j in range(4):
            scores = [score for (a, b), score in links.items() if (of_source[a], of_target[b]) == (i, j)]
            assert found.get((i, j)) == (max(scores) if scores else None)
