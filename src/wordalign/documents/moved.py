"""Sentences that found no partner in their place and stand elsewhere in the other text: footnotes, say.

Two of them belong together if each has the other's vector nearest to its own, and if then the links of
their words say that they are translations. Single words and numbers are left alone: they are alike by
chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wordalign.aligners.neural import Aligner
from wordalign.documents.types import SentenceGroup
from wordalign.documents.words import Words
from wordalign.links.similarity import similarity_matrix
from wordalign.types import Pair

MOST = 20_000  # sentences without a partner that are compared, of each text
SHORTEST = 3  # words
LEAST = 0.8  # the score from which on two sentences count as moved: there are many that they could go with
_ROWS = 1000


def moved_groups(
    one: Words, other: Words, alone: tuple[list[int], list[int]], aligner: Aligner
) -> Iterator[SentenceGroup]:
    """The groups of sentences of `alone`, in the order of the first text."""
    sources = [i for i in alone[0] if one.sizes[i] >= SHORTEST][:MOST]
    targets = [j for j in alone[1] if other.sizes[j] >= SHORTEST][:MOST]
    if not sources or not targets:
        return
    pairs = list(_nearest(one, other, sources, targets))
    encodings = one.encoded(i for i, _ in pairs), other.encoded(j for _, j in pairs)
    matrices = [similarity_matrix(first, second) for first, second in zip(*encodings, strict=True)]
    sentences = [Pair(one.sentence((i, i + 1)), other.sentence((j, j + 1))) for i, j in pairs]
    method = aligner.methods[0]
    for (i, j), found in zip(pairs, aligner.extract(sentences, matrices), strict=True):
        score = found[method].score
        if score >= LEAST:
            yield SentenceGroup((i, i + 1), (j, j + 1), found[method], score, moved=True)


def _nearest(one: Words, other: Words, sources: list[int], targets: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs in which each has the nearest vector of all to the other's."""
    first = one.sentence_vectors(lambda _: None)[sources]
    second = other.sentence_vectors(lambda _: None)[targets]
    best_target = np.empty(len(sources), dtype=np.int64)
    best_source, highest = np.zeros(len(targets), dtype=np.int64), np.full(len(targets), -np.inf)
    for start in range(0, len(sources), _ROWS):
        alike = first[start : start + _ROWS] @ second.T
        best_target[start : start + _ROWS] = alike.argmax(axis=1)
        rows = alike.argmax(axis=0)
        values = alike[rows, np.arange(len(targets))]
        better = values > highest
        best_source[better], highest[better] = rows[better] + start, values[better]
    for k, place in enumerate(best_target.tolist()):
        if best_source[place] == k:
            yield sources[k], targets[place]
