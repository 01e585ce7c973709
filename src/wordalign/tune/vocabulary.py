"""The numbers of special pieces, and a model's embedding for a vocabulary that has grown."""

from __future__ import annotations

import numpy as np
from tokenizers import Tokenizer

from wordalign.encoders.onnx_weights import Array

# The first pieces of every vocabulary.
PAD, UNKNOWN, MASK = 0, 1, 2


def extended(embedding: Array, old: Tokenizer, new: Tokenizer) -> Array:
    """The embedding for a larger vocabulary, (pieces, size).

    Old pieces keep their rows, and a new one starts as the mean of the old pieces that it is made of.
    """
    numbers = range(old.get_vocab_size(), new.get_vocab_size())
    pieces = [str(new.id_to_token(number)) for number in numbers]
    rows = []
    for piece in pieces:
        # Inside a word there is no space mark, and the old tokenizer would add one.
        found = old.encode(piece.removeprefix("▁"), add_special_tokens=False).ids
        ids = [number for number in found if old.id_to_token(number) != "▁"]
        rows.append(embedding[ids].mean(0) if ids else np.zeros(embedding.shape[1], np.float32))
    return np.concatenate((embedding, np.array(rows, dtype=np.float32).reshape(-1, embedding.shape[1])))
