"""Raw text -> words with character offsets, by the Unicode word rules (UAX #29).

    "Don't stop: 東京へ."  ->  Don't | stop | : | 東 | 京 | へ | .

Scripts that write no spaces (Han, kana, Thai, Lao, Khmer, Burmese …) come out one character a word.
A segmenter replaces that: a function from a run of such text to its words, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

import regex

from wordalign.errors import InputError
from wordalign.types import Sentence

Segmenter: TypeAlias = Callable[[str], Iterable[str]]

_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}"
    r"\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Yi}"
)
_UNSPACED_RUN = regex.compile(rf"[{_UNSPACED}][{_UNSPACED}\p{{M}}\u200c\u200d]*")
_CHARACTER = regex.compile(r"\X")
_BOUNDARY = regex.compile(r"\b", flags=regex.WORD | regex.V1)


def split_words(text: str, segmenter: Segmenter | None = None) -> Sentence:
    """Find the words of `text`; white space is dropped, everything else belongs to some word."""
    spans = tuple(_spans(text, segmenter))
    return Sentence(tuple(text[start:end] for start, end in spans), text, spans)


def _spans(text: str, segmenter: Segmenter | None) -> Iterator[tuple[int, int]]:
    end = 0
    for run in _UNSPACED_RUN.finditer(text):
        yield from _spaced_spans(text, end, run.start())
        if segmenter is None:
            yield from (character.span() for character in _CHARACTER.finditer(text, *run.span()))
        else:
            yield from _segmented_spans(run.group(), run.start(), segmenter)
        end = run.end()
    yield from _spaced_spans(text, end, len(text))


def _spaced_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    cuts = [0, *(cut.start() for cut in _BOUNDARY.finditer(part)), len(part)]
    for left, right in pairwise(cuts):
        if part[left:right].strip():
            yield start + left, start + right


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
