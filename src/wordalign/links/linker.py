"""Pairs -> links, on the host or on a device, behind one interface.

    linker = linker_for(encoder, level)
    finish = linker.start(pairs, extraction)     a device begins to work
    finish()                                     the links of each pair, by method

`HostLinker` encodes and compares in numpy. `links.prepared.PreparedLinker` lets a device do it, and only
links leave that. Both put similarity matrices into zero-padded stacks, find the linked cells of each
stack, and make words and scores of them here: two words are linked if any of their units (words or subwords)
are, with the best score of those units.

    units linked    (this, das)  (##a, h##)  (house, h##)  (house, ##aus)
    words linked    (this, das)  (house, haus)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias

import numpy as np

from wordalign.encoders.base import Encoder
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.remote import LINK, RemoteRows
from wordalign.io.links import pharaoh_lines
from wordalign.links.methods import Method
from wordalign.links.null import drop_null
from wordalign.links.similarity import (
    SimilarityMatrix,
    distorted,
    run_starts,
    similarity_matrix,
    unit_encodings,
)
from wordalign.parallel import cut
from wordalign.text.situations import situation_of
from wordalign.types import Alignment, Encoding, Floats, Ints, Pair

# The cells of a stack, with padding. One very long sentence must not blow up the short ones beside it.
STACK_CELLS = 1 << 16

# Rows of vectors that are made units of together: they fit the processor's cache.
UNIT_ROWS = 256

# A link as one number that sorts as (pair, source word, target word) do: 24 bits for each word, more than a
# line can hold, which leaves 15 for the pair, more than a chunk can.
_BITS = 24
_MASK = (1 << _BITS) - 1
MOST_PAIRS = 1 << 63 - 2 * _BITS

ByMethod: TypeAlias = Mapping[str, Alignment]
# A sentence, and the encoder of its side.
Key: TypeAlias = tuple[Encoder, tuple[str, ...]]
Cells: TypeAlias = Callable[[], tuple[Ints, Floats]]


@dataclass(frozen=True, slots=True)
class Extraction:
    """How links are made of similarities; `methods` and the entropies of `null` have the same keys."""

    methods: Mapping[str, Method]
    distortion: float = 0.0
    null: Mapping[str, float] = field(default_factory=dict)
    threshold: float = 0.0
    calibration: Calibration | None = None

    def situations(self, pairs: Iterable[Pair]) -> list[str]:
        """The situation of each pair, where the calibration tells situations apart."""
        if self.calibration is None or not self.calibration.situations:
            return ["usual" for _ in pairs]
        return [situation_of(pair.source.words, pair.target.words) for pair in pairs]


class Linker(Protocol):
    """What an aligner asks of the host or of a device."""

    @property
    def chunk_pairs(self) -> int:
        """The number of pairs that it is best given at once."""
        ...

    @property
    def ahead(self) -> bool:
        """Whether it works on a chunk between `start` and the call that fetches the links."""
        ...

    def start(self, pairs: Sequence[Pair], extraction: Extraction) -> Callable[[], Iterable[ByMethod]]:
        """Begin to link these pairs; the function that is returned gives their links, in order."""
        ...


def linker_for(encoder: Encoder, level: str) -> Linker:
    """The device's linker where the encoder can keep vectors there, else the host's."""
    rows = encoder.on_device
    if rows is None:
        return HostLinker(encoder, level)
    from wordalign.links.prepared import PreparedLinker, Queue

    queue: Queue
    if isinstance(rows, RemoteRows):
        queue = partial(rows.ask, LINK)
    else:
        from wordalign.links.device import DeviceQueue  # needs torch, which is there where such an encoder is

        queue = DeviceQueue(rows)
    return PreparedLinker(queue, rows.subwords, rows.frame, level, rows.chunk_pairs)


class HostLinker:
    """Links pairs in numpy; `matrices` and `extract` are its two halves."""

    ahead = False

    def __init__(self, encoder: Encoder, level: str) -> None:
        self._encoder = encoder
        self._level = level
        self.chunk_pairs = encoder.chunk_pairs

    def start(self, pairs: Sequence[Pair], extraction: Extraction) -> Callable[[], Iterable[ByMethod]]:
        return lambda: self.extract(pairs, self.matrices(pairs), extraction)

    def matrices(self, pairs: Sequence[Pair]) -> list[SimilarityMatrix]:
        """The similarities of each pair as the model has them, encoded together.

        Vectors are let go with the last pair that needs them. The two sentences of a pair are about equally
        long, and encoders take sentences by length, so that few vectors are held at any time.
        """
        other = self._encoder.target
        keys = [
            ((self._encoder, pair.source.words), (other or self._encoder, pair.target.words))
            for pair in pairs
        ]
        pairs_of: dict[Key, list[int]] = {}
        for number, sides in enumerate(keys):
            for key in set(sides):
                pairs_of.setdefault(key, []).append(number)
        needed = {key: len(numbers) for key, numbers in pairs_of.items()}
        held: dict[Key, Encoding] = {}
        found: dict[int, SimilarityMatrix] = {}
        for new, encoding in self._encodings(keys):
            held[new] = encoding
            for number in pairs_of[new]:
                source, target = keys[number]
                if source in held and target in held:
                    found[number] = similarity_matrix(held[source], held[target])
                    for key in {source, target}:
                        needed[key] -= 1
                        if not needed[key]:
                            del held[key]
        return [found[number] for number in range(len(pairs))]

    def extract(
        self, pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix], extraction: Extraction
    ) -> Iterator[ByMethod]:
        """The links in these matrices, for every method."""
        for start in range(0, len(pairs), MOST_PAIRS):
            part = slice(start, start + MOST_PAIRS)
            yield from _extract(pairs[part], matrices[part], extraction)

    def _encodings(self, keys: Sequence[tuple[Key, Key]]) -> Iterator[tuple[Key, Encoding]]:
        """By their words: a sentence that occurs twice (often a translation of several) is encoded once."""
        distinct = dict.fromkeys([*(source for source, _ in keys), *(target for _, target in keys)])
        for encoder in dict.fromkeys(encoder for encoder, _ in distinct):
            sentences = [words for of, words in distinct if of is encoder]
            each = encoder.encode_each(sentences)
            for part in cut(each, MOST_PAIRS, lambda found: len(found[1].word_of_row), UNIT_ROWS):
                units = unit_encodings([encoding for _, encoding in part], self._level)
                for (number, _), encoding in zip(part, units, strict=True):
                    yield (encoder, sentences[number]), encoding


def _extract(
    pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix], extraction: Extraction
) -> Iterator[ByMethod]:
    matrices = [distorted(matrix, extraction.distortion) for matrix in matrices]
    sides = [side for matrix in matrices for side in (matrix.word_of_row, matrix.word_of_column)]
    units = Units(
        np.concatenate(sides) if sides else np.zeros(0, dtype=np.intp),
        np.concatenate([[0], np.cumsum([len(side) for side in sides], dtype=np.int64)]),
    )
    pending = PendingLinks(len(pairs), units, extraction)
    situations = extraction.situations(pairs)
    for numbers in _stacks([matrix.similarity.shape for matrix in matrices]):
        chosen = [matrices[number].similarity for number in numbers]
        height, width = (max(matrix.shape[axis] for matrix in chosen) for axis in (0, 1))
        kinds = [situations[number] for number in numbers]
        for key in extraction.methods:
            cells = partial(_host_cells, chosen, height, width, kinds, extraction, key)
            pending.stacks[key].append(Stack(np.asarray(numbers), height, width, cells))
    return pending.finish(pairs)


def _host_cells(
    matrices: Sequence[Floats],
    height: int,
    width: int,
    situations: Sequence[str],
    extraction: Extraction,
    key: str,
) -> tuple[Ints, Floats]:
    stack = np.zeros((len(matrices), height, width), dtype=matrices[0].dtype)
    for slot, matrix in zip(stack, matrices, strict=True):
        slot[: matrix.shape[0], : matrix.shape[1]] = matrix
    return linked_cells(stack, situations, extraction, key)


def linked_cells(
    stack: Floats, situations: Sequence[str], extraction: Extraction, key: str
) -> tuple[Ints, Floats]:
    """The places of the links in a zero-padded stack, counted through all of it, and their scores.

    `situations` has that of each matrix. This is the one place where similarities become links and scores.
    """
    kinds = np.asarray(situations)
    cells: list[Ints] = [np.zeros(0, dtype=np.int64)]
    scores: list[Floats] = [np.zeros(0, dtype=stack.dtype)]
    for situation in dict.fromkeys(situations):
        numbers = np.flatnonzero(kinds == situation)
        part = stack if len(numbers) == len(stack) else stack[numbers]
        found, scored = _linked_in_situation(part, situation, extraction, key)
        matrix, cell = np.divmod(found, max(stack[0].size, 1))
        cells.append(numbers[matrix] * stack[0].size + cell)
        scores.append(scored)
    return np.concatenate(cells), np.concatenate(scores)


def _linked_in_situation(
    stack: Floats, situation: str, extraction: Extraction, key: str
) -> tuple[Ints, Floats]:
    curve = None if extraction.calibration is None else extraction.calibration.in_situation(situation)
    score = None if curve is None else curve.score(stack)
    links = extraction.methods[key].in_situation(situation)(stack, score)
    if key in extraction.null:
        links = drop_null(links, stack, extraction.null[key])
    cells = np.flatnonzero(links)
    found = stack.ravel()[cells]
    if curve is None or score is None:
        return cells, found
    return cells, np.where(found > 0, curve.probability(score.ravel()[cells]), 0.0)


def _stacks(shapes: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Which matrices go together: similar ones, and no more cells with the padding than STACK_CELLS."""
    stack: list[int] = []
    height = width = 0
    for number in sorted(range(len(shapes)), key=lambda number: shapes[number]):
        taller, wider = max(height, shapes[number][0]), max(width, shapes[number][1])
        if stack and (len(stack) + 1) * taller * wider > STACK_CELLS:
            yield stack
            stack, taller, wider = [], *shapes[number]
        stack.append(number)
        height, width = taller, wider
    if stack:
        yield stack


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The word of each unit, of all sentences end to end; those of sentence k begin at `starts[k]`.

    The sentences are source and target of each pair in turns.
    """

    word: Ints
    starts: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """The links of a stack of matrices: `cells` gives their places in it and their scores.

    `numbers` has shape (matrices,) and says which pair each matrix is of.
    """

    numbers: Ints
    height: int
    width: int
    cells: Cells


class PendingLinks:
    """Pairs on their way to links: stacks of matrices, by the key of the method that is applied to them.

    `units` may be in another order than the pairs: those of pair `order[k]` are at place k.
    """

    def __init__(self, pairs: int, units: Units, extraction: Extraction, order: Ints | None = None) -> None:
        self.stacks: dict[str, list[Stack]] = {key: [] for key in extraction.methods}
        self._pairs = pairs
        self._units = units
        self._threshold = extraction.threshold
        self._order = order

    def finish(self, pairs: Sequence[Pair]) -> Iterator[ByMethod]:
        """The links of each pair by method, in the pairs' order."""
        by_method = {
            key: word_alignments(pairs, *self._links(stacks), self._threshold)
            for key, stacks in self.stacks.items()
        }
        for number in range(len(pairs)):
            yield {key: alignments[number] for key, alignments in by_method.items()}

    def pharaoh(self) -> Sequence[str]:
        """The same as the lines of a file, without making alignments."""
        columns = []
        for stacks in self.stacks.values():
            keys, scores = self._links(stacks)
            if self._threshold:
                keys = keys[scores.astype(np.float64) >= self._threshold]
            keys = np.sort(keys)
            keys = keys[run_starts(keys)]
            bounds = _bounds(keys, self._pairs)
            columns.append(pharaoh_lines(bounds, keys >> _BITS & _MASK, keys & _MASK))
        return columns[0] if len(columns) == 1 else ["\t".join(line) for line in zip(*columns, strict=True)]

    def _links(self, stacks: Sequence[Stack]) -> tuple[Ints, Floats]:
        keys: list[Ints] = [np.zeros(0, dtype=np.int64)]
        scores: list[Floats] = [np.zeros(0, dtype=np.float32)]
        for stack in stacks:
            cells, found = stack.cells()
            matrix, cell = np.divmod(cells.astype(np.int64), stack.height * stack.width)
            row, column = np.divmod(cell, stack.width)
            place = stack.numbers[matrix]
            source = self._units.word[self._units.starts[2 * place] + row]
            target = self._units.word[self._units.starts[2 * place + 1] + column]
            keys.append(link_keys(place if self._order is None else self._order[place], source, target))
            scores.append(found)
        return np.concatenate(keys), np.concatenate(scores)


