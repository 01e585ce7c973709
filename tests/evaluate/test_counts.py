"""The scores against their definitions, and the identities that must hold for any links."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign import Aligner, StatisticalAligner
from wordalign.errors import UsageError
from wordalign.evaluate import Counts, Evaluation, count, evaluate, score
from wordalign.types import Alignment, GoldAlignment

LINKS = st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)
GOLDS = st.builds(GoldAlignment, LINKS, LINKS)
CORPORA = st.lists(st.tuples(GOLDS, LINKS), min_size=1, max_size=6)


def share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(0)


def literal_scores(corpus) -> list[Fraction]:
    """The definition, on one set of links of the whole corpus, in exact fractions."""
    predicted = {(n, link) for n, (_, links) in enumerate(corpus) for link in links}
    sure = {(n, link) for n, (gold, _) in enumerate(corpus) for link in gold.sure}
    possible = {(n, link) for n, (gold, _) in enumerate(corpus) for link in gold.possible}
    precision = share(len(predicted & possible), len(predicted))
    recall = share(len(predicted & sure), len(sure))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)
    aer = 1 - share(len(predicted & sure) + len(predicted & possible), len(predicted) + len(sure))
    return [precision, recall, f1, aer]


def test_the_output_of_any_aligner_can_be_judged(sentence_pairs):
    pytest.importorskip("thot")
    pairs = sentence_pairs[:20]
    gold = [GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))] * len(pairs)
    neural, statistical = Aligner("tiny"), StatisticalAligner("fast_align").fit(pairs)
    for aligner in (neural, statistical):
        batch = aligner.align_batch(pairs)
        found = evaluate(gold, batch)
        assert found.counts.predicted == sum(len(alignment.links) for alignment in batch) > 0
        assert evaluate(gold, aligner.stream(pairs)).counts == found.counts
        as_lists = [[list(link) for link in alignment.links] for alignment in batch]
        assert evaluate(gold, as_lists).counts == found.counts


def test_links_of_several_methods_and_text_are_refused_in_words():
    gold = GoldAlignment(frozenset({(0, 0)}), frozenset())
    with pytest.raises(UsageError, match=r"several methods \(argmax, match\): give those of one"):
        count(gold, {"argmax": Alignment((), ()), "match": Alignment((), ())})
    with pytest.raises(UsageError, match="pairs of numbers"):
        count(gold, "0-0 1-1")


@given(CORPORA)
def test_scores_are_those_of_the_definition(corpus):
    found = evaluate(*zip(*corpus, strict=True)).scores
    assert list(found) == pytest.approx([float(exact) for exact in literal_scores(corpus)], abs=1e-12)


@given(CORPORA)
def test_counts_of_sentences_add_up(corpus):
    found = evaluate(*zip(*corpus, strict=True))
    assert found.per_sentence.shape == (len(corpus), 4)
    assert np.issubdtype(found.per_sentence.dtype, np.integer)
    assert sum((count(gold, links) for gold, links in corpus), Counts()) == found.counts
    assert all(type(number) is int for number in found.counts)


@given(GOLDS, LINKS)
def test_counts_stay_within_each_other(gold, links):
    found = count(gold, links)
    assert 0 <= found.right_sure <= found.right_possible <= found.predicted
    assert found.right_sure <= found.sure
    assert all(0 <= value <= 1 for value in score(found))


@given(LINKS, LINKS)
def test_aer_is_one_minus_f1_where_all_gold_links_are_sure(sure, links):
    scores = score(count(GoldAlignment(sure, sure), links))
    assert scores.aer == pytest.approx(1 - scores.f1, abs=1e-12)


@given(GOLDS, LINKS)
def test_sides_can_be_swapped(gold, links):
    def swapped(some):
        return frozenset((j, i) for i, j in some)

    turned = GoldAlignment(swapped(gold.sure), swapped(gold.possible))
    assert count(turned, swapped(links)) == count(gold, links)


@given(LINKS, LINKS)
def test_gold_and_prediction_can_be_swapped_where_all_is_sure(one, other):
    """Precision and recall change places; F1 and AER stay."""
    here, there = score(count(GoldAlignment(one, one), other)), score(count(GoldAlignment(other, other), one))
    assert (here.precision, here.recall) == (there.recall, there.precision)
    assert here.f1 == pytest.approx(there.f1, abs=1e-12)
    assert here.aer == pytest.approx(there.aer, abs=1e-12)


@given(GOLDS.filter(lambda gold: gold.sure))
def test_perfect_predictions(gold):
    """Between the sure and the possible links nothing can be wrong."""
    for links in (gold.sure, gold.possible):
        assert score(count(gold, links)) == (1, 1, 1, 0)


@given(GOLDS)
def test_empty_predictions(gold):
    assert count(gold, []) == (0, 0, 0, len(gold.sure))
    assert score(count(gold, [])) == (0, 0, 0, 1)


def test_nothing_against_nothing_is_no_success():
    assert score(Counts()) == (0, 0, 0, 1)
    assert evaluate([], []).scores == (0, 0, 0, 1)


@given(GOLDS, LINKS, st.tuples(st.integers(6, 9), st.integers(6, 9)))
def test_a_wrong_link_more_helps_nothing(gold, links, wrong):
    before, after = score(count(gold, links)), score(count(gold, links | {wrong}))
    assert after.precision <= before.precision
    assert after.recall == before.recall
    assert after.f1 <= before.f1 + 1e-12
    assert after.aer >= before.aer - 1e-12


def test_links_come_in_any_form_and_count_once():
    gold = GoldAlignment(frozenset({(0, 0)}), frozenset({(1, 1)}))
    links = [(0, 0), (1, 1), (1, 1), (2, 2)]
    expected = Counts(predicted=3, right_possible=2, right_sure=1, sure=1)
    assert count(gold, links) == count(gold, iter(links)) == count(gold, set(links)) == expected
    assert count(gold, Alignment(((0, 0), (1, 1), (2, 2)), (1.0, 1.0, 1.0))) == expected


def test_every_gold_sentence_needs_a_prediction():
    with pytest.raises(UsageError, match="for every gold sentence"):
        evaluate([GoldAlignment(frozenset(), frozenset())], [])


def test_evaluations_of_several_systems_in_one_pass():
    rows = [(Counts(1, 1, 1, 2), Counts(3, 2, 1, 2)), (Counts(1, 0, 0, 1), Counts(0, 0, 0, 1))]
    first, second = Evaluation.of_several(iter(rows), 2)
    assert first.counts == (2, 1, 1, 3)
    assert second.per_sentence.tolist() == [[3, 2, 1, 2], [0, 0, 0, 1]]
