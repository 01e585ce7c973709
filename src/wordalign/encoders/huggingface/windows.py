"""Sentences -> token windows that fit the model, and back.

A sentence of any length becomes one window or several overlapping ones; afterwards each subword takes
its vector from the window in which it stands farther from an edge.

    tokens   0 1 2 3 4 5 6 7 8 9      window of 6, overlap of 2
    window 0 0 1 2 3 4 5              gives 0 1 2 3 4
    window 1         4 5 6 7 8 9      gives           5 6 7 8 9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordalign.types import Ints


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Token ids to feed to the model, which of their rows to keep, and the words of those rows."""

    sentence: int
    ids: list[int]
    rows: Ints
    words: Ints


def make_windows(tokenizer: Any, sentences: Sequence[Sequence[str]], size: int) -> list[Window]:
    """Tokenise all sentences in one pass; windows come in the sentences' order.

    The tokenizer itself adds the special tokens to each window and says which they are.
    """
    overlap = _overlap(tokenizer, size)
    encoded = tokenizer(
        [list(sentence) for sentence in sentences],
        is_split_into_words=True,
        truncation=True,
        max_length=size,
        stride=overlap,
        return_overflowing_tokens=True,
        return_special_tokens_mask=True,
        return_attention_mask=False,
    )
    sentence_of = encoded["overflow_to_sample_mapping"]
    windows = []
    for number, (ids, special) in enumerate(
        zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
    ):
        words = encoded.word_ids(number)
        rows = [row for row, word in enumerate(words) if word is not None and not special[row]]
        first = number == 0 or sentence_of[number - 1] != sentence_of[number]
        last = number + 1 == len(sentence_of) or sentence_of[number + 1] != sentence_of[number]
        start = 0 if first else overlap - overlap // 2
        stop = len(rows) if last else len(rows) - overlap // 2
        kept = np.asarray(rows[start:stop], dtype=np.intp)
        windows.append(
            Window(sentence_of[number], ids, kept, np.asarray([words[row] for row in kept], dtype=np.intp))
        )
    return windows


def _overlap(tokenizer: Any, size: int) -> int:
    room = size - tokenizer.num_special_tokens_to_add()
    return int(min(128, room // 4))


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
