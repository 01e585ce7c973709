"""A model folder -> the float weights that training starts from, for the same vocabulary or a larger one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from tokenizers import Tokenizer

from wordalign.encoders.dequantise import load_module
from wordalign.encoders.torch_module import EncoderModule
from wordalign.tune.vocabulary import extended


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
