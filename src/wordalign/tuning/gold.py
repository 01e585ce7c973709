"""Gold links as batches on a device: what people (or a language model) linked, to learn from and choose by.

words and links -> subwords -> tensors (pairs, length)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from wordalign.encoders.onnx_file import Array
from wordalign.text.characters import is_punctuation
from wordalign.types import GoldAlignment, Link


@dataclass(frozen=True, slots=True, eq=False)
class GoldPair:
    """One pair: subwords and the word of each, which words are punctuation, and the links."""

    ids: tuple[Array, Array]
    words: tuple[Array, Array]
    marks: tuple[Array, Array]
    sure: Array
    possible: Array

    @property
    def length(self) -> int:
        return max(*map(len, self.ids), *map(len, self.marks))


@dataclass(frozen=True, slots=True, eq=False)
class GoldBatch:
    """ids, words (2, pairs, length); cells, sure, possible (pairs, length, length) bool."""

    ids: Tensor
    words: Tensor
    cells: Tensor
    sure: Tensor
    possible: Tensor


def gold_pairs(
    source: Sequence[Sequence[str]],
    target: Sequence[Sequence[str]],
    links: Sequence[GoldAlignment],
    tokenizer: Tokenizer,
    longest: int = 256,
) -> list[GoldPair]:
    """Words of both sides and their links, as numbers; pairs of more than `longest` subwords are left out."""
    sides = [
        tokenizer.encode_batch(list(map(list, side)), is_pretokenized=True, add_special_tokens=False)
        for side in (source, target)
    ]
    pairs = []
    for left, right, ours, theirs, gold in zip(source, target, *sides, links, strict=True):
        pairs.append(
            GoldPair(
                (np.array(ours.ids, dtype=np.int64), np.array(theirs.ids, dtype=np.int64)),
                (np.array(ours.word_ids, dtype=np.int64), np.array(theirs.word_ids, dtype=np.int64)),
                (_marks(left), _marks(right)),
                _array(gold.sure),
                _array(gold.possible),
            )
        )
    return [pair for pair in pairs if pair.length <= longest]


def _marks(words: Sequence[str]) -> Array:
    return np.array([is_punctuation(word) for word in words], dtype=bool)


def _array(links: Iterable[Link]) -> Array:
    return np.array(sorted(links), dtype=np.int64).reshape(-1, 2)


def gold_batch(pairs: Sequence[GoldPair], device: torch.device) -> GoldBatch:
    length = -(-max(pair.length for pair in pairs) // 8) * 8
    ids = np.zeros((2, len(pairs), length), np.int64)
    words = np.full((2, len(pairs), length), length - 1)
    cells, sure, possible = (np.zeros((len(pairs), length, length), bool) for _ in range(3))
    for row, pair in enumerate(pairs):
        known = []
        for side in (0, 1):
            ids[side, row, : len(pair.ids[side])] = pair.ids[side]
            words[side, row, : len(pair.words[side])] = pair.words[side]
            known.append(np.isin(np.arange(len(pair.marks[side])), pair.words[side]))
        allowed = pair.marks[0][:, None] == pair.marks[1][None, :]
        allowed &= known[0][:, None] & known[1][None, :]
        n, m = allowed.shape
        cells[row, :n, :m] = allowed
        for target, links in ((sure, pair.sure), (possible, pair.possible)):
            inside = links[(links[:, 0] < n) & (links[:, 1] < m)]
            target[row, inside[:, 0], inside[:, 1]] = True
    return GoldBatch(*(torch.from_numpy(array).to(device) for array in (ids, words, cells, sure, possible)))


class GoldSampler:
    """Draws the same number of pairs of every set for each step; `names` are the sets, `weights` by set."""

    def __init__(self, sets: Mapping[str, Sequence[GoldPair]], sizes: Mapping[str, int], seed: int) -> None:
        self.sets, self.sizes = sets, sizes
        self.names = list(sets)
        self.chance = np.random.default_rng(seed)

    def draw(self) -> tuple[list[GoldPair], Array]:
        """Pairs, and the number of the set of each."""
        pairs, numbers = [], []
        for number, name in enumerate(self.names):
            known = self.sets[name]
            for row in self.chance.choice(len(known), min(len(known), self.sizes[name]), replace=False):
                pairs.append(known[row])
                numbers.append(number)
        return pairs, np.array(numbers)


def gold_batches(
    pairs: Sequence[GoldPair], device: torch.device, size: int = 64
) -> Iterator[tuple[list[int], GoldBatch]]:
    """All pairs once, the short ones first: their numbers and the batch."""
    order = sorted(range(len(pairs)), key=lambda number: pairs[number].length)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        yield chosen, gold_batch([pairs[number] for number in chosen], device)
