"""Spans carried across links, against a literal transcription of the definition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign.errors import UsageError
from wordalign.project.spans import IMPROBABLE, NO_LINKS, ONLY_PUNCTUATION, OUTVOTED
from wordalign.text import split_words
from wordalign.types import Alignment, Sentence

# Few distinct values make ties common.
SCORES = st.one_of(st.sampled_from([0.1, 0.2, 0.3, 0.5, 1.0]), st.floats(0, 1))


@st.composite
def alignments(draw: st.DrawFn) -> Alignment:
    m, n = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    links = sorted(draw(st.sets(st.tuples(st.integers(0, m - 1), st.integers(0, n - 1)))))
    scores = [draw(SCORES) for _ in links]
    words = Sentence(tuple("s" * m)), Sentence(tuple("t" * n))
    return Alignment(tuple(links), tuple(scores), *words)


def interval_sets(words: int, most: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All sets of up to `most` intervals that do not overlap, in order."""
    intervals = list(itertools.combinations(range(words + 1), 2))
    for number in range(most + 1):
        for chosen in itertools.combinations(intervals, number):
            if all(first[1] <= second[0] for first, second in itertools.pairwise(chosen)):
                yield chosen


def literally_best(alignment: Alignment, span: tuple[int, int], most: int, edges: str) -> tuple:
    def rank(chosen: tuple[tuple[int, int], ...]) -> tuple:
        words = {word for start, end in chosen for word in range(start, end)}
        # As whole numbers: sums of floats depend on their order, and would decide what is a tie.
        mass = sum(
            round(score * (1 << 40))
            for (i, j), score in zip(alignment.links, alignment.scores, strict=True)
            if (span[0] <= i < span[1]) == (j in words)
        )
        return -mass, len(chosen), len(words) if edges == "trim" else -len(words), chosen

    return min(interval_sets(len(alignment.target), most), key=rank)


@settings(max_examples=300, deadline=None)
@given(alignments(), st.data())
def test_the_best_intervals_are_those_of_the_definition(alignment, data):
    start = data.draw(st.integers(0, len(alignment.source) - 1))
    span = start, data.draw(st.integers(start + 1, len(alignment.source)))
    most, edges = data.draw(st.integers(1, 3)), data.draw(st.sampled_from(["trim", "keep"]))
    (found,) = alignment.project([span], intervals=most, edges=edges)
    if any(span[0] <= i < span[1] for i, _ in alignment.links):
        assert found.intervals == literally_best(alignment, span, most, edges)
    else:
        assert (found.intervals, found.reason) == ((), NO_LINKS)


