"""Vectors to disk, in the format the file's name asks for, whole or not at all.

.vec, .vec.gz   text as fastText writes it: `words dimensions`, then a word and its numbers a line
.npy            numbers only, ready to be mapped into memory; the words lie beside it in NAME.words
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from wordalign.encoders.static.vectors import Vectors
from wordalign.errors import UsageError
from wordalign.io.whole import whole_file

WRITABLE = (".vec", ".vec.gz", ".npy")


def write_vectors(path: str | Path, vectors: Vectors) -> None:
    path = Path(path)
    if path.suffix == ".npy":
        with whole_file(words_beside(path)) as words, whole_file(path) as numbers:
            write_words(words, vectors.words)
            write_array(numbers, vectors.matrix)
    elif path.name.endswith((".vec", ".vec.gz")):
        with whole_file(path) as temporary:
            _write_text(temporary, vectors, compress=path.suffix == ".gz")
    else:
        raise UsageError(f"Vectors are written as {', '.join(WRITABLE)}, not as {path.name!r}.")


def words_beside(path: Path) -> Path:
    """Where the words of a .npy file are, as in eng.npy -> eng.words."""
    return path.with_suffix(".words")


def write_words(path: Path, words: Iterable[str]) -> None:
    """Write one word on each line; only a line feed ends a line."""
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.writelines(f"{word}\n" for word in words)


def write_array(path: Path, matrix: Any) -> None:
    """Write a .npy file under whatever name; numpy itself would append the suffix."""
    with path.open("wb") as stream:
        np.save(stream, matrix, allow_pickle=False)


def _write_text(path: Path, vectors: Vectors, compress: bool) -> None:
    with path.open("wb") as raw:
        # Without a name and a time, so that equal vectors give equal files.
        packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if compress else raw
        with io.TextIOWrapper(packed, "utf-8", errors="replace", newline="\n") as stream:
            stream.write(f"{len(vectors.words)} {vectors.dimensions}\n")
            for word, row in zip(vectors.words, vectors.matrix, strict=True):
                stream.write(f"{word} {' '.join([f'{value:.6g}' for value in row.tolist()])}\n")
