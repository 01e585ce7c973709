"""Pairs as people never write them, and must be able to draw all the same."""

from __future__ import annotations

from hypothesis import strategies as st

from wordalign.types import Alignment, GoldAlignment, Sentence

NASTY = (
    "<script>alert(1)</script>", "]]>", "</svg>", "&amp;", '"', "'", "\x00", "\x1b[31m", "\n", "\ud800", "",
    "\u202edrow", "{{data}}", "</title>", "<!--", "--> <script>", "\ufffe", "नमस्ते", "می‌روم", "東京",
    "👩‍👩‍👧", "e\u0301\u0302", "https://example.org/" + "a" * 300,
)  # fmt: skip

words = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=12)), max_size=30)


@st.composite
def links(draw, sentences):
    rows, columns = (len(sentence) for sentence in sentences)
    if not rows or not columns:
        return frozenset()
    link = st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1))
    return draw(st.frozensets(link, max_size=40))


@st.composite
def pictures(draw):
    """An alignment, perhaps another one of the same pair, perhaps gold."""
    sentences = draw(words), draw(words)
    sides = [Sentence.from_words(sentence) for sentence in sentences]

    def alignment():
        found = sorted(draw(links(sentences)))
        scores = draw(st.lists(st.floats(0, 1), min_size=len(found), max_size=len(found)))
        return Alignment(tuple(found), tuple(scores), *sides)

    second = alignment() if draw(st.booleans()) else None
    gold = GoldAlignment(draw(links(sentences)), draw(links(sentences))) if draw(st.booleans()) else None
    return alignment(), second, gold
