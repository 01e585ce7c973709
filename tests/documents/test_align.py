"""Two texts through the bundled model: groups, links and their places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import wordalign.documents.align as align_module
import wordalign.documents.words as words_module
from wordalign import Aligner, InputError, align_documents
from wordalign.documents import stream_groups
from wordalign.documents.doubts import Doubts
from wordalign.documents.read import read_text
from wordalign.documents.sentences import split_text
from wordalign.documents.types import Text

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def aligner():
    return Aligner()


@pytest.fixture(scope="module")
def story(aligner):
    return align_documents(
        read_text(EXAMPLES / "story-eng.txt", "en"), read_text(EXAMPLES / "story-deu.txt", "de"), aligner
    )


def shapes(found):
    return [
        (end - start, stop - begin)
        for (start, end), (begin, stop) in ((g.source, g.target) for g in found.groups)
    ]


def test_a_story_is_grouped_as_it_was_translated(story):
    assert shapes(story) == [
        *[(1, 1)] * 3, (1, 2), (0, 1), *[(1, 1)] * 7, (2, 1), (1, 1),
    ]  # fmt: skip
    assert story.matched > 0.9
    assert len(list(story.pairs)) == 13


def test_places_of_links_are_those_of_words_in_both_texts(story):
    words = {
        (story.source.text[a:b], story.target.text[c:d])
        for (a, b), (c, d), score in story.links
        if score > 0.5
    }
    assert {("newspapers", "Zeitungen"), ("Olsen", "Olsen"), ("cap", "Mütze"), ("radio", "Funk")} <= words
    assert all(0 <= score <= 1 for *_, score in story.links)


def test_words_are_linked_across_a_border_of_sentences(story):
    group = story.groups[3]
    assert group.target[1] - group.target[0] == 2
    border = story.target.spans[group.target[0]][1]
    reached = [place for _, place, _ in group.links]
    assert min(reached)[0] < border < max(reached)[0]
    phrases = [(story.source.text[a:b], story.target.text[c:d]) for (a, b), (c, d) in group.phrases()]
    assert ("twenty years", "zwanzig Jahren") in phrases


def test_every_sentence_is_in_one_group_and_in_order(story):
    for side, count in (("source", len(story.source)), ("target", len(story.target))):
        numbers = [k for group in story.groups if not group.moved for k in range(*getattr(group, side))]
        assert numbers == list(range(count))


def test_an_alignment_of_a_group_carries_places_of_the_text(story):
    group = story.groups[1]
    place = story.source.text.index("old lamp")
    (found,) = group.alignment.project([(place, place + 8)], characters=True)
    assert [story.target.text[a:b] for a, b in found.characters] == ["alte Lampe"]


def pairs_of_examples() -> tuple[list[str], list[str]]:
    return tuple((EXAMPLES / f"{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu"))  # type: ignore[return-value]


def test_what_was_left_out_and_what_was_moved_is_found(aligner):
    one, other = pairs_of_examples()
    footnote = other.pop(4)
    del one[12:17]
    found = align_documents("\n".join(one), "\n".join([*other, footnote]), aligner, languages=("en", "de"))
    matched = {
        (found.source.between(group.source), found.target.between(group.target)): group.moved
        for group in found.groups
        if group.score > 0.5
    }
    assert matched[one[4], footnote]
    left = {
        found.target.between(group.target) for group in found.groups if group.source[0] == group.source[1]
    }
    assert set(other[11:16]) <= left
    right = sum(
        (a, b) in matched for a, b in zip([*one[:4], *one[5:]], [*other[:11], *other[16:]], strict=True)
    )
    assert right >= 23


def test_parts_and_forgotten_vectors_change_nothing(aligner, monkeypatch):
    one, other = pairs_of_examples()
    texts = [split_text("\n".join(3 * lines), code) for lines, code in ((one, "en"), (other, "de"))]
    whole = list(stream_groups(*texts, aligner))
    monkeypatch.setattr(align_module, "PART", 10)
    monkeypatch.setattr(words_module, "KEPT_WORDS", 0)
    monkeypatch.setattr(words_module, "BLOCK", 7)
    shares: list[float] = []
    parts = list(stream_groups(*texts, aligner, progress=shares.append))
    assert [(g.source, g.target) for g in parts] == [(g.source, g.target) for g in whole]
    assert all(a.alignment.links == b.alignment.links for a, b in zip(parts, whole, strict=True))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


def test_empty_and_strange_texts(aligner):
    with pytest.raises(InputError, match="no sentence in the second text"):
        align_documents("One.", " \n ", aligner)
    found = align_documents("* * *\n\nOne house.", "* * *\n\nEin Haus.", aligner, languages=("en", "de"))
    assert shapes(found) == [(1, 1), (1, 1)]
    found = align_documents("\x00\x01 \x02.", "Ein Haus.", aligner, languages=("en", "de"))
    assert found.matched == 0


def doubts_of(one: Text, other: Text, aligner) -> list[str]:
    doubts = Doubts(one, other)
    list(doubts.watched(stream_groups(one, other, aligner)))
    return doubts.sentences()


def test_doubts_are_told(aligner):
    one, other = (
        split_text("\n".join(lines), code, code)
        for lines, code in zip(pairs_of_examples(), ("en", "de"), strict=True)
    )
    assert doubts_of(one, other, aligner) == []
    assert "the same text" in doubts_of(one, one, aligner)[0]
    short = split_text(other.text[:200], "de", "short")
    assert "times as long as short" in doubts_of(one, short, aligner)[0]
    unrelated = split_text(EXAMPLES.joinpath("story-deu.txt").read_text("utf-8"), "de", "story")
    assert "may not translate each other" in doubts_of(one, unrelated, aligner)[-1]


def test_the_same_text_twice_has_low_scores(aligner):
    text = "\n".join(pairs_of_examples()[0])
    found = align_documents(text, text, aligner, languages=("en", "en"))
    assert np.mean([group.score for group in found.groups]) < 0.5