@settings(deadline=None)
@given(alignments())
def test_what_was_left_out_is_what_the_links_say(alignment):
    span = (0, (len(alignment.source) + 1) // 2)
    (found,) = alignment.project([span])
    inside = {word for start, end in found.intervals for word in range(start, end)}
    of_span = {(i, j) for i, j in alignment.links if span[0] <= i < span[1]}
    assert set(found.missing) == set(range(*span)) - {i for i, j in of_span if j in inside}
    assert set(found.outside) == {j for _, j in of_span if j not in inside}
    assert set(found.shared) == {j for i, j in alignment.links if j in inside and i >= span[1]}
    assert 0 <= found.probability <= 1
    assert bool(found.intervals) == (not found.reason)


@settings(deadline=None)
@given(alignments())
def test_the_reverse_is_the_project_of_the_reversed_links(alignment):
    turned = sorted(((j, i), score) for (i, j), score in zip(alignment.links, alignment.scores, strict=True))
    other = Alignment(
        tuple(link for link, _ in turned),
        tuple(score for _, score in turned),
        alignment.target,
        alignment.source,
    )
    spans = [(0, len(alignment.target))]
    (found,), (wanted,) = alignment.project(spans, reverse=True), other.project(spans)
    assert found.intervals == wanted.intervals
    assert found.probability == pytest.approx(wanted.probability)


def aligned(source: str, target: str, *links: tuple[int, int, float]) -> Alignment:
    sides = split_words(source), split_words(target)
    return Alignment(tuple((i, j) for i, j, _ in links), tuple(score for _, _, score in links), *sides)


def test_an_article_outside_the_span_stays_outside():
    alignment = aligned("the Commission", "die Kommission", (0, 0, 0.9), (1, 1, 0.9), (1, 0, 0.5))
    (found,) = alignment.project([(1, 2)])
    assert found.target == (1, 2)
    assert found.outside == (0,)
    assert found.characters == ((4, 14),)


def test_a_span_without_links_gets_none_and_says_so():
    alignment = aligned("yes , it rains", "es regnet", (2, 0, 0.9), (3, 1, 0.9))
    (found,) = alignment.project([(0, 1)])
    assert (found.target, found.probability, found.reason) == (None, 0.0, NO_LINKS)
    assert found.missing == (0,)


def test_a_span_whose_words_belong_to_others_gets_none():
    alignment = aligned("to carry out", "ausführen", (0, 0, 0.5), (1, 0, 0.9), (2, 0, 0.6))
    (found,) = alignment.project([(0, 1)])
    assert (found.intervals, found.reason) == ((), OUTVOTED)


def test_punctuation_stays_at_the_edges_only_if_the_span_has_it():
    alignment = aligned("red wine", "« vin rouge »", (0, 0, 0.4), (0, 2, 0.9), (1, 1, 0.9), (1, 3, 0.3))
    assert alignment.project([(0, 2)])[0].target == (1, 3)
    quoted = aligned('"wine"', "«vin»", (0, 0, 0.9), (1, 1, 0.9), (2, 2, 0.9))
    assert quoted.project([(0, 3)])[0].target == (0, 3)
    alone = aligned("red wine", "vin !", (0, 1, 0.4), (1, 0, 0.9))
    assert alone.project([(0, 1)])[0].reason == ONLY_PUNCTUATION


def test_edges_and_pieces():
    alignment = aligned("he gave up smoking", "er gab das Rauchen auf", (0, 0, 0.9), (1, 1, 0.8), (2, 4, 0.8),
                        (3, 3, 0.9))  # fmt: skip
    assert alignment.project([(1, 3)])[0].intervals == ((1, 2),)
    assert alignment.project([(1, 3)])[0].outside == (4,)
    assert alignment.project([(1, 3)], intervals=2)[0].intervals == ((1, 2), (4, 5))
    assert alignment.project([(3, 4)])[0].intervals == ((3, 4),)
    assert alignment.project([(3, 4)], edges="keep")[0].intervals == ((2, 4),)


def test_a_minimum_probability():
    alignment = aligned("wine", "vin", (0, 0, 0.6))
    assert alignment.project([(0, 1)])[0].probability == pytest.approx(0.6)
    (found,) = alignment.project([(0, 1)], min_probability=0.7)
    assert (found.intervals, found.reason) == ((), IMPROBABLE)
    assert found.probability == pytest.approx(0.6)


def test_characters_of_raw_text_stand_for_the_words_they_touch():
    alignment = aligned("Visit New York.", "Besuche New York.", (0, 0, 0.9), (1, 1, 0.9), (2, 2, 0.9))
    assert alignment.project([(6, 14)], characters=True)[0].characters == ((8, 16),)
    assert alignment.project([(7, 12)], characters=True)[0].source == (1, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"spans": [(1, 1)]}, "no span of a sentence of 2 words"),
        ({"spans": [(0, 3)]}, "no span of a sentence of 2 words"),
        ({"spans": [(0, 1)], "intervals": 0}, "1 interval or more"),
        ({"spans": [(0, 1)], "edges": "cut"}, "trim"),
        ({"spans": [(0, 1)], "min_probability": 1.5}, "between 0 and 1"),
        ({"spans": [(0, 99)], "characters": True}, "no span of a text of 8 characters"),
        ({"spans": [(3, 4)], "characters": True}, "no word at"),
    ],
)
def test_wrong_calls_are_explained(call, message):
    with pytest.raises(UsageError, match=message):
        aligned("red wine", "vin rouge", (0, 1, 0.9)).project(**call)


def test_characters_need_raw_text():
    words = Alignment(((0, 0),), (1.0,), Sentence(("a",)), Sentence(("b",)))
    with pytest.raises(UsageError, match="align texts"):
        words.project([(0, 1)], characters=True)


def test_links_without_scores_count_as_certain():
    words = Sentence(("a", "b")), Sentence(("x", "y"))
    (found,) = Alignment(((0, 1), (1, 0)), (), *words).project([(0, 1)])
    assert (found.intervals, found.probability) == (((1, 2),), 1.0)


def test_links_without_words_are_enough():
    assert Alignment(((0, 1), (2, 0)), (1.0, 1.0)).project([(2, 3)])[0].intervals == ((0, 1),)
