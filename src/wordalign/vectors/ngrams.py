"""Vectors of words that were never seen, from their character n-grams (Bojanowski et al. 2017).

A word stands between angle brackets, and each of its pieces of `shortest` to `longest` characters has
a row in a table of `buckets` rows, found by a hash:

    her, 3 to 4  ->  <he her er> <her her>        vector = mean of the five rows

The hash is fastText's own, a 32-bit FNV-1a over UTF-8 bytes read as signed, so that its models fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordalign.types import Floats

_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class NGrams:
    """The table, of shape (buckets, dimensions), and how long the pieces are."""

    table: Floats
    shortest: int
    longest: int

    def buckets(self, word: str) -> list[int]:
        """The rows of a word's pieces; none for a word too short to have any."""
        return [number % len(self.table) for number in hashes(word, self.shortest, self.longest)]

    def vector(self, word: str) -> Floats | None:
        rows = self.buckets(word)
        return np.mean(self.table[rows], axis=0, dtype=np.float32) if rows else None


def hashes(word: str, shortest: int, longest: int) -> Iterator[int]:
    """The hash of each piece. A single bracket is no piece.

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
    """UTF-8 bytes as a signed char widens to 32 bits: from 0x80 up, the upper bits are ones."""
    return [byte | 0xFFFFFF00 if byte > 127 else byte for byte in character.encode("utf-8", "replace")]
