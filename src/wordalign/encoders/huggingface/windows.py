"""Sentences -> token windows, by a transformers tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordalign.encoders.windows import Window, cut_window, encodable, overlap_of


def make_windows(tokenizer: Any, sentences: Sequence[Sequence[str]], size: int) -> list[Window]:
    """Tokenise all sentences in one pass; windows come in the sentences' order.

    The tokenizer itself adds the special tokens to each window and says which they are.
    """
    overlap = overlap_of(size - tokenizer.num_special_tokens_to_add())
    encoded = tokenizer(
        [[encodable(word) for word in sentence] for sentence in sentences],
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
        windows.append(cut_window(sentence_of[number], ids, rows, words, overlap, first, last))
    return windows


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
