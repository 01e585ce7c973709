"""Slices by word frequency: is a system good on rare words?

A link belongs to the bin of its rarer word: of the smaller of the frequencies that its two words have in a
reference corpus. Bins are half open, [low, high), as in the paper (section 5.2).

>>> slices = frequency_slices(["the", "otter"], ["der", "Otter"], ({"the": 900, "otter": 3}, {"der": 950}))
>>> slices((0, 0)), slices((1, 1))
(('100-999',), ('0',))
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from wordalign.errors import UsageError
from wordalign.evaluate.counts import Counts, Links
from wordalign.evaluate.slices import SlicesOf, add_slices, count_slices
from wordalign.types import GoldAlignment, Link

WordPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
Frequencies: TypeAlias = tuple[Mapping[str, int], Mapping[str, int]]

BINS = (0, 1, 10, 100, 1000, 10_000)


def word_counts(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """How often each word stands in a corpus."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence)
    return counts


def bin_names(bins: Sequence[int] = BINS) -> list[str]:
    """`(0, 1, 10)` -> `["0", "1-9", "10+"]`."""
    if not bins or bins[0] < 0 or any(low >= high for low, high in pairwise(bins)):
        raise UsageError(f"The lower ends of frequency bins must rise from 0 or more, unlike {tuple(bins)}.")
    closed = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(bins)]
    return [*closed, f"{bins[-1]}+"]


def frequency_slices(
    source: Sequence[str], target: Sequence[str], frequencies: Frequencies, bins: Sequence[int] = BINS
) -> SlicesOf:
    """The bin of each link of one pair; none for a link below the lowest bin."""
    names = [(name,) for name in bin_names(bins)]
    left = [frequencies[0].get(word, 0) for word in source]
    right = [frequencies[1].get(word, 0) for word in target]

    def slices_of(link: Link) -> tuple[str, ...]:
        place = bisect_right(bins, min(left[link[0]], right[link[1]]))
        return names[place - 1] if place else ()

    return slices_of


def by_frequency(
    golds: Iterable[GoldAlignment],
    predictions: Iterable[Links],
    words: Iterable[WordPair],
    frequencies: Frequencies,
    bins: Sequence[int] = BINS,
) -> dict[str, Counts]:
    """Counts of a corpus by the frequency of the rarer word: bins in rising order, empty ones too.

    `words` are the source and target words of each pair, `frequencies` those of the source and target words
    in the reference corpus (`word_counts`); a word that is not in it has frequency 0. `bins` are lower ends.
    """
    totals = {name: Counts() for name in bin_names(bins)}
    for gold, links, (source, target) in zip(golds, predictions, words, strict=True):
        slices_of = frequency_slices(source, target, frequencies, bins)
        add_slices(totals, count_slices(gold, links, slices_of))
    return totals
