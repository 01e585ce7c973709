"""Two aligned texts as one HTML file to read: side by side, scrolled together, linked words lit on touch.

Like the page of `html.py`, it holds its data as JSON, loads nothing from outside, and allows no other
script. A sentence is a list of pieces, of which every second one is a word with links:

    "The red house."  ->  ["", "The", " ", "red", " ", "house", "."]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from wordalign.documents.types import SentenceGroup, Text
from wordalign.render.characters import drawable
from wordalign.render.html import filled_page
from wordalign.types import Span

SAME_LINE, SPACE, PARAGRAPH = 0, 1, 2  # what stands before a sentence


def reading_html(
    source: Text, target: Text, groups: Iterable[SentenceGroup], *, title: str = "Two texts"
) -> str:
    """Make the page of two texts and the groups of their sentences."""
    kept = list(groups)
    data = {
        "sides": [_side(source, kept, 0), _side(target, kept, 1)],
        "groups": [_group(group) for group in kept],
    }
    return filled_page("reading", data, {"title": escape(drawable(title))})


def _group(group: SentenceGroup) -> list[Any]:
    """The sentences of both sides, the score in hundredths, 1 if moved, and three numbers for each link:
    the linked words, counted in the group, and its score in hundredths."""
    links = group.alignment.links
    places = [{word: k for k, word in enumerate(sorted({link[side] for link in links}))} for side in (0, 1)]
    flat = [
        number
        for (i, j), score in zip(links, group.alignment.scores, strict=True)
        for number in (places[0][i], places[1][j], _hundredths(score))
    ]
    return [*group.source, *group.target, _hundredths(group.score), int(group.moved), flat]


def _hundredths(score: float) -> int:
    return round(100 * min(1.0, max(0.0, score)))


def _side(text: Text, groups: Sequence[SentenceGroup], side: int) -> dict[str, Any]:
    words: list[list[Span]] = [[] for _ in range(len(text))]
    for group in groups:
        sentence = (group.alignment.source, group.alignment.target)[side]
        offsets = sentence.offsets or ()
        number, end = (group.source, group.target)[side]
        for word in sorted({link[side] for link in group.alignment.links}):
            while number < end - 1 and offsets[word][0] >= text.spans[number][1]:
                number += 1
            words[number].append(offsets[word])
    sentences: list[list[Any]] = []
    for number, (start, end) in enumerate(text.spans):
        before = text.spans[number - 1][1] if number else 0
        if not number or text.paragraphs[number] != text.paragraphs[number - 1]:
            gap = PARAGRAPH
        else:
            gap = SPACE if before < start else SAME_LINE
        pieces, place = [], start
        for begin, stop in words[number]:
            pieces += [_shown(text.text[place:begin]), _shown(text.text[begin:stop])]
            place = stop
        sentences.append([gap, [*pieces, _shown(text.text[place:end])]])
    return {"name": drawable(text.name), "language": text.language, "sentences": sentences}


def _shown(piece: str) -> str:
    """A piece of text in one line, without signs that would disturb the rest of the page."""
    return drawable(re.sub(r"\s+", " ", piece))
