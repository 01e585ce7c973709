"""Float weights and a vocabulary -> the three files of a model folder.

model.onnx       the encoder, with int8 weights
tokenizer.json   the vocabulary
model.json       name, version, shape, languages, how similarities become probabilities, and the hashes of
                 the other two
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from wordalign.encoders.onnx_file import Array
from wordalign.encoders.torch_module import EncoderShape
from wordalign.tuning.graph import build_graph
from wordalign.tuning.ranges import measure_ranges

# The largest integer of a weight. Above it, processors without 8-bit dot products overflow.
LEVELS = 63


def export_model(
    folder: Path,
    arrays: Mapping[str, Array],
    shape: EncoderShape,
    tokenizer: Tokenizer,
    facts: Mapping[str, Any],
    sentences: Sequence[Sequence[str]],
    *,
    levels: int | None = LEVELS,
) -> None:
    """Write the three files into a folder that is there.

    `sentences` show how far the values spread that enter each matrix product. `levels` is the largest
    integer of a weight, or None for float32. `facts` are what `model.json` says beside the shape and the
    hashes.
    """
    config = shape.to_dict()
    ranges = None if levels is None else measure_ranges(arrays, config, tokenizer, sentences)
    (folder / "model.onnx").write_bytes(build_graph(arrays, config, levels, ranges))
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    write_facts(
        folder,
        {
            "name": shape.name,
            "dimension": shape.dimension,
            "max_positions": shape.positions,
            **facts,
            "sha256": {name: _sha256(folder / name) for name in ("model.onnx", "tokenizer.json")},
        },
    )


def write_facts(folder: Path, facts: Mapping[str, Any]) -> None:
    """Write the model.json of a folder."""
    (folder / "model.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False), encoding="utf-8")


def score_facts(arrays: Mapping[str, Array]) -> dict[str, float]:
    """How trained weights turn cosines into scores, as `wordalign.encoders.calibration` computes them."""
    return {
        "scale": round(math.exp(float(arrays["link_scale"])), 4),
        "bias": round(float(arrays["link_bias"]), 4),
        "sharpness": round(math.exp(float(arrays["softmax_scale"][0])), 4),
        "larger": round(float(arrays["competition"][0]), 4),
        "smaller": round(float(arrays["competition"][1]), 4),
    }


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
