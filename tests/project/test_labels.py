"""Tags and spans, and the rules that decide what is carried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import UnknownNameError, UsageError
from wordalign.project.labels import (
    INCOMPLETE,
    NOT_ONE_TO_ONE,
    SCATTERED,
    TAKEN,
    Rules,
    project_labels,
    project_spans,
    scheme_of,
    spans_of,
    tags_of,
)
from wordalign.types import Alignment, Sentence


@st.composite
def labelled_spans(draw: st.DrawFn) -> tuple[list[tuple[int, int, str]], int]:
    spans, place = [], 0
    for _ in range(draw(st.integers(0, 4))):
        start = place + draw(st.integers(0, 2))
        place = start + draw(st.integers(1, 3))
        spans.append((start, place, draw(st.sampled_from(["PER", "LOC", "B-x"]))))
    return spans, place + draw(st.integers(0, 2))


@given(labelled_spans(), st.sampled_from(["bio", "bioes", "bilou"]))
def test_spans_survive_as_tags(labelled, scheme):
    spans, words = labelled
    tags = tags_of(spans, words, scheme)
    assert len(tags) == words
    assert spans_of(tags) == spans
    if any(end - start == 1 for start, end, _ in spans):
        assert scheme_of(tags) == scheme


def test_tags_of_the_first_bio_scheme_are_read():
    assert spans_of(["I-LOC", "I-LOC", "O", "I-PER", "B-PER", "I-ORG"]) == [
        (0, 2, "LOC"), (3, 4, "PER"), (4, 5, "PER"), (5, 6, "ORG"),
    ]  # fmt: skip


def test_what_is_no_tag_is_refused():
    with pytest.raises(UsageError, match="'PER' is no tag"):
        spans_of(["O", "PER"])


def aligned(words: tuple[str, str], *links: tuple[int, int, float]) -> Alignment:
    sides = [Sentence(tuple(side.split())) for side in words]
    return Alignment(tuple((i, j) for i, j, _ in links), tuple(score for _, _, score in links), *sides)


def test_labels_go_with_the_words():
    alignment = aligned(
        ("in the United States today", "heute in den USA"),
        (0, 1, 0.9), (1, 2, 0.9), (2, 3, 0.8), (3, 3, 0.8), (4, 0, 0.9),
    )  # fmt: skip
    assert project_labels(alignment, ["O", "O", "B-LOC", "I-LOC", "S-DATE"]) == ["S-DATE", "O", "O", "S-LOC"]
    assert project_labels(alignment, ["O", "O", "B-LOC", "I-LOC", "B-DATE"]) == ["B-DATE", "O", "O", "B-LOC"]
    with pytest.raises(UsageError, match="2 labels for 5 words"):
        project_labels(alignment, ["O", "O"])


@pytest.mark.parametrize(
    ("links", "name", "reason"),
    [
        ([(0, 0, 0.9)], "complete", INCOMPLETE),
        ([(0, 0, 0.9), (1, 0, 0.9), (1, 2, 0.5), (2, 1, 0.9)], "contiguous", SCATTERED),
        ([(0, 0, 0.9), (1, 0, 0.9), (2, 0, 0.5)], "one-to-one", NOT_ONE_TO_ONE),
    ],
)
def test_each_filter_drops_what_it_says(links, name, reason):
    alignment = aligned(("a b c", "x y z"), *links)
    (kept,) = project_spans(alignment, [(0, 2)])
    assert kept.target == (0, 1)
    (dropped,) = project_spans(alignment, [(0, 2)], Rules(filters=(name,)))
    assert (dropped.intervals, dropped.reason) == ((), reason)
    others = tuple({"complete", "contiguous", "one-to-one"} - {name})
    assert project_spans(alignment, [(0, 2)], Rules(filters=others))[0].target == (0, 1)


def test_punctuation_need_not_be_linked_for_a_complete_source():
    alignment = aligned(("St . Gallen", "Sankt Gallen"), (0, 0, 0.9), (2, 1, 0.9))
    assert project_spans(alignment, [(0, 3)], Rules(filters=("complete",)))[0].target == (0, 2)


def test_of_two_spans_at_one_place_the_more_probable_is_kept():
    alignment = aligned(("a b", "x"), (0, 0, 0.6), (1, 0, 0.5))
    spans = [(0, 1), (0, 2)]
    assert [span.reason for span in project_spans(alignment, spans)] == [TAKEN, ""]
    assert [span.reason for span in project_spans(alignment, spans, overlapping=True)] == ["", ""]


def test_wrong_rules_are_explained():
    with pytest.raises(UnknownNameError, match="Did you mean 'complete'"):
        Rules(filters=("complet",))
    with pytest.raises(UsageError, match="between 0 and 1"):
        Rules(min_probability=80)
