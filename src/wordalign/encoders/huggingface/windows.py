"""Sentences -> token windows one by one, and how long they may be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from wordalign.encoders.huggingface.subwords import Subwords, SubwordTable
from wordalign.encoders.huggingface.tokens import Frame, find_frame, lay_out
from wordalign.encoders.windows import Window


def make_windows(tokenizer: Any, sentences: Sequence[Sequence[str]], size: int) -> list[Window]:
    """Tokenise all sentences in one pass; windows come in the sentences' order."""
    return windows_of(SubwordTable(tokenizer)(sentences), find_frame(tokenizer, size))


def windows_of(subwords: Subwords, frame: Frame) -> list[Window]:
    """The windows of these sentences one by one, for models that are fed with padded batches."""
    tokens = lay_out(subwords, frame)
    word_of_subword = subwords.word_of_subword
    sentence = np.repeat(np.arange(len(subwords.lengths)), np.diff(tokens.first_window)).tolist()
    starts = tokens.windows.tolist()
    rows = np.searchsorted(tokens.kept, tokens.windows).tolist()
    return [
        Window(
            sentence[number],
            tokens.ids[starts[number] : starts[number + 1]].tolist(),
            tokens.kept[first:last] - starts[number],
            word_of_subword[first:last],
        )
        for number, (first, last) in enumerate(pairwise(rows))
    ]


def window_size(tokenizer: Any, model: Any, most: int = 512) -> int:
    """The longest input the model takes, special tokens included.

    Never more than `most`: attention costs the square of it, and no sentence needs a longer context.
    """
    limits = [most, tokenizer.model_max_length]
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if positions:
        embedding = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
        padding = getattr(embedding, "padding_idx", None)
        # RoBERTa's positions start after its padding index, so 514 of them hold 512 tokens.
        limits.append(positions if padding is None else positions - padding - 1)
    return int(min(limits))
