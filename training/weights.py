"""Trained weights on disk, cut into parts small enough to carry.

weights.json, weights.part1, weights.part2 …

Matrices are float16; the embedding, most of the file, is what ships of it: integers and a scale for each row.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from wordalign.tuning.graph import quantise

PART = 15 << 20
EMBEDDING = "embedding.weight"


def save_weights(folder: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> list[Path]:
    """Write the parts and the facts; returns the paths of the parts."""
    kept = {
        name: array.astype(np.float16 if array.ndim > 1 else np.float32)
        for name, array in arrays.items()
        if name != EMBEDDING
    }
    kept["embedding.integers"], kept["embedding.scale"] = quantise(arrays[EMBEDDING], 1, 127)
    stream = io.BytesIO()
    np.savez(stream, **kept)
    data = stream.getbuffer()
    count = -(-len(data) // PART)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.json").write_text(json.dumps({"parts": count, **facts}, indent=1))
    paths = [folder / f"weights.part{number + 1}" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(data[number * PART : (number + 1) * PART])
    return paths


def load_weights(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read all parts; returns float32 arrays and the facts."""
    facts = json.loads((folder / "weights.json").read_text())
    paths = [folder / f"weights.part{number + 1}" for number in range(facts["parts"])]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise FileNotFoundError(f"{folder} lacks {', '.join(missing)}, of {facts['parts']} parts")
    with np.load(io.BytesIO(b"".join(path.read_bytes() for path in paths))) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    arrays[EMBEDDING] = arrays.pop("embedding.integers") * arrays.pop("embedding.scale")[:, None]
    return arrays, facts
