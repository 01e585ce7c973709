"""Gold sets as batches on a device: what people (or a language model) linked, to learn from and to choose by.

folder `a-b.name` with `a.txt`, `b.txt` (`eng1.txt`, `eng2.txt` for two sentences of one language), `gold.txt`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.metrics import GoldSet
from wordalign.text.characters import is_punctuation


@dataclass(frozen=True, slots=True, eq=False)
class GoldPair:
    """One pair: subwords and the word of each, which words are punctuation, and the links."""

    ids: tuple[np.ndarray, np.ndarray]
    words: tuple[np.ndarray, np.ndarray]
    marks: tuple[np.ndarray, np.ndarray]
    sure: np.ndarray
    possible: np.ndarray

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


def gold_pairs(gold: GoldSet, tokenizer: Tokenizer, longest: int = 256) -> list[GoldPair]:
    """The pairs of a set; very long ones are left out."""
    sides = [
        tokenizer.encode_batch(side, is_pretokenized=True, add_special_tokens=False)
        for side in (gold.english, gold.other)
    ]
    pairs = []
    for number, both in enumerate(zip(*sides, strict=True)):
        sentences = gold.english[number], gold.other[number]
        pairs.append(
            GoldPair(
                tuple(np.array(side.ids, dtype=np.int64) for side in both),
                tuple(np.array(side.word_ids, dtype=np.int64) for side in both),
                tuple(np.array([is_punctuation(word) for word in words], dtype=bool) for words in sentences),
                np.array(sorted(gold.sure[number]), dtype=np.int64).reshape(-1, 2),
                np.array(sorted(gold.possible[number]), dtype=np.int64).reshape(-1, 2),
            )
        )
    return [pair for pair in pairs if pair.length <= longest]


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

    def __init__(self, sets: dict[str, list[GoldPair]], sizes: dict[str, int], seed: int) -> None:
        self.sets, self.sizes = sets, sizes
        self.names = list(sets)
        self.chance = np.random.default_rng(seed)

    def draw(self) -> tuple[list[GoldPair], np.ndarray]:
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
