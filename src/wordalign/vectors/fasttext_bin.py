"""fastText's own .bin files, mapped into memory: nothing is read but the words and the rows asked for.

The file is a header, the dictionary, and the input matrix, whose first rows are the words' own and whose
other rows are the n-gram buckets. A word's vector is the mean of its own row and of its n-grams' rows.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

from wordalign.errors import InputError
from wordalign.vectors.ngrams import NGrams
from wordalign.vectors.scratch import scratch_matrix
from wordalign.vectors.vectors import Vectors

_MAGIC, _VERSIONS = 793712314, (11, 12)


def read_bin(path: Path, limit: int | None = None) -> Vectors:
    try:
        with path.open("rb") as stream:
            return _read(path, stream, limit)
    except (struct.error, UnicodeDecodeError, ValueError, OverflowError) as error:
        raise InputError(f"{path} is no complete fastText model: {error}.") from error


def _read(path: Path, stream: BinaryIO, limit: int | None) -> Vectors:
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
    """Means of each word's own row and its n-grams', in a file without a name."""
    rows = scratch_matrix(len(words), matrix.shape[1])
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
