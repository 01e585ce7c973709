"""Trained weights on disk: float16 arrays in one stream, cut into parts small enough to carry.

weights.json, weights.part1, weights.part2 …
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

PART = 14 << 20


def save_weights(
    folder: Path, arrays: dict[str, np.ndarray], facts: dict[str, Any], parts: range | None = None
) -> list[Path]:
    """Write the parts asked for (numbers from 1; all without `parts`) and the facts."""
    stream = io.BytesIO()
    np.savez(
        stream,
        **{
            name: array.astype(np.float16 if array.ndim > 1 else np.float32) for name, array in arrays.items()
        },
    )
    data = stream.getbuffer()
    count = -(-len(data) // PART)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "weights.json").write_text(json.dumps({"parts": count, **facts}, indent=1))
    written = []
    for number in range(1, count + 1):
        if parts is None or number in parts:
            path = folder / f"weights.part{number}"
            path.write_bytes(data[(number - 1) * PART : number * PART])
            written.append(path)
    return written


def load_weights(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read all parts; returns float32 arrays and the facts."""
    facts = json.loads((folder / "weights.json").read_text())
    missing = [n for n in range(1, facts["parts"] + 1) if not (folder / f"weights.part{n}").exists()]
    if missing:
        raise FileNotFoundError(f"{folder} lacks the parts {missing} of {facts['parts']}")
    data = b"".join((folder / f"weights.part{n}").read_bytes() for n in range(1, facts["parts"] + 1))
    with np.load(io.BytesIO(data)) as file:
        return {name: file[name].astype(np.float32) for name in file.files}, facts
