"""What a Hugging Face model wants around a text, and how long a text may be."""

from __future__ import annotations

from typing import Any

from wordalign.encoders.windows import Frame


def find_frame(tokenizer: Any, size: int) -> Frame:
    """What this tokenizer puts around a text."""
    for sample in ("a", "1", ".", *tokenizer.convert_ids_to_tokens(range(min(len(tokenizer), 20)))):
        encoded = tokenizer([sample], is_split_into_words=True, return_special_tokens_mask=True)
        ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
        if 0 in special:
            first, last = special.index(0), len(special) - special[::-1].index(0)
            return Frame(tuple(ids[:first]), tuple(ids[last:]), size)
    return Frame(tuple(tokenizer([], is_split_into_words=True)["input_ids"]), (), size)


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
