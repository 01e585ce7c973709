"""Word similarities of a gold set, as the package's aligner computes them. numpy and tokenizers only."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from tokenizers import Tokenizer

from training.metrics import GoldSet
from wordalign.encoders.windows import Forward, Window, WindowRunner
from wordalign.links.similarity import cosine_similarity, unit_rows, word_means
from wordalign.text.characters import is_punctuation
from wordalign.types import Encoding

# Sentences -> one encoding each: the `encode` of the package's encoders
Encode = Callable[[Sequence[Sequence[str]]], list[Encoding]]

BATCH_TOKENS = 2048


def sentence_encoder(tokenizer: Tokenizer, forward: Forward) -> Encode:
    """Turn a function from subword ids to vectors into one from sentences to encodings.

    What `OnnxEncoder.encode` does, for encoders that are no model folder yet: weights in torch, a lone
    graph. Sentences are not cut into windows: those of gold sets are short enough.
    """
    batcher = WindowRunner(forward, pad=0, tokens=BATCH_TOKENS, is_full=lambda error: False)

    def encode(sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        pieces = tokenizer.encode_batch(
            [list(words) for words in sentences], is_pretokenized=True, add_special_tokens=False
        )
        windows = [
            Window(number, piece.ids, np.arange(len(piece.ids)), np.array(piece.word_ids, dtype=np.intp))
            for number, piece in enumerate(pieces)
        ]
        groups = [np.array([is_punctuation(word) for word in words], dtype=np.intp) for words in sentences]
        return [
            Encoding(vectors, window.words, group[window.words])
            for vectors, window, group in zip(batcher.run(windows), windows, groups, strict=True)
        ]

    return encode


def similarities(gold: GoldSet, encode: Encode) -> list[np.ndarray]:
    """Matrices (English words, other words), (cosine + 1) / 2.

    0, so never linked, where punctuation meets a word, and for words without a subword.
    """
    sides = [[word_means(encoding) for encoding in encode(side)] for side in (gold.english, gold.other)]
    result = []
    for number, (left, right) in enumerate(zip(*sides, strict=True)):
        found = cosine_similarity(unit_rows(left.vectors), unit_rows(right.vectors))
        found = found * (left.group_of_row[:, None] == right.group_of_row[None, :])
        matrix = np.zeros((len(gold.english[number]), len(gold.other[number])), found.dtype)
        matrix[np.ix_(left.word_of_row, right.word_of_row)] = found
        result.append(matrix)
    return result