def link_keys(pair: Ints | int, source: Ints, target: Ints) -> Ints:
    """The links of `source` words with `target` words in pairs, as keys for `word_alignments`."""
    return (np.asarray(pair, dtype=np.int64) << 2 * _BITS) | (source.astype(np.int64) << _BITS) | target


def word_alignments(
    pairs: Sequence[Pair], keys: Ints, scores: Floats, threshold: float = 0.0
) -> list[Alignment]:
    """The alignments of these pairs from the keys of their links, in any order and some of them often.

    `scores` go with `keys`; links below `threshold` are left out.
    """
    scores = scores.astype(np.float64)
    if threshold:
        kept = scores >= threshold
        keys, scores = keys[kept], scores[kept]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = run_starts(keys)
    best = np.maximum.reduceat(scores[order], starts).tolist() if len(starts) else []
    keys = keys[starts]
    bounds = _bounds(keys, len(pairs))
    links = list(zip((keys >> _BITS & _MASK).tolist(), (keys & _MASK).tolist(), strict=True))
    return [
        Alignment(tuple(links[first:last]), tuple(best[first:last]), pair.source, pair.target)
        for pair, first, last in zip(pairs, bounds[:-1], bounds[1:], strict=True)
    ]


def _bounds(keys: Ints, pairs: int) -> list[int]:
    """Where the links of each pair begin in sorted keys, and where those of the last one end."""
    bounds: list[int] = np.searchsorted(keys >> 2 * _BITS, np.arange(pairs + 1)).tolist()
    return bounds
