"""Any Hugging Face model as an encoder: tokens -> windows -> batches -> hidden states of one layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from wordalign.encoders.base import Encoder
from wordalign.encoders.device.choose import dtype_of, forward_on, memory_is_full, pick_device
from wordalign.encoders.device.rows import RowEncoder
from wordalign.encoders.huggingface.flat import FlatBert, is_flat
from wordalign.encoders.huggingface.layers import LayerReader
from wordalign.encoders.huggingface.load import load_model
from wordalign.encoders.huggingface.packed import pack_linears
from wordalign.encoders.huggingface.windows import find_frame, window_size
from wordalign.encoders.subwords import SubwordTable, TokenizerCutter
from wordalign.encoders.windows import WindowRunner, join_windows, windows_of
from wordalign.types import Encoding


class HuggingFaceEncoder(Encoder):
    """A pretrained encoder or decoder from a folder, the cache or the hub.

    `batch_tokens` bounds the padded tokens of one batch; it shrinks by itself when memory runs out.
    `on_device` keeps vectors on the device when only links are wanted; by default that is done on a GPU.
    `flat` leaves out the padding where the model allows it, and `compiled` lets torch compile the model.
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
        on_device: bool | None = None,
        flat: bool = True,
        compiled: bool = False,
    ) -> None:
        kind = dtype_of(dtype)
        where = pick_device(device)
        tokenizer, model, commit = load_model(name, revision, kind)
        reader = LayerReader(model, layer)
        model.eval().to(where)
        self.layer = reader.layer
        self.signature = f"{name}@{commit[:8]}" if commit else name
        self.signature += f" | layer={self.layer}" + (f" | {dtype}" if dtype != "float32" else "")
        self.device = str(where)
        self._tokenizer = tokenizer
        self._subwords = SubwordTable(TokenizerCutter(tokenizer.backend_tokenizer))
        self._frame = find_frame(tokenizer, window_size(tokenizer, model))
        tokens = batch_tokens or (65536 if where.type == "cuda" else 1024)
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        if where.type == "cuda" if on_device is None else on_device:
            self.on_device = RowEncoder(
                self._subwords,
                self._frame,
                where,
                flat=FlatBert(model, reader.layer, compiled) if flat and is_flat(model) else None,
                padded=reader,
                pad=pad,
                batch_tokens=tokens,
            )
        else:
            pack_linears(model)
        self._runner = WindowRunner(forward_on(where, reader), pad, tokens, memory_is_full, str(where))

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        if not sentences:
            return []
        windows = windows_of(self._subwords(sentences), self._frame)
        return join_windows(windows, self._runner.run(windows), len(sentences))

    def subwords(self, words: Sequence[str]) -> list[str]:
        """The text of the subword that each row of this sentence's `Encoding` stands for."""
        labels: list[str] = self._tokenizer.convert_ids_to_tokens(self._subwords([words]).ids.tolist())
        return labels
