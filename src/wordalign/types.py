"""The values that travel through the package: immutable, numpy only.

text -> Sentence -> Encoding -> similarity matrix -> Alignment, judged against a GoldAlignment
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from wordalign.registry import load_target

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.integer[Any]]

Link: TypeAlias = tuple[int, int]
Span: TypeAlias = tuple[int, int]  # start and end; the end is the first that no longer belongs to it
Edges: TypeAlias = Literal["trim", "keep"]

# What draws an alignment in a notebook, carries spans across its links, and says how good the pair is. They
# are strings, since all of this comes later in the flow of data.
NOTEBOOK_VIEW = "wordalign.render:rows_svg"
SPAN_PROJECTION = "wordalign.project.spans:project_words"
SENTENCE_SCORE = "wordalign.project.score:translation_score"


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words and, where they were found in raw text, the text and each word's `(start, end)` in it."""

    words: tuple[str, ...]
    text: str | None = None
    offsets: tuple[tuple[int, int], ...] | None = None

    def __len__(self) -> int:
        return len(self.words)

    @classmethod
    def from_words(cls, words: Iterable[str]) -> Sentence:
        return cls(tuple(words))

    def surface(self, start: int = 0, end: int | None = None) -> str:
        """The words from `start` to `end` (not included) as they are written: raw Chinese has no spaces.

        >>> Sentence(("東", "京"), "東京", ((0, 1), (1, 2))).surface(0, 2), Sentence(("a", "b")).surface()
        ('東京', 'a b')
        """
        end = len(self) if end is None else end
        if self.text is None or self.offsets is None or start >= end:
            return " ".join(self.words[start:end])
        return " ".join(self.text[self.offsets[start][0] : self.offsets[end - 1][1]].split())


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: Sentence
    target: Sentence


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """What an encoder says of one sentence.

    `vectors` has shape (rows, dimensions), a row for each subword (or word, for word vectors);
    `word_of_row` has shape (rows,), rises, and names the word each row belongs to. A word that the
    encoder cannot represent has no row, keeps its index and can get no link. `group_of_row`, where an
    encoder gives it, is the same for all rows of a word; only rows of equal groups are ever linked.
    """

    vectors: Floats
    word_of_row: Ints
    group_of_row: Ints | None = None


def unit_rows(vectors: Floats) -> Floats:
    """Scale each row to length 1; a row of zeros stays zero. Shape (rows, d) -> (rows, d)."""
    length = np.sqrt(np.einsum("rd,rd->r", vectors, vectors))[:, None]
    return vectors / np.where(length > 0, length, 1)


@dataclass(frozen=True, slots=True)
class ProjectedSpan:
    """Where a span of one sentence is in its translation, and what was left out.

    `source`       the span that was carried, in words
    `intervals`    where it came out, in words of the other side, in order; empty where `reason` says why
    `probability`  that this is right, as far as the links tell; 0 where there is nothing
    `missing`      words of the span that have no link into the intervals
    `outside`      words of the other side that are linked with the span, but not in the intervals
    `shared`       words of the intervals that are also linked with words beside the span
    `characters`   the intervals as places in the raw text of the other side, where there is one
    """

    source: Span
    intervals: tuple[Span, ...]
    probability: float
    missing: tuple[int, ...] = ()
    outside: tuple[int, ...] = ()
    shared: tuple[int, ...] = ()
    characters: tuple[Span, ...] | None = None
    reason: str = ""

    @property
    def target(self) -> Span | None:
        """From the first word of the intervals to the last; None where there is nothing."""
        return (self.intervals[0][0], self.intervals[-1][1]) if self.intervals else None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Word links of one pair, sorted, with a score each.

    >>> Alignment(links=((0, 0), (1, 2)), scores=(0.9, 0.7)).pharaoh()
    '0-0 1-2'
    """

    links: tuple[Link, ...]
    scores: tuple[float, ...]
    source: Sentence = field(default=Sentence(()), repr=False)
    target: Sentence = field(default=Sentence(()), repr=False)

    def pharaoh(self) -> str:
        return " ".join(f"{i}-{j}" for i, j in self.links)

    def word_pairs(self) -> Sequence[tuple[str, str]]:
        """The linked words themselves: `[("Das", "This"), ...]`."""
        return [(self.source.words[i], self.target.words[j]) for i, j in self.links]

    @property
    def score(self) -> float:
        """The probability that the two sentences are translations of each other, by `project/score.py`."""
        score: float = load_target(SENTENCE_SCORE)(self)
        return score

    def project(
        self,
        spans: Iterable[Span],
        *,
        reverse: bool = False,
        characters: bool = False,
        intervals: int = 1,
        edges: Edges = "trim",
        min_probability: float = 0.0,
    ) -> list[ProjectedSpan]:
        """Carry spans of source words to the target, by `project/spans.py`: a result for each, in order.

        `reverse`          the spans are in the target and are carried to the source
        `characters`       the spans are places in raw text, and stand for the words they touch
        `intervals`        how many pieces a span may come out as
        `edges`            "trim" leaves out unlinked words at the edges; "keep" takes them in
        `min_probability`  a less probable result has no intervals, and says so

        >>> words = Sentence(("the", "red", "house")), Sentence(("la", "maison", "rouge"))
        >>> Alignment(((0, 0), (1, 2), (2, 1)), (0.9, 0.8, 0.9), *words).project([(1, 3)])[0].intervals
        ((1, 3),)
        """
        project: Callable[..., list[ProjectedSpan]] = load_target(SPAN_PROJECTION)
        return project(
            self,
            spans,
            reverse=reverse,
            characters=characters,
            intervals=intervals,
            edges=edges,
            min_probability=min_probability,
        )

    def _repr_html_(self) -> str:
        """How a notebook shows it: words with curves between them."""
        svg: str = load_target(NOTEBOOK_VIEW)(self)
        return svg


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """What people linked in one pair: `sure` links, and `possible` ones, which always include the sure.

    >>> sorted(GoldAlignment(sure=frozenset({(0, 0)}), possible=frozenset({(1, 2)})).possible)
    [(0, 0), (1, 2)]
    """

    sure: frozenset[Link]
    possible: frozenset[Link]

    def __post_init__(self) -> None:
        if self.sure is not self.possible and not self.sure <= self.possible:
            object.__setattr__(self, "possible", self.possible | self.sure)
