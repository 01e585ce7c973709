"""The word vectors of one language: a row for each word, and n-grams for the words that have no row.

The vector of a word that was never seen is built from its character n-grams (Bojanowski et al. 2017). The
word is put between angle brackets, and each of its pieces of `shortest` to `longest` characters has a row in
a table of `buckets` rows, which is found by a hash:

    her, 3 to 4  ->  <he her er> <her her>        vector = mean of the five rows

The hash is the one of fastText, a 32-bit FNV-1a over UTF-8 bytes read as signed numbers, so that fastText's
models can be used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordalign.errors import InputError
from wordalign.types import Floats

_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class NGrams:
    """The table of n-gram rows, of shape (buckets, dimensions), and how long the pieces are."""

    table: Floats
    shortest: int
    longest: int

    def buckets(self, word: str) -> list[int]:
        """The rows of a word's pieces; the list is empty for a word that is too short to have any."""
        return [number % len(self.table) for number in hashes(word, self.shortest, self.longest)]

    def vector(self, word: str) -> Floats | None:
        rows = self.buckets(word)
        return np.mean(self.table[rows], axis=0, dtype=np.float32) if rows else None


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """`matrix` has shape (words, dimensions), the most frequent word first; it may be mapped from a file."""

    words: tuple[str, ...]
    matrix: Floats
    ngrams: NGrams | None = None

    def __post_init__(self) -> None:
        if len(self.words) != len(self.matrix):
            raise InputError(f"{len(self.words):,} words, but {len(self.matrix):,} vectors.")

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])


def row_of_word(words: Sequence[str]) -> dict[str, int]:
    """The row of each word; the first one where a word is listed several times."""
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    return rows


def hashes(word: str, shortest: int, longest: int) -> Iterator[int]:
    """The hash of each piece. A single bracket is not a piece.

    >>> len(list(hashes("her", 3, 4)))
    5
    """
    characters = [_signed(character) for character in f"<{word}>"]
    for start in range(len(characters)):
        number = _OFFSET
        for length, signed in enumerate(characters[start : start + longest], start=1):
            for byte in signed:
                number = ((number ^ byte) * _PRIME) & _MASK
            at_edge = start == 0 or start + length == len(characters)
            if length >= shortest and not (length == 1 and at_edge):
                yield number


def _signed(character: str) -> list[int]:
    """UTF-8 bytes as C widens a signed char to 32 bits: from 0x80 on, the upper bits are ones."""
    return [byte | 0xFFFFFF00 if byte > 127 else byte for byte in character.encode("utf-8", "replace")]
