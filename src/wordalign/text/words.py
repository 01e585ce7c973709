"""Raw text -> words with character offsets, by the Unicode word rules (UAX #29).

    "Don't stop: 東京へ."  ->  Do | n't | stop | : | 東 | 京 | へ | .

Addresses, tags and the like stay whole (`whole.py`); words with an apostrophe are cut as treebanks cut them
(`clitics.py`).
Scripts that write no spaces (Han, kana, Thai, Lao, Khmer, Burmese …) come out one character a word.
A segmenter replaces that: a function from a run of such text to its words, in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import regex

from wordalign.errors import InputError
from wordalign.text.clitics import clitic_cuts
from wordalign.text.whole import whole_spans
from wordalign.types import Sentence

Segmenter: TypeAlias = Callable[[str], Iterable[str]]
Span: TypeAlias = tuple[int, int]

_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Yi}"
)
_UNSPACED_RUN = regex.compile(rf"[{_UNSPACED}][{_UNSPACED}\p{{M}}\u200c\u200d]*")
# All unspaced scripts lie here: a text without such characters needs no search for them.
_HIGH = re.compile(r"[\u0e00-\u1fff\u2e80-\U0010ffff]")
_CHARACTER = regex.compile(r"\X")
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
            if segmenter is None:
                spans += [character.span() for character in _CHARACTER.finditer(text, *run.span())]
            else:
                spans += _segmented_spans(run.group(), run.start(), segmenter)
            start = run.end()
    _add_spaced(spans, text, start, end)


def _add_spaced(spans: list[Span], text: str, start: int, end: int) -> None:
    """Add the words of `text[start:end]`, which has no letter of an unspaced script."""
    part = text[start:end]
    clitics = "'" in part or "’" in part
    for piece in _BOUNDARY.split(part):
        end = start + len(piece)
        if piece and not piece.isspace():
            if clitics and ("'" in piece or "’" in piece):
                for cut in clitic_cuts(piece, text):
                    spans.append((start, end - len(piece) + cut))
                    start = end - len(piece) + cut
            spans.append((start, end))
        start = end


def _segmented_spans(run: str, start: int, segmenter: Segmenter) -> Iterator[tuple[int, int]]:
    try:
        pieces = [str(piece) for piece in segmenter(run)]
    except Exception as error:
        raise InputError(f"The segmenter failed on {run[:20]!r}: {error}") from error
    if "".join(pieces) != run or not all(pieces):
        raise InputError(
            f"The segmenter's words do not spell the text it was given ({run[:20]!r}): "
            "it must return consecutive, non-empty pieces of its input."
        )
    for piece in pieces:
        yield start, start + len(piece)
        start += len(piece)
