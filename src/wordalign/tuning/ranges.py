"""How far the values spread that enter the encoder's matrix products, measured on sample sentences.

float weights + sentences -> {product: (smallest, largest)}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from wordalign.encoders.onnx_file import Array
from wordalign.encoders.runtime import onnxruntime
from wordalign.tuning.graph import Ranges, assemble, collect


def measure_ranges(
    arrays: Mapping[str, Array],
    config: dict[str, Any],
    tokenizer: Tokenizer,
    sentences: Sequence[Sequence[str]],
    size: int = 32,
) -> Ranges:
    """Run the float graph on batches of sentences; a range is what a batch spans on average.

    The very largest values are rarer than that and are cut off, which harms less than coarser steps for
    all the others.
    """
    graph = collect(arrays, config, None, None)
    names = list(graph.entering)
    model = assemble(graph, config, list(dict.fromkeys(graph.entering.values())))
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    encodings = tokenizer.encode_batch(
        list(map(list, sentences)), is_pretokenized=True, add_special_tokens=False
    )
    ids_of = sorted((found.ids for found in encodings if 0 < len(found.ids) <= config["positions"]), key=len)
    lows: dict[str, list[float]] = {name: [] for name in names}
    highs: dict[str, list[float]] = {name: [] for name in names}
    for start in range(0, len(ids_of), size):
        batch = ids_of[start : start + size]
        ids = np.zeros((len(batch), len(batch[-1])), np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(batch):
            ids[row, : len(found)], mask[row, : len(found)] = found, 1
        values = session.run(
            [graph.entering[name] for name in names], {"input_ids": ids, "attention_mask": mask}
        )
        for name, array in zip(names, values, strict=True):
            real = array[mask.astype(bool)]
            lows[name].append(float(real.min()))
            highs[name].append(float(real.max()))
    return {
        name: (min(float(np.mean(lows[name])), 0.0), max(float(np.mean(highs[name])), 0.0)) for name in names
    }
