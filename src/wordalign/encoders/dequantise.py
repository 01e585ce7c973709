"""A model folder with int8 weights -> the same encoder with float weights, as a torch module.

The weights of a shipped file are integers and scales; their products give the shipped scores again. So every
installed copy can run on a GPU, and is a start for further training. What is not shipped (the masked-word
head, which only training needs) starts anew.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wordalign.encoders.onnx_file import Array, read_weights
from wordalign.encoders.torch_module import EncoderModule, EncoderShape
from wordalign.errors import ModelError


def float_arrays(model: str | Path) -> dict[str, Array]:
    """The weights of a `model.onnx`, named as in `torch_module.py`."""
    return _float_arrays(read_weights(model))


def _float_arrays(stored: dict[str, Array]) -> dict[str, Array]:
    embedding = stored["embedding"].astype(np.float32)
    arrays = {"embedding.weight": embedding * stored.get("embedding.scale", np.float32(1))}
    for name, array in stored.items():
        scale = stored.get(name.removesuffix(".weight") + ".scale")
        if name.endswith(".weight") and array.ndim == 2:  # stored the other way round: (in, out)
            whole = array.astype(np.float32)
            arrays[name] = np.ascontiguousarray((whole if scale is None else whole * scale[None, :]).T)
        elif name.endswith((".weight", ".bias")):
            arrays[name] = array.astype(np.float32)
    return arrays


def load_module(folder: str | Path) -> EncoderModule:
    """The encoder of a model folder, with float weights on the CPU, not in training mode."""
    folder = Path(folder)
    facts: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
    stored = read_weights(folder / "model.onnx")
    try:
        arrays = _float_arrays(stored)
        size = 2 * stored["rotary.cosine"].shape[1]
        width = len(arrays["norm.weight"])
        shape = EncoderShape(
            name=facts["name"],
            vocabulary=len(arrays["embedding.weight"]),
            embedding=arrays["embedding.weight"].shape[1],
            width=width,
            layers=1 + max(int(name.split(".")[1]) for name in arrays if name.startswith("blocks.")),
            heads=width // size,
            hidden=len(arrays["blocks.0.up.bias"]),
            dimension=facts["dimension"],
            positions=facts["max_positions"],
        )
        return module_of(shape, arrays, facts["calibration"])
    except (KeyError, ValueError, RuntimeError) as error:
        raise ModelError(
            f"The model in {folder} is not one that this version of wordalign can turn into a torch module: "
            f"{error}"
        ) from error


def module_of(shape: EncoderShape, arrays: dict[str, Array], calibration: dict[str, Any]) -> EncoderModule:
    """The module with these weights, and with the scales that a model's calibration names."""
    module = EncoderModule(shape)
    weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    unexpected = module.load_state_dict(weights, strict=False).unexpected_keys
    if unexpected:
        raise ValueError(f"it has no place for {', '.join(unexpected)}")
    with torch.no_grad():
        module.link_scale.fill_(math.log(calibration["scale"]))
        module.link_bias.fill_(calibration["bias"])
        # A model whose cells do not compete has no sharpness of its own.
        if sharpness := calibration.get("sharpness"):
            module.softmax_scale.fill_(math.log(sharpness))
        competition = [calibration.get(name, 0.0) for name in ("larger", "smaller")]
        module.competition.copy_(torch.tensor(competition))
    return module.eval()
