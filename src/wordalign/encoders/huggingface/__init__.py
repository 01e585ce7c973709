"""Any Hugging Face model as an encoder: tokens -> windows -> batches -> hidden states of one layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch

from wordalign.encoders.batches import Batcher
from wordalign.encoders.huggingface.device import forward_on, memory_is_full, pick_device
from wordalign.encoders.huggingface.layers import LayerReader
from wordalign.encoders.huggingface.load import load_model
from wordalign.encoders.huggingface.packed import pack_linears
from wordalign.encoders.huggingface.windows import make_windows, window_size
from wordalign.encoders.windows import encodable, join_windows
from wordalign.errors import UnknownNameError
from wordalign.types import Encoding

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


class HuggingFaceEncoder:
    """A pretrained encoder or decoder from a folder, the cache or the hub.

    `batch_tokens` bounds the padded tokens of one batch; it shrinks by itself when memory runs out.
    """

    def __init__(
        self,
        name: str,
        *,
        layer: int | Literal["conc"] | None = None,
        device: str | None = None,
        dtype: str = "float32",
        revision: str | None = None,
        batch_tokens: int | None = None,
    ) -> None:
        if dtype not in _DTYPES:
            raise UnknownNameError("dtype", dtype, _DTYPES)
        where = pick_device(device)
        tokenizer, model, commit = load_model(name, revision, _DTYPES[dtype])
        reader = LayerReader(model, layer)
        model.eval().to(where)
        pack_linears(model)
        self.layer = reader.layer
        self.signature = f"{name}@{commit[:8]}" if commit else name
        self.signature += f" | layer={self.layer}" + (f" | {dtype}" if dtype != "float32" else "")
        self._tokenizer = tokenizer
        self._window = window_size(tokenizer, model)
        tokens = batch_tokens or (32768 if where.type == "cuda" else 1024)
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        self._batcher = Batcher(forward_on(where, reader), pad, tokens, memory_is_full, str(where))

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        if not sentences:
            return []
        windows = make_windows(self._tokenizer, sentences, self._window)
        return join_windows(windows, self._batcher.run(windows), len(sentences))

    def subwords(self, words: Sequence[str]) -> list[str]:
        """What the rows of this sentence's `Encoding` stand for."""
        encoded = self._tokenizer(
            [encodable(word) for word in words], is_split_into_words=True, return_special_tokens_mask=True
        )
        tokens = zip(encoded.tokens(), encoded.word_ids(), encoded["special_tokens_mask"], strict=True)
        return [token for token, word, special in tokens if word is not None and not special]
