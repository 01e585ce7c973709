"""A mapped pair of languages on disk: one folder, which `--model` takes.

vectors.json                manifest: names, dimensions, level, how it was mapped and how well, checksums
source.npy, source.words    mapped vectors, to be mapped into memory, and their words, the frequent first
source.map.npy              what mapped them: a row for the centre, then the matrix; for new words
source.ngrams.npy           n-grams as they were before mapping, where the vectors came with them
target.*                    the same for the other language
tokenizer.json              at the subword level: what cuts words
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wordalign import __version__
from wordalign.errors import InputError, ModelError
from wordalign.types import Floats
from wordalign.vectors.map.normalise import blocks
from wordalign.vectors.map.spaces import Mapped, Side
from wordalign.vectors.ngrams import NGrams
from wordalign.vectors.read import open_array, read_words
from wordalign.vectors.vectors import Vectors
from wordalign.vectors.write import refuse_foreign_folder, whole_folder, write_array, write_words

MANIFEST = "vectors.json"
FORMAT = 1
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True, eq=False)
class MappedVectors:
    """One language of a folder: mapped vectors, and unmapped n-grams with the map for them."""

    name: str
    vectors: Vectors
    side: Side


@dataclass(frozen=True, slots=True, eq=False)
class MappedFolder:
    source: MappedVectors
    target: MappedVectors
    tokenizer: Path | None
    signature: str
    manifest: dict[str, Any]


def check_folder(path: str | Path) -> None:
    """Refuse what could not be written before the work begins."""
    refuse_foreign_folder(Path(path), MANIFEST)


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
    """Write the folder, whole or not at all; returns its manifest."""
    with whole_folder(Path(path), MANIFEST) as folder:
        sides = {}
        for role, (name, vectors), side in (
            ("source", source, mapped.source),
            ("target", target, mapped.target),
        ):
            _write_blocks(folder / f"{role}.npy", vectors.matrix, dtype, side)
            write_words(folder / f"{role}.words", vectors.words)
            write_array(folder / f"{role}.map.npy", np.vstack([side.centre, side.matrix]))
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
            "sha256": {file.name: _sha256(file) for file in sorted(folder.iterdir())},
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return manifest


def read_folder(path: str | Path) -> MappedFolder:
    """The folder's vectors, mapped into memory once every file is known to be the one that was written."""
    path = Path(path)
    again = "make it again with `wordalign vectors map`."
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        if manifest["format"] != FORMAT:
            raise ModelError(f"{path} has format {manifest['format']}, this version reads {FORMAT}: {again}")
        for name, expected in manifest["sha256"].items():
            if _sha256(path / name) != expected:
                raise ModelError(f"{path / name} is damaged or was changed (its checksum is wrong): {again}")
        source, target = (_read_side(path, role, manifest[role]) for role in ("source", "target"))
        checksums = "".join(manifest["sha256"][name] for name in ("source.npy", "target.npy"))
        return MappedFolder(
            source=source,
            target=target,
            tokenizer=path / TOKENIZER if manifest["level"] == "subword" else None,
            signature=f"static:{source.name}-{target.name}@{hashlib.sha256(checksums.encode()).hexdigest()[:8]}",
            manifest=manifest,
        )
    except OSError as error:
        raise ModelError(f"{error.filename} cannot be read ({error.strerror}): {again}") from error
    except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
        raise ModelError(f"The vectors in {path} cannot be used ({error}): {again}") from error


def _read_side(path: Path, role: str, facts: dict[str, Any]) -> MappedVectors:
    transform = np.asarray(open_array(path / f"{role}.map.npy"), dtype=np.float32)
    ngrams = facts["ngrams"] and NGrams(open_array(path / f"{role}.ngrams.npy"), **facts["ngrams"])
    vectors = Vectors(read_words(path / f"{role}.words"), open_array(path / f"{role}.npy"), ngrams)
    return MappedVectors(facts["name"], vectors, Side(transform[0], transform[1:]))


def _write_blocks(path: Path, matrix: Floats, dtype: str, side: Side | None = None) -> None:
    """A matrix of any size, block by block, mapped on the way."""
    out = np.lib.format.open_memmap(path, "w+", np.dtype(dtype), matrix.shape)
    start = 0
    for block in blocks(matrix):
        out[start : start + len(block)] = block if side is None else side(block)
        start += len(block)
    out.flush()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
