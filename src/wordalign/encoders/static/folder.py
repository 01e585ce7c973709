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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wordalign.encoders.static.space import SpaceMap
from wordalign.encoders.static.vectors import NGrams, Vectors
from wordalign.errors import InputError, ModelError

MANIFEST = "vectors.json"
FORMAT = 1
TOKENIZER = "tokenizer.json"


@dataclass(frozen=True, slots=True, eq=False)
class MappedVectors:
    """One language of a folder: mapped vectors, and unmapped n-grams with the map for them."""

    name: str
    vectors: Vectors
    space_map: SpaceMap


@dataclass(frozen=True, slots=True, eq=False)
class MappedFolder:
    source: MappedVectors
    target: MappedVectors
    tokenizer: Path | None
    signature: str
    manifest: dict[str, Any]


def read_folder(path: str | Path) -> MappedFolder:
    """The folder's vectors, mapped into memory once every file is known to be the one that was written."""
    path = Path(path)
    again = "make it again with `wordalign vectors map`."
    try:
        manifest = json.loads((path / MANIFEST).read_text("utf-8"))
        if manifest["format"] != FORMAT:
            raise ModelError(f"{path} has format {manifest['format']}, this version reads {FORMAT}: {again}")
        for name, expected in manifest["sha256"].items():
            if sha256_of(path / name) != expected:
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
    return MappedVectors(facts["name"], vectors, SpaceMap(transform[0], transform[1:]))


def read_words(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text("utf-8", errors="replace").split("\n")[:-1])


def open_array(path: Path) -> np.memmap:
    try:
        array = np.lib.format.open_memmap(path, "r")
    except (ValueError, EOFError) as error:
        raise InputError(f"{path} is no numpy array: {error}") from error
    if array.ndim != 2 or array.dtype.kind != "f":
        raise InputError(f"{path} is no matrix of numbers, but {array.dtype} of shape {array.shape}.")
    return array


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
