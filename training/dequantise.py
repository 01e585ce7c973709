"""A shipped int8 model -> float weights to start from, with room for a larger vocabulary.

The weights of a shipped file are integers and scales; their products give the shipped scores again, so
training can
start from any installed copy. What is not shipped (the masked-word head) starts anew.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from training.model import Config, Encoder


def float_arrays(model: Path) -> dict[str, np.ndarray]:
    """The weights of `model.onnx`, named as in `model.py`."""
    import onnx
    from onnx import numpy_helper

    stored = {item.name: numpy_helper.to_array(item) for item in onnx.load(str(model)).graph.initializer}
    arrays = {"embedding.weight": stored["embedding"].astype(np.float32) * stored["embedding.scale"]}
    for name, array in stored.items():
        scale = stored.get(name.removesuffix(".weight") + ".scale")
        if name.endswith(".weight") and scale is not None:
            arrays[name] = (array.astype(np.float32) * scale[None, :]).T.copy()
        elif name.endswith((".weight", ".bias")):
            arrays[name] = array.astype(np.float32)
    return arrays


def extended(embedding: np.ndarray, old: Tokenizer, new: Tokenizer) -> np.ndarray:
    """The embedding for a larger vocabulary: old pieces keep their rows, new ones are the mean of their
    parts."""
    pieces = [new.id_to_token(number) for number in range(old.get_vocab_size(), new.get_vocab_size())]
    rows = []
    for piece in pieces:
        # Inside a word there is no space mark, and the old tokenizer would add one.
        ids = [
            i
            for i in old.encode(piece.removeprefix("▁"), add_special_tokens=False).ids
            if old.id_to_token(i) != "▁"
        ]
        rows.append(embedding[ids].mean(0) if ids else np.zeros(embedding.shape[1], np.float32))
    return np.concatenate((embedding, np.array(rows, dtype=np.float32).reshape(-1, embedding.shape[1])))


def start_encoder(folder: Path, vocabulary: Path) -> Encoder:
    """The encoder of a shipped folder, for the tokenizer at `vocabulary`."""
    arrays = float_arrays(folder / "model.onnx")
    about: dict[str, Any] = json.loads((folder / "model.json").read_text())
    old, new = (Tokenizer.from_file(str(path / "tokenizer.json")) for path in (folder, vocabulary))
    arrays["embedding.weight"] = extended(arrays["embedding.weight"], old, new)
    layers = 1 + max(int(name.split(".")[1]) for name in arrays if name.startswith("blocks."))
    width = len(arrays["norm.weight"])
    encoder = Encoder(
        Config(
            name=about["name"],
            vocabulary=new.get_vocab_size(),
            embedding=arrays["embedding.weight"].shape[1],
            width=width,
            layers=layers,
            heads=width // 64,
            hidden=len(arrays["blocks.0.up.bias"]),
            dimension=about["dimension"],
        )
    )
    missing = encoder.load_state_dict(
        {name: torch.from_numpy(array) for name, array in arrays.items()}, strict=False
    )
    if missing.unexpected_keys:
        raise ValueError(
            f"{folder} holds weights that the encoder has no place for: {missing.unexpected_keys}"
        )
    head = about["calibration"]
    with torch.no_grad():
        encoder.link_scale.fill_(math.log(head["scale"]))
        encoder.link_bias.fill_(head["bias"])
        encoder.softmax_scale.fill_(math.log(head["sharpness"]))
        encoder.competition.copy_(torch.tensor([head["larger"], head["smaller"]]))
    return encoder
