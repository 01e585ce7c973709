"""Phrase pairs: spans of both sentences whose words are linked with each other and with nothing else.

A source span and a target span are a phrase pair if some link lies inside both, and no link leads from inside
one to outside the other (Och and Ney 2004). Words without links may stand anywhere in a phrase.

    the old house        links 0-0 1-1 2-2
    das alte Haus        phrase pairs of at most two words: the = das, the old = das alte, old = alte, …
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from wordalign.errors import UsageError
from wordalign.types import Link


class PhraseSpans(NamedTuple):
    """Words `source_start` to `source_end` (not included) of one sentence, and the same of the other."""

    source_start: int
    source_end: int
    target_start: int
    target_end: int


def phrase_spans(
    links: Iterable[Link],
    source_length: int,
    target_length: int,
    max_length: int = 7,
    *,
    tight: bool = False,
) -> Iterator[PhraseSpans]:
    """All phrase pairs of at most `max_length` words on each side, each once.

    With `tight`, the first and the last word of both phrases have links.

    >>> [tuple(spans) for spans in phrase_spans([(0, 1), (1, 0)], 2, 2)]
    [(0, 1, 1, 2), (0, 2, 0, 2), (1, 2, 0, 1)]
    """
    if max_length < 1:
        raise UsageError(f"A phrase has at least one word: give a length limit above 0, not {max_length}.")
    beyond = source_length + target_length  # greater than any position
    source_low, source_high = [beyond] * source_length, [-1] * source_length
    target_low, target_high = [beyond] * target_length, [-1] * target_length
    for i, j in links:
        source_low[i], source_high[i] = min(source_low[i], j), max(source_high[i], j)
        target_low[j], target_high[j] = min(target_low[j], i), max(target_high[j], i)
    for start in range(source_length):
        low, high = beyond, -1  # the first and last target word that is linked with the span
        for last in range(start, min(start + max_length, source_length)):
            low, high = min(low, source_low[last]), max(high, source_high[last])
            if high < 0:
                continue
            # A longer source span links with these target words and more, so that nothing follows here.
            if high - low >= max_length or min(target_low[low : high + 1]) < start:
                break
            if max(target_high[low : high + 1]) > last:
                continue
            if not tight:
                yield from _with_unlinked_edges(start, last, low, high, target_high, max_length)
            elif source_high[start] >= 0 and source_high[last] >= 0:
                yield PhraseSpans(start, last + 1, low, high + 1)


def _with_unlinked_edges(
    start: int, last: int, low: int, high: int, target_high: list[int], max_length: int
) -> Iterator[PhraseSpans]:
    """The span, and each longer one that has words without links before and behind it."""
    first = low
    while True:
        end = high
        while end - first < max_length:
            yield PhraseSpans(start, last + 1, first, end + 1)
            end += 1
            if end == len(target_high) or target_high[end] >= 0:
                break
        first -= 1
        if first < 0 or target_high[first] >= 0 or high - first >= max_length:
            return
