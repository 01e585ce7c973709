"""Sentences of words -> sentences of numbers that an engine takes, and its links back to the sentences.

Pairs with an empty side are left out. A pair too long for the engine is cut into pieces of equal shares,
each aligned on its own:

    700 and 900 words, at most 500 at a time  ->  0-350 with 0-450, 350-700 with 450-900
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from wordalign.statistical.engines import Corpus, Directed
from wordalign.types import Link


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words and their numbers, in order of appearance."""

    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        return cls({word: number for number, word in enumerate(words)})

    def copy(self) -> Vocabulary:
        return Vocabulary(dict(self.numbers))

    def number(self, words: Iterable[str]) -> list[int]:
        """The words' numbers; new words are added."""
        numbers = self.numbers
        return [numbers.setdefault(word, len(numbers)) for word in words]

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Piece:
    """Which pair a piece is of, and where in it it starts."""

    pair: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Numbered:
    """A corpus for an engine, and what its sentences are pieces of."""

    corpus: Corpus
    pieces: Sequence[Piece]

    def pieces_of(self, pairs: int) -> int:
        """How many pieces the first so many pairs became."""
        return sum(1 for piece in self.pieces if piece.pair < pairs)


def number_pairs(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    vocabularies: tuple[Vocabulary, Vocabulary],
    max_length: int,
) -> Numbered:
    """Numbers for the words, new ones for new words; pieces for long pairs, nothing for empty ones."""
    source: list[list[int]] = []
    target: list[list[int]] = []
    pieces: list[Piece] = []
    for number, (left, right) in enumerate(pairs):
        lefts, rights = vocabularies[0].number(left), vocabularies[1].number(right)
        for i, i_end, j, j_end in cuts(len(lefts), len(rights), max_length):
            source.append(lefts[i:i_end])
            target.append(rights[j:j_end])
            pieces.append(Piece(number, i, j))
    return Numbered(Corpus(source, target, len(vocabularies[0]), len(vocabularies[1])), pieces)


def cuts(source: int, target: int, most: int) -> Iterator[tuple[int, int, int, int]]:
    """Where to cut a pair of so many words: start and end in the source, start and end in the target.

    >>> list(cuts(700, 900, 500))
    [(0, 350, 0, 450), (350, 700, 450, 900)]
    """
    parts = max(-(-source // most), -(-target // most))
    for part in range(parts):
        i, i_end = source * part // parts, source * (part + 1) // parts
        j, j_end = target * part // parts, target * (part + 1) // parts
        if i < i_end and j < j_end:
            yield i, i_end, j, j_end


@dataclass(slots=True)
class PairLinks:
    """The links of one pair, each with a probability, by direction."""

    forward: dict[Link, float] = field(default_factory=dict)
    backward: dict[Link, float] = field(default_factory=dict)

    def score(self, link: Link) -> float:
        """The mean of both directions; a direction without the link counts as 0."""
        return (self.forward.get(link, 0.0) + self.backward.get(link, 0.0)) / 2


def pair_links(numbered: Numbered, found: Directed, pairs: int) -> list[PairLinks]:
    """The engine's answer for the first so many pairs. Without probabilities each link has 1."""
    links = [PairLinks() for _ in range(pairs)]
    forward, backward = found.forward.partners.tolist(), found.backward.partners.tolist()
    likely = [
        [1.0] * len(direction.partners)
        if direction.probabilities is None
        else direction.probabilities.tolist()
        for direction in (found.forward, found.backward)
    ]
    at_source = at_target = 0
    sides = zip(numbered.pieces, numbered.corpus.source, numbered.corpus.target, strict=True)
    for piece, source, target in sides:
        if piece.pair >= pairs:
            break
        pair, top, left = links[piece.pair], piece.source, piece.target
        for j in range(len(target)):
            if (i := forward[at_target + j]) >= 0:
                pair.forward[top + i, left + j] = likely[0][at_target + j]
        for i in range(len(source)):
            if (j := backward[at_source + i]) >= 0:
                pair.backward[top + i, left + j] = likely[1][at_source + i]
        at_source += len(source)
        at_target += len(target)
    return links
