"""Sentences of words become the sentences of numbers that an engine takes, and its answer becomes links.

Pairs with an empty side are left out. A pair that is too long for the engine is cut into pieces, which are
aligned one by one. Each piece has an equal share of both sides. If a side has fewer words than there are
pieces, several pieces share a word:

    700 and 900 words, at most 500 at a time  ->  0-350 with 0-450, 350-700 with 450-900
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from wordalign.aligners.statistical.engines import Corpus, Directed, Direction, Side
from wordalign.types import Floats, Ints, Link


class Vocabulary(dict[str, int]):
    """The numbers of words, in order of appearance. Looking up a new word gives it the next number.

    >>> vocabulary = Vocabulary()
    >>> [vocabulary[word] for word in "to be or not to be".split()]
    [0, 1, 2, 3, 0, 1]
    """

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        return cls((word, number) for number, word in enumerate(words))

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class Numbered:
    """A corpus for an engine, and where its sentences come from.

    Each sentence pair of the corpus is a piece of one of the given pairs. `pair` holds the number of that
    pair, `source` and `target` hold the positions in it at which the piece starts; shape (pieces,).
    """

    corpus: Corpus
    pair: Ints
    source: Ints
    target: Ints

    def pieces_of(self, pairs: int) -> int:
        """The number of pieces that the first `pairs` pairs became."""
        return int(np.searchsorted(self.pair, pairs))


def number_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    vocabularies: tuple[Vocabulary, Vocabulary],
    max_length: int,
) -> Numbered:
    """Replace words by their numbers, cut long pairs into pieces, and leave out pairs with an empty side.

    New words are added to the vocabularies.
    """
    words: tuple[list[str], list[str]] = [], []
    pieces: list[tuple[int, int, int, int, int]] = []
    for number, (left, right) in enumerate(pairs):
        for i, i_end, j, j_end in cuts(len(left), len(right), max_length):
            words[0].extend(left[i:i_end])
            words[1].extend(right[j:j_end])
            pieces.append((number, i, i_end - i, j, j_end - j))
    of_pair, from_row, rows, from_column, columns = np.array(pieces, dtype=np.int32).reshape(-1, 5).T
    sides = [
        Side(np.fromiter(map(vocabulary.__getitem__, side), np.int32, len(side)), lengths, len(vocabulary))
        for vocabulary, side, lengths in zip(vocabularies, words, (rows, columns), strict=True)
    ]
    return Numbered(Corpus(*sides), of_pair, from_row, from_column)


def cuts(source: int, target: int, most: int) -> Iterator[tuple[int, int, int, int]]:
    """Where to cut a pair of `source` and `target` words into pieces of at most `most` words.

    Each piece is given as its start and end in the source, and its start and end in the target.

    >>> list(cuts(700, 900, 500))
    [(0, 350, 0, 450), (350, 700, 450, 900)]
    """
    parts = max(-(-source // most), -(-target // most)) if source and target else 0
    for part in range(parts):
        i, j = source * part // parts, target * part // parts
        i_end, j_end = source * (part + 1) // parts, target * (part + 1) // parts
        yield i, max(i_end, i + 1), j, max(j_end, j + 1)


@dataclass(frozen=True, slots=True)
class PairLinks:
    """The links of one pair in each direction and, if they were asked for, their scores.

    A score is the mean of the probabilities of both directions. A direction without the link counts as 0.
    """

    forward: Set[Link] = frozenset()
    backward: Set[Link] = frozenset()
    scores: Mapping[Link, float] = field(default_factory=dict)


def pair_links(numbered: Numbered, found: Directed, pairs: int, scores: bool) -> list[PairLinks]:
    """The links that an engine found in the first `pairs` pairs.

    If the engine gives no probabilities, every probability is 1.
    """
    source, target = numbered.corpus.source.lengths, numbered.corpus.target.lengths
    piece, j, i, ahead = _linked(found.forward, target[: numbered.pieces_of(pairs)])
    forward = _by_pair(numbered, pairs, piece, i, j)
    piece, i, j, back = _linked(found.backward, source[: numbered.pieces_of(pairs)])
    backward = _by_pair(numbered, pairs, piece, i, j)
    if not scores:
        return [PairLinks(set(one), set(other)) for one, other in zip(forward, backward, strict=True)]
    likely = iter((ahead / 2).tolist()), iter((back / 2).tolist())
    return [_scored(one, other, *likely) for one, other in zip(forward, backward, strict=True)]


def _scored(
    forward: list[Link], backward: list[Link], ahead: Iterator[float], back: Iterator[float]
) -> PairLinks:
    """The links of one pair, with scores.

    `ahead` and `back` yield half the probability of each link, for one pair after the other.
    """
    scores = dict(zip(forward, ahead, strict=False))
    for link, half in zip(backward, back, strict=False):
        scores[link] = scores.get(link, 0.0) + half
    return PairLinks(set(forward), set(backward), scores)


def _linked(direction: Direction, lengths: Ints) -> tuple[Ints, Ints, Ints, Floats]:
    """Four arrays about the linked words: piece, position in it, position of the partner, probability."""
    linked = np.flatnonzero(direction.partners >= 0)
    piece = np.repeat(np.arange(len(lengths)), lengths)[linked]
    place = linked - (np.cumsum(lengths) - lengths)[piece]
    likely = np.ones(len(linked)) if direction.probabilities is None else direction.probabilities[linked]
    return piece, place, direction.partners[linked], likely


def _by_pair(numbered: Numbered, pairs: int, piece: Ints, i: Ints, j: Ints) -> list[list[Link]]:
    links = list(
        zip((numbered.source[piece] + i).tolist(), (numbered.target[piece] + j).tolist(), strict=True)
    )
    bounds = np.searchsorted(numbered.pair[piece], np.arange(pairs + 1)).tolist()
    return [links[start:end] for start, end in pairwise(bounds)]
