"""Writing the folder of two mapped languages; `encoders/static/folder.py` says what it holds and reads it."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wordalign import __version__
from wordalign.encoders.static.folder import FORMAT, MANIFEST, TOKENIZER, sha256_of
from wordalign.encoders.static.space import SpaceMap, blocks
from wordalign.encoders.static.vectors import Vectors
from wordalign.io.whole import refuse_foreign_folder, whole_folder
from wordalign.types import Floats
from wordalign.vectors.map.spaces import Mapped
from wordalign.vectors.write import write_array, write_words


def check_folder(path: str | Path) -> None:
    """Refuse a folder that could not be written, before the work begins."""
    refuse_foreign_folder(path, _made_files)


def write_folder(
    path: str | Path,
    source: tuple[str, Vectors],
    target: tuple[str, Vectors],
    mapped: Mapped,
    *,
    settings: dict[str, Any],
    tokenizer: Path | None = None,
    dtype: str = "float32",
    keep_ngrams: bool = True,
) -> dict[str, Any]:
    """Write the folder, whole or not at all, and return its manifest."""
    with whole_folder(path, _made_files) as folder:
        sides = {}
        for role, (name, vectors), space_map in (
            ("source", source, mapped.source),
            ("target", target, mapped.target),
        ):
            _write_blocks(folder / f"{role}.npy", vectors.matrix, dtype, space_map)
            write_words(folder / f"{role}.words", vectors.words)
            write_array(folder / f"{role}.map.npy", np.vstack([space_map.centre, space_map.matrix]))
            sides[role] = {"name": name, "words": len(vectors.words), "ngrams": None}
            if keep_ngrams and vectors.ngrams is not None:
                ngrams = vectors.ngrams
                _write_blocks(folder / f"{role}.ngrams.npy", ngrams.table, "float16")
                sides[role]["ngrams"] = {"shortest": ngrams.shortest, "longest": ngrams.longest}
        if tokenizer is not None:
            shutil.copyfile(tokenizer, folder / TOKENIZER)
        manifest = {
            "format": FORMAT,
            "made_by": f"wordalign {__version__}",
            "dimensions": source[1].dimensions,
            "level": "word" if tokenizer is None else "subword",
            **sides,
            "settings": settings,
            "mapping": {
                **asdict(mapped.quality),
                "good": mapped.quality.good,
                "iterations": mapped.iterations,
                "converged": mapped.converged,
                "device": mapped.device,
                "seconds": mapped.seconds,
            },
            "sha256": {file.name: sha256_of(file) for file in sorted(folder.iterdir())},
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return manifest


def _made_files(folder: Path) -> set[str]:
    """The files that the manifest of a folder lists."""
    try:
        return {MANIFEST, *json.loads((folder / MANIFEST).read_text("utf-8"))["sha256"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write_blocks(path: Path, matrix: Floats, dtype: str, space_map: SpaceMap | None = None) -> None:
    """Write a matrix of any size block by block, and map each block on the way."""
    out = np.lib.format.open_memmap(path, "w+", np.dtype(dtype), matrix.shape)
    start = 0
    for block in blocks(matrix):
        out[start : start + len(block)] = block if space_map is None else space_map(block)
        start += len(block)
    out.flush()
