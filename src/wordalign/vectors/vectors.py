"""Vectors of one language: words, a row each, and n-grams for the words that are missing."""

from __future__ import annotations

from dataclasses import dataclass

from wordalign.errors import InputError
from wordalign.types import Floats
from wordalign.vectors.ngrams import NGrams


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """`matrix` has shape (words, dimensions), the most frequent word first; it may be a mapped file."""

    words: tuple[str, ...]
    matrix: Floats
    ngrams: NGrams | None = None

    def __post_init__(self) -> None:
        if len(self.words) != len(self.matrix):
            raise InputError(f"{len(self.words):,} words, but {len(self.matrix):,} vectors.")

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])
