"""Links between units of many pairs -> links between words, an alignment a pair.

Two words are linked if any of their units (words or subwords) are, with the best score of those units.

    units linked    (this, das)  (##a, h##)  (house, h##)  (house, ##aus)
    words linked    (this, das)  (house, haus)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordalign.types import Alignment, Floats, Ints, Pair

# A link as one number that sorts as (pair, source word, target word) do: 24 bits for each word, more than a
# line can hold, which leaves 15 for the pair, more than a chunk can.
_BITS = 24
_MASK = (1 << _BITS) - 1
MOST_PAIRS = 1 << 63 - 2 * _BITS


def link_keys(pair: Ints | int, source: Ints, target: Ints) -> Ints:
    """The links of `source` words with `target` words in pairs, as keys for `word_alignments`."""
    return (np.asarray(pair, dtype=np.int64) << 2 * _BITS) | (source.astype(np.int64) << _BITS) | target


def word_alignments(
    pairs: Sequence[Pair], keys: Ints, scores: Floats, threshold: float = 0.0
) -> list[Alignment]:
    """The alignments of these pairs from the keys of their links, in any order and some of them often.

    `scores` go with `keys`; links below `threshold` are left out.
    """
    scores = scores.astype(np.float64)
    if threshold:
        kept = scores >= threshold
        keys, scores = keys[kept], scores[kept]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    best = np.maximum.reduceat(scores[order], starts).tolist() if len(starts) else []
    keys = keys[starts]
    bounds = np.searchsorted(keys >> 2 * _BITS, np.arange(len(pairs) + 1)).tolist()
    links = list(zip((keys >> _BITS & _MASK).tolist(), (keys & _MASK).tolist(), strict=True))
    return [
        Alignment(tuple(links[first:last]), tuple(best[first:last]), pair.source, pair.target)
        for pair, first, last in zip(pairs, bounds[:-1], bounds[1:], strict=True)
    ]
