"""Vectors -> similarity matrix, and the distortion that pulls it towards the diagonal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordalign.errors import DeviceMemoryError, ModelError, UsageError
from wordalign.machine import free_memory
from wordalign.types import Encoding, Floats, Ints, unit_rows

__all__ = [
    "SimilarityMatrix",
    "cosine_similarity",
    "distorted",
    "distortion",
    "run_means",
    "similarity_matrix",
    "unit_encoding",
    "unit_encodings",
    "unit_rows",
    "word_means",
]

# Products of numbers that OpenBLAS leaves to the calling thread, and how many such parts a product may have.
ALONE = 1 << 18
MOST_PARTS = 256
# What a pair takes at the most from its similarities to its links, by the greediest method; below LARGE bytes
# nobody looks how much memory is free.
BYTES_PER_CELL = 34
LARGE = 1 << 30
MANY_SUBWORDS = 64  # no word of a language has so many; a file in letters has

NOT_NUMBERS = (
    "The model gave vectors that are not finite numbers (NaN), as some models do in half precision: "
    "use dtype float32, or another model or layer."
)


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityMatrix:
    """How similar a pair's words or subwords are: `similarity` of shape (rows, columns), from 0 to 1.

    `word_of_row` and `word_of_column` name the words of source and target that they belong to; both rise.
    """

    similarity: Floats
    word_of_row: Ints
    word_of_column: Ints


def word_means(encoding: Encoding) -> Encoding:
    """One row a word: the mean of its subwords. Words without a subword still have no row."""
    starts = run_starts(encoding.word_of_row)
    if len(starts) == len(encoding.word_of_row):
        return encoding
    groups = None if encoding.group_of_row is None else encoding.group_of_row[starts]
    return Encoding(run_means(encoding.vectors, starts), encoding.word_of_row[starts], groups)


def run_means(vectors: Floats, starts: Ints) -> Floats:
    """The means of runs of rows, which begin at `starts`.

    Most words are one subword, so those that are not are added up, all first rows, all second ones and so
    on. Numpy's `reduceat` takes several times as long. Words of very many subwords are added up one by one.

    >>> run_means(np.array([[1.0], [3.0], [5.0]]), np.array([0, 2])).tolist()
    [[2.0], [5.0]]
    """
    counts = np.diff(starts, append=len(vectors))
    sums = vectors[starts]
    row, longer = 1, np.flatnonzero(counts > 1)
    while len(longer) and row < MANY_SUBWORDS:
        sums[longer] += vectors[starts[longer] + row]
        row += 1
        longer = longer[counts[longer] > row]
    for word in longer.tolist():
        sums[word] = vectors[starts[word] : starts[word] + counts[word]].sum(axis=0)
    means: Floats = sums / counts[:, None].astype(sums.dtype)
    return means


def run_starts(values: Ints) -> Ints:
    """Where each run of equal values begins.

    >>> run_starts(np.array([3, 3, 5, 6, 6])).tolist()
    [0, 2, 3]
    """
    begins = np.ones(len(values), dtype=np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins.nonzero()[0]


def unit_encoding(encoding: Encoding, level: str) -> Encoding:
    """The units of a level, "word" or "subword", as rows of length 1."""
    return unit_encodings([encoding], level)[0]


def unit_encodings(encodings: Sequence[Encoding], level: str) -> list[Encoding]:
    """The same of several sentences, which is quicker than one by one."""
    bounds = np.cumsum([0, *(len(encoding.word_of_row) for encoding in encodings)])
    vectors = np.concatenate([encoding.vectors for encoding in encodings])
    word_of_row = [encoding.word_of_row for encoding in encodings]
    groups = [encoding.group_of_row for encoding in encodings]
    if level == "word":
        starts = [run_starts(rows) for rows in word_of_row]
        whole = np.concatenate([first + inside for first, inside in zip(bounds, starts, strict=False)])
        bounds = np.cumsum([0, *map(len, starts)])
        vectors = run_means(vectors, whole) if len(whole) < len(vectors) else vectors
        word_of_row = [rows[inside] for rows, inside in zip(word_of_row, starts, strict=True)]
        groups = [
            None if group is None else group[inside] for group, inside in zip(groups, starts, strict=True)
        ]
    vectors = unit_rows(vectors)
    if not np.isfinite(vectors.sum()):
        raise ModelError(NOT_NUMBERS)
    # Copies, so that a sentence that waits for its partner does not hold the others.
    return [
        Encoding(vectors[first:last].copy(), rows, group)
        for first, last, rows, group in zip(bounds, bounds[1:], word_of_row, groups, strict=False)
    ]


def similarity_matrix(source: Encoding, target: Encoding) -> SimilarityMatrix:
    """The similarities of units of length 1; those of different groups have none."""
    _refuse_too_large(len(source.vectors), len(target.vectors))
    similarity = cosine_similarity(source.vectors, target.vectors)
    if source.group_of_row is not None and target.group_of_row is not None:
        similarity *= source.group_of_row[:, None] == target.group_of_row[None, :]
    return SimilarityMatrix(similarity, source.word_of_row, target.word_of_row)


def _refuse_too_large(rows: int, columns: int) -> None:
    """Say so before the system ends the process for taking more memory than there is."""
    needed = rows * columns * BYTES_PER_CELL
    if needed < LARGE or (free := free_memory()) is None or needed <= free:
        return
    raise DeviceMemoryError(
        f"A pair of {rows:,} and {columns:,} words or subwords takes about {needed / (1 << 30):.1f} GiB of "
        f"memory, and {free / (1 << 30):.1f} GiB are free: split it where sentences end."
    )


def cosine_similarity(source: Floats, target: Floats) -> Floats:
    """Cosine brought to [0, 1]: S[i, j] = (cos(source[i], target[j]) + 1) / 2.

    Shapes (m, d) and (n, d) of unit rows -> (m, n).
    """
    similarity = _products(source, target)
    # In place: for two lines of 10,000 words every copy would take 400 MB.
    similarity += 1
    similarity /= 2
    return np.clip(similarity, 0, 1, out=similarity)


def _products(source: Floats, target: Floats) -> Floats:
    """`source @ target.T`, by the calling thread alone unless there is work for several.

    numpy's OpenBLAS divides every product but small ones among threads, which then stay awake for a while and
    take the processor from the model, whose next batch is due. So a product of usual size is computed in
    parts that are small for OpenBLAS.
    """
    (rows, size), columns = source.shape, len(target)
    if not ALONE < rows * columns * size <= MOST_PARTS * ALONE:
        return source @ target.T
    side = max(1, math.isqrt(ALONE // size))
    found = np.empty((rows, columns), dtype=np.result_type(source, target))
    across = target.T
    for row in range(0, rows, side):
        for column in range(0, columns, side):
            part = found[row : row + side, column : column + side]
            np.matmul(source[row : row + side], across[:, column : column + side], out=part)
    return found


def distorted(matrix: SimilarityMatrix, kappa: float) -> SimilarityMatrix:
    """The matrix that links are found in where distortion is wanted: as it is for a `kappa` of 0."""
    if not kappa:
        return matrix
    rows, columns = matrix.similarity.shape
    penalty = distortion(rows, columns, kappa).astype(matrix.similarity.dtype)
    return replace(matrix, similarity=matrix.similarity * penalty)


def distortion(m: int, n: int, kappa: float = 0.5) -> Floats:
    """P[i, j] = 1 - kappa (i/m - j/n)^2, to be multiplied onto the similarity matrix (paper, 2.2).

    Positions count from 0, so that the first words of both sides are exactly level.
    """
    if not 0 <= kappa <= 1:
        raise UsageError(f"The distortion's kappa lies between 0 and 1, not {kappa}.")
    rows: Ints = np.arange(m)
    columns: Ints = np.arange(n)
    return 1 - kappa * (rows[:, None] / max(m, 1) - columns[None, :] / max(n, 1)) ** 2
