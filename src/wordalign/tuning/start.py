"""A model folder -> the float weights that training starts from, for the same vocabulary or a larger one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from wordalign.encoders.dequantise import load_module
from wordalign.encoders.torch_module import EncoderModule
from wordalign.tuning.gold import GoldPair
from wordalign.tuning.vocabulary import extended
from wordalign.types import Link


def start_module(folder: str | Path, tokenizer: Tokenizer) -> EncoderModule:
    """The encoder of a model folder. Its vocabulary may have grown since: `tokenizer` has it as it is now."""
    module = load_module(folder)
    old = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    if tokenizer.get_vocab_size() > old.get_vocab_size():
        rows = extended(module.embedding.weight.detach().numpy(), old, tokenizer)
        module.embedding = torch.nn.Embedding(len(rows), rows.shape[1])
        module.embedding.load_state_dict({"weight": torch.from_numpy(rows)})
        module.shape = replace(module.shape, vocabulary=len(rows))
    return module


def start_from_translations(
    module: EncoderModule, known: int, pairs: Sequence[GoldPair], links: Sequence[Iterable[Link]]
) -> None:
    """Let new pieces (those from number `known` on) begin near the words that their words are linked with.

    The pieces that a new piece is made of, bytes perhaps, say little about what it means; its translations
    say more. A piece that occurs in no link stays as it is.
    """
    table = module.embedding.weight.detach().numpy()
    sums = np.zeros((len(table) - known, table.shape[1]))
    counts = np.zeros(len(sums))
    lengths = np.zeros(len(sums))
    for pair, found in zip(pairs, links, strict=True):
        for link in found:
            ids = [pair.ids[side][pair.words[side] == link[side]] for side in (0, 1)]
            for new, other in (ids, ids[::-1]):
                rows = new[new >= known] - known
                if len(rows) and len(other) and (other < known).all():
                    meant = table[other].mean(0)
                    np.add.at(sums, rows, meant)
                    np.add.at(lengths, rows, np.linalg.norm(meant))
                    np.add.at(counts, rows, 1)
    seen = np.flatnonzero(counts)
    means = sums[seen] / counts[seen, None]
    # A mean of many vectors is shorter than they are.
    size = np.linalg.norm(means, axis=1, keepdims=True)
    table[known + seen] = means * (lengths[seen] / counts[seen])[:, None] / np.maximum(size, 1e-6)
