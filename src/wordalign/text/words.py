"""Raw text -> words with character offsets, by the Unicode word rules (UAX #29).

    "Don't stop: 東京へ."  ->  Do | n't | stop | : | 東 | 京 | へ | .

Addresses, tags and the like stay whole (`whole.py`); words with an apostrophe are cut as treebanks cut them
(`clitics.py`).
Scripts that write no spaces come out as characters (Chinese, Japanese) or syllables (Thai, Lao, Khmer,
Burmese, Tibetan; `syllables.py`). A segmenter replaces that: a function from a run of such text to its words,
in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

import regex

from wordalign.errors import InputError
from wordalign.text.clitics import clitic_cuts
from wordalign.text.syllables import syllables
from wordalign.text.whole import whole_spans
from wordalign.types import Sentence

Segmenter: TypeAlias = Callable[[str], Iterable[str]]
Span: TypeAlias = tuple[int, int]

# Scripts without spaces; those of one string stand mixed within words.
_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー",
    *(rf"\p{{Script={name}}}" for name in ("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Yi")),
)
_UNSPACED_RUN = regex.compile(
    "|".join(rf"[{letters}][{letters}\p{{M}}\u200c\u200d]*+" for letters in _UNSPACED)
)
_ZERO_WIDTH_SPACE = "\u200b"  # separates words in Khmer, Thai and Burmese; `str.isspace` does not know it
# All unspaced scripts lie here: a text without such characters needs no search for them.
_HIGH = re.compile(r"[\u0e00-\u1fff\u2e80-\U0010ffff]")
_BOUNDARY = regex.compile(r"\b", flags=regex.WORD | regex.V1)


def split_words(text: str, segmenter: Segmenter | None = None) -> Sentence:
    """Find the words of `text`; white space is dropped, everything else belongs to some word."""
    spans: list[Span] = []
    end = 0
    for start, stop in whole_spans(text):
        _add_written(spans, text, end, start, segmenter)
        spans.append((start, stop))
        end = stop
    _add_written(spans, text, end, len(text), segmenter)
    return Sentence(tuple([text[start:end] for start, end in spans]), text, tuple(spans))


def _add_written(spans: list[Span], text: str, start: int, end: int, segmenter: Segmenter | None) -> None:
    """Add the words of `text[start:end]`, which is natural language in any mixture of scripts."""
    if _HIGH.search(text, start, end):
        for run in _UNSPACED_RUN.finditer(text, start, end):
            _add_spaced(spans, text, start, run.start())
            start = run.start()
            pieces = syllables(run.group()) if segmenter is None else _segmented(run.group(), segmenter)
            for piece in pieces:
                spans.append((start, start + len(piece)))
                start += len(piece)
    _add_spaced(spans, text, start, end)


def _add_spaced(spans: list[Span], text: str, start: int, end: int) -> None:
    """Add the words of `text[start:end]`, which has no letter of an unspaced script."""
    part = text[start:end]
    clitics = "'" in part or "’" in part
    for piece in _BOUNDARY.split(part):
        end = start + len(piece)
        if piece and not piece.isspace() and piece != _ZERO_WIDTH_SPACE:
            if clitics and ("'" in piece or "’" in piece):
                for cut in clitic_cuts(piece, text):
                    spans.append((start, end - len(piece) + cut))
                    start = end - len(piece) + cut
            spans.append((start, end))
        start = end


def _segmented(run: str, segmenter: Segmenter) -> list[str]:
    try:
        pieces = [str(piece) for piece in segmenter(run)]
    except Exception as error:
        raise InputError(f"The segmenter failed on {run[:20]!r}: {error}") from error
    if "".join(pieces) != run or not all(pieces):
        raise InputError(
            f"The segmenter's words do not spell the text it was given ({run[:20]!r}): "
            "it must return consecutive, non-empty pieces of its input."
        )
    return pieces
