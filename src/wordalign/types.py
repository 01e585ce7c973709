"""The values that travel through the package: immutable, numpy only.

text -> Sentence -> Encoding -> similarity matrix -> Alignment, judged against a GoldAlignment
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from wordalign.registry import load_target

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Bools: TypeAlias = npt.NDArray[np.bool_]
Ints: TypeAlias = npt.NDArray[np.integer[Any]]

Link: TypeAlias = tuple[int, int]

# What draws an alignment in a notebook. A string, since drawing comes long after this in the flow of data.
NOTEBOOK_VIEW = "wordalign.render:rows_svg"


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
