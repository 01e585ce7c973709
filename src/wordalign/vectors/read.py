"""Vectors from disk: `.vec` and `.vec.gz` text, fastText's `.bin`, and `.npy` with its words beside it.

A `.bin` file is a header, the dictionary and the input matrix. The first rows of the matrix belong to the
words, and the other rows are the n-gram buckets. The vector of a word is the mean of its own row
and the rows of its n-grams. The matrix is mapped into memory, so that only what is asked for is read.
"""

from __future__ import annotations

import gzip
import struct
import tempfile
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from wordalign.encoders.static.folder import open_array, read_words
from wordalign.encoders.static.vectors import NGrams, Vectors
from wordalign.errors import InputError
from wordalign.vectors.write import words_beside

_MAGIC, _VERSIONS = 793712314, (11, 12)


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
            vectors = _read_bin(path, limit)
        else:
            vectors = _read_text(path, limit)
    except FileNotFoundError as error:
        raise InputError(f"There is no file {error.filename}.") from error
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}.") from error
    if not vectors.words:
        raise InputError(f"{path} holds no vectors.")
    return vectors


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
    matrix = _scratch_matrix(wanted, dimensions)
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


def _read_bin(path: Path, limit: int | None = None) -> Vectors:
    try:
        with path.open("rb") as stream:
            return _read_model(path, stream, limit)
    except (struct.error, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no complete fastText model: {error}.") from error


def _read_model(path: Path, stream: BinaryIO, limit: int | None) -> Vectors:
    magic, version = _unpack(stream, "<ii")
    if magic != _MAGIC or version not in _VERSIONS:
        raise ValueError("it does not begin as one of version 0.2 or later")
    dimensions, *_ = settings = _unpack(stream, "<12id")
    shortest, longest = settings[9], settings[10]
    total, count, _labels, _tokens, pruned = _unpack(stream, "<iiiqq")
    words = _words(stream, total)[:count]
    for _ in range(max(pruned, 0)):
        _unpack(stream, "<ii")
    (quantised,) = _unpack(stream, "<?")
    if quantised or pruned >= 0:
        raise InputError(f"{path} is a quantised model, which keeps no plain vectors: give the .bin or .vec.")
    rows, columns = _unpack(stream, "<qq")
    if columns != dimensions or rows < total or path.stat().st_size < stream.tell() + 4 * rows * columns:
        raise ValueError("its matrix does not fit the file")
    matrix = np.memmap(path, np.dtype("<f4"), "r", stream.tell(), (rows, columns))
    ngrams = NGrams(matrix[total:], shortest, longest) if rows > total and longest > 0 else None
    kept = words[:limit]
    return Vectors(tuple(kept), _word_rows(kept, matrix, total, ngrams), ngrams)


def _word_rows(words: list[str], matrix: np.memmap, first: int, ngrams: NGrams | None) -> np.memmap:
    """The mean of each word's own row and the rows of its n-grams."""
    rows = _scratch_matrix(len(words), matrix.shape[1])
    for number, word in enumerate(words):
        buckets = [] if ngrams is None or word == "</s>" else ngrams.buckets(word)
        rows[number] = matrix[[number, *(first + bucket for bucket in buckets)]].mean(axis=0)
    return rows


def _words(stream: BinaryIO, count: int) -> list[str]:
    """`count` words, each ended by a zero byte and followed by its frequency (8 bytes) and kind (1)."""
    words: list[str] = []
    rest = b""
    while len(words) < count:
        end = rest.find(b"\0")
        if end < 0 or len(rest) < end + 10:
            more = stream.read(1 << 16)
            if not more:
                raise ValueError("it ends among its words")
            rest += more
            continue
        words.append(rest[:end].decode("utf-8", "replace"))
        rest = rest[end + 10 :]
    stream.seek(-len(rest), 1)
    return words


def _unpack(stream: BinaryIO, layout: str) -> tuple[int, ...]:
    return struct.unpack(layout, stream.read(struct.calcsize(layout)))


def _scratch_matrix(rows: int, columns: int) -> np.memmap:
    """A float32 matrix of zeros, kept in a temporary file since it may be larger than the memory."""
    if rows * columns == 0:
        return np.zeros((rows, columns), dtype=np.float32)  # type: ignore[return-value]
    with tempfile.TemporaryFile() as stream:
        return np.memmap(stream, np.float32, "w+", shape=(rows, columns))
