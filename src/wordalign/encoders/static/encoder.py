"""A folder that `wordalign vectors map` made, as an encoder: each language looks words up in its own table.

A word is looked up as it is, then in lower case, then built from its character n-grams where the folder has
them. A word that none of these gives has no row, and so no link. At the subword level the folder's
tokenizer cuts words first, and the same is done for each piece.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordalign.encoders.base import Encoder
from wordalign.encoders.static.folder import MappedVectors, read_folder
from wordalign.encoders.static.vectors import row_of_word
from wordalign.encoders.subwords import Cut, subword_cutter
from wordalign.types import Encoding, Floats

log = logging.getLogger(__name__)

# Built words are remembered; a corpus has few of them that are frequent.
REMEMBERED_WORDS = 100_000
# Where fewer words than this share have a vector, something is wrong with the text or with its order.
LEAST_KNOWN = 0.3
FEW_WORDS = 20  # say nothing about the languages


class _Unknown:
    """Stands for words that were not asked for before; those without a vector are remembered as None."""


_UNKNOWN = _Unknown()


class StaticEncoder(Encoder):
    """Encodes sentences of one language; `target`, where there is one, those of the other."""

    def __init__(
        self, mapped: MappedVectors, signature: str, cut: Cut | None, target: StaticEncoder | None = None
    ) -> None:
        self.signature = signature
        self.default_level = "word" if cut is None else "subword"
        self.target = self._other = target
        self._mapped = mapped
        self._cut = cut
        self._row_of_word = row_of_word(mapped.vectors.words)
        # Vectors learned from lower-case text have n-grams in lower case only.
        self._cased = any(word != word.lower() for word in mapped.vectors.words)
        self._built: dict[str, Floats | None] = {}
        self._told = False

    @classmethod
    def load(cls, folder: str | Path) -> StaticEncoder:
        mapped = read_folder(folder)
        if not mapped.manifest["mapping"]["good"]:
            log.warning(
                "It is not certain that the mapping of %s is right (vectors.json has its figures): look at "
                "some links before you use them.",
                folder,
            )
        cut = None if mapped.tokenizer is None else subword_cutter(mapped.tokenizer)
        target = cls(mapped.target, mapped.signature, cut)
        return cls(mapped.source, mapped.signature, cut, target)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        encodings = [self._encode(words) for words in sentences]
        words = sum(map(len, sentences))
        self._tell_unknown(words, sum(len(set(e.word_of_row)) for e in encodings))
        if self._other is not None and self._cut is None and words >= FEW_WORDS and not self._told:
            self._tell_swapped(sentences, words, self._other)
        return encodings

    def subwords(self, words: Sequence[str]) -> list[str]:
        """What the rows of this sentence's `Encoding` stand for."""
        return [piece for _, piece in self._pieces(words) if self._vector(piece) is not None]

    def _encode(self, words: Sequence[str]) -> Encoding:
        rows, word_of_row = [], []
        for word, piece in self._pieces(words):
            vector = self._vector(piece)
            if vector is not None:
                rows.append(vector)
                word_of_row.append(word)
        vectors = np.array(rows, dtype=np.float32).reshape(-1, self._mapped.vectors.dimensions)
        return Encoding(vectors, np.array(word_of_row, dtype=np.intp))

    def _pieces(self, words: Sequence[str]) -> list[tuple[int, str]]:
        if self._cut is None:
            return list(enumerate(words))
        return [(number, piece) for number, pieces in enumerate(self._cut(words)) for piece in pieces]

    def _vector(self, word: str) -> Floats | None:
        row = self._row(word)
        if row is not None:
            known: Floats = self._mapped.vectors.matrix[row]
            return known
        # Other threads may empty the table at any time: what was found is not looked up again.
        built = self._built.get(word, _UNKNOWN)
        if not isinstance(built, _Unknown):
            return built
        found = self._build(word if self._cased else word.lower())
        if len(self._built) > REMEMBERED_WORDS:
            self._built.clear()
        self._built[word] = found
        return found

    def _row(self, word: str) -> int | None:
        return self._row_of_word.get(word, self._row_of_word.get(word.lower()))

    def _build(self, word: str) -> Floats | None:
        ngrams = self._mapped.vectors.ngrams
        vector = None if ngrams is None else ngrams.vector(word)
        return None if vector is None else self._mapped.space_map(vector[None])[0]

    def _tell_unknown(self, words: int, known: int) -> None:
        if known < LEAST_KNOWN * words and words >= FEW_WORDS and not self._told:
            log.warning(
                "Only %d of %d words have a vector among those of %r: are the languages in the order in "
                "which they were mapped, and is the text tokenised the same way?",
                known,
                words,
                self._mapped.name,
            )
            self._told = True

    def _tell_swapped(self, sentences: Sequence[Sequence[str]], words: int, target: StaticEncoder) -> None:
        """N-grams give every word a vector, so the tables are compared, once: whose words are these?"""
        ours, theirs = (
            sum(encoder._row(word) is not None for sentence in sentences for word in sentence)
            for encoder in (self, target)
        )
        if theirs > ours:
            log.warning(
                "Of %d words, %d are among those of %r and %d among those of %r: give the languages in the "
                "order in which they were mapped.",
                words,
                ours,
                self._mapped.name,
                theirs,
                target._mapped.name,
            )
        self._told = True
