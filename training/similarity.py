"""Word similarities of a gold set, as the package's aligner computes them."""

from __future__ import annotations

import numpy as np

from training.metrics import GoldSet
from wordalign.encoders.base import Encoder
from wordalign.links.similarity import similarity_matrix, unit_encoding


def similarities(gold: GoldSet, encoder: Encoder) -> list[np.ndarray]:
    """Matrices (words, other words), (cosine + 1) / 2.

    0, so never linked, where punctuation meets a word, and for words without a subword.
    """
    sides = [
        [unit_encoding(encoding, "word") for encoding in encoder.encode(side)]
        for side in (gold.english, gold.other)
    ]
    result = []
    for number, (left, right) in enumerate(zip(*sides, strict=True)):
        found = similarity_matrix(left, right)
        matrix = np.zeros((len(gold.english[number]), len(gold.other[number])), found.similarity.dtype)
        matrix[np.ix_(found.word_of_row, found.word_of_column)] = found.similarity
        result.append(matrix)
    return result
