"""Vectors from disk: `.vec` and `.vec.gz` text, fastText's `.bin`, and `.npy` with its words beside it."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from wordalign.errors import InputError
from wordalign.vectors.fasttext_bin import read_bin
from wordalign.vectors.scratch import scratch_matrix
from wordalign.vectors.vectors import Vectors
from wordalign.vectors.write import words_beside


def read_vectors(path: str | Path, limit: int | None = None) -> Vectors:
    """The vectors of a file, or the first `limit` of them: the most frequent words, as files are sorted.

    Text is copied into a temporary file once; everything else is used where it lies on disk. Only
    `.bin` files know n-grams.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a directory; give a file of vectors.")
    try:
        if path.suffix == ".npy":
            vectors = _read_npy(path, limit)
        elif path.suffix == ".bin":
            vectors = read_bin(path, limit)
        else:
            vectors = _read_text(path, limit)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {error.filename}.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    if not vectors.words:
        raise InputError(f"{path} holds no vectors.")
    return vectors


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


def _read_npy(path: Path, limit: int | None) -> Vectors:
    matrix, words = open_array(path), read_words(words_beside(path))
    if len(matrix) != len(words):
        raise InputError(f"{path} has {len(matrix):,} rows, but {words_beside(path)} {len(words):,} words.")
    return Vectors(words[:limit], matrix[:limit])


def _read_text(path: Path, limit: int | None) -> Vectors:
    lines = _lines(path)
    first = next(lines, "")
    header = first.split()
    has_header = len(header) == 2 and all(part.isdigit() for part in header)
    if has_header:
        rows, dimensions = map(int, header)
        skipped = 1
    else:  # as GloVe writes it
        rows, dimensions = sum(1 for _ in _lines(path)), len(header) - 1
        skipped = 0
    if dimensions < 1:
        raise InputError(f"{path} is no file of vectors: its first line is {first[:60]!r}.")
    wanted = rows if limit is None else min(rows, limit)
    matrix = scratch_matrix(wanted, dimensions)
    words: dict[str, None] = {}
    number = skipped
    for number, line in enumerate(islice(_lines(path), skipped, skipped + wanted), start=skipped + 1):
        word, row = _parse(path, number, line, dimensions)
        if word not in words:
            matrix[len(words)] = row
            words[word] = None
    if number < skipped + wanted:
        raise InputError(f"{path} promises {rows:,} vectors, but ends after {number - 1:,}: it is cut off.")
    return Vectors(tuple(words), matrix[: len(words)])


def _parse(path: Path, number: int, line: str, dimensions: int) -> tuple[str, np.ndarray]:
    # From the right: a word may contain spaces.
    word, *values = line.rstrip(" \r").rsplit(" ", dimensions)
    try:
        row = np.array(values, dtype=np.float32)
    except ValueError as error:
        raise InputError(
            f"{path}, line {number}: expected a word and numbers, found {line[:60]!a}. Are these vectors?"
        ) from error
    if len(row) != dimensions:
        raise InputError(f"{path}, line {number}: {len(row)} numbers instead of {dimensions}.")
    if not np.isfinite(row).all():
        raise InputError(f"{path}, line {number}: a vector holds numbers without a value.")
    return word, row


def _lines(path: Path) -> Iterator[str]:
    """Lines of plain or gzipped text, told apart by the first bytes."""
    with path.open("rb") as stream:
        opener = gzip.open if stream.read(2) == b"\x1f\x8b" else open
    with opener(path, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        try:
            for line in lines:
                yield line.removesuffix("\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{path} is damaged: {error}.") from error
