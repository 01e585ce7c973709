"""Pairs with soft links as numbers, in the few pieces that the material uses, and batches of them.

Of a vocabulary of 80,000 pieces a text uses some thousands. Only these are in the net while it learns: the
rest would be carried along in every step for nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from wordalign.encoders.onnx_file import Array
from wordalign.encoders.subwords import MARK
from wordalign.encoders.torch_module import EncoderModule
from wordalign.text.characters import is_punctuation
from wordalign.tuning.gold import GoldPair, gold_batch, gold_pairs
from wordalign.tuning.vocabulary import MASK
from wordalign.types import GoldAlignment, Link, Pair

EMPTY = GoldAlignment(frozenset(), frozenset())


@dataclass(frozen=True, slots=True, eq=False)
class UsedPieces:
    """Some pieces of a vocabulary, numbered anew; the special ones keep their numbers.

    `numbers` (used,) are their numbers in the whole vocabulary, rising.
    """

    numbers: Array

    @classmethod
    def of(cls, pairs: Iterable[GoldPair]) -> UsedPieces:
        used = {number for pair in pairs for side in pair.ids for number in side.tolist()}
        return cls(np.array(sorted(used | set(range(MASK + 1))), dtype=np.int64))

    def renumbered(self, pair: GoldPair) -> GoldPair:
        left, right = (np.searchsorted(self.numbers, side) for side in pair.ids)
        return replace(pair, ids=(left, right))

    def narrowed(self, module: EncoderModule) -> EncoderModule:
        """The same module with the vectors of these pieces alone."""
        rows = module.embedding.weight.detach()[torch.from_numpy(self.numbers)]
        narrow = copy.deepcopy(module)
        narrow.embedding = torch.nn.Embedding(len(rows), rows.shape[1])
        narrow.embedding.load_state_dict({"weight": rows})
        narrow.shape = replace(module.shape, vocabulary=len(rows))
        return narrow

    def widened(self, weights: Mapping[str, Tensor], module: EncoderModule) -> dict[str, Array]:
        """Weights of the narrowed module -> those of the whole one; other pieces stay as in `module`."""
        arrays = {name: value.detach().float().cpu().numpy() for name, value in weights.items()}
        whole = module.embedding.weight.detach().numpy().copy()
        whole[self.numbers] = arrays["embedding.weight"]
        return {**arrays, "embedding.weight": whole}

    def plain(self, tokenizer: Tokenizer) -> Tensor:
        """Which of the pieces hold a letter, a digit or a mark, (used,) bool."""
        pieces = [str(tokenizer.id_to_token(number)) for number in self.numbers.tolist()]
        return torch.tensor([not is_punctuation(piece.strip(MARK)) for piece in pieces])


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A pair with soft links: links (links, 2) and their weights (links,)."""

    pair: GoldPair
    links: Array
    weights: Array

    @classmethod
    def of(cls, pair: GoldPair, labels: Mapping[Link, float]) -> Example:
        links = np.array(list(labels), dtype=np.int64).reshape(-1, 2)
        return cls(pair, links, np.array(list(labels.values()), dtype=np.float32))

    @property
    def tokens(self) -> int:
        return sum(map(len, self.pair.ids))


def numbered(pairs: Sequence[Pair], tokenizer: Tokenizer, longest: int = 128) -> list[GoldPair | None]:
    """Pairs as subwords, without links; None for those that are too long, or that the tokenizer empties."""
    found = gold_pairs(
        [pair.source.words for pair in pairs],
        [pair.target.words for pair in pairs],
        [EMPTY] * len(pairs),
        tokenizer,
        longest=1 << 30,
    )
    return [
        pair if min(map(len, pair.ids)) and max(map(len, pair.ids)) <= longest else None for pair in found
    ]


def soft_batch(examples: Sequence[Example], device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """ids, words (2, pairs, length); cells that may be linked, and labels (pairs, length, length)."""
    batch = gold_batch([example.pair for example in examples], device)
    length = batch.ids.shape[2]
    labels = np.zeros((len(examples), length, length), np.float32)
    for row, example in enumerate(examples):
        labels[row, example.links[:, 0], example.links[:, 1]] = example.weights
    return batch.ids, batch.words, batch.cells, torch.from_numpy(labels).to(device)


T = TypeVar("T")


def passes(items: Sequence[T], lengths: Sequence[int], tokens: int, seed: int) -> Iterator[list[T]]:
    """Batches of about so many subwords, of items of like length, over all items again and again."""
    number = 0
    while True:
        batches = _batches(lengths, tokens, np.random.default_rng([seed, number]))
        yield from ([items[place] for place in batch] for batch in batches)
        number += 1


def batches_of_a_pass(lengths: Sequence[int], tokens: int, seed: int) -> int:
    """How many batches the first pass has."""
    return len(_batches(lengths, tokens, np.random.default_rng([seed, 0])))


def _batches(lengths: Sequence[int], tokens: int, chance: np.random.Generator) -> list[list[int]]:
    # Lengths are a little blurred, so that the batches of each pass are others.
    order = np.argsort(np.array(lengths) * chance.uniform(0.85, 1.15, len(lengths)), kind="stable")
    batches: list[list[int]] = [[]]
    longest = 0
    for place in order.tolist():
        longest = max(longest, lengths[place])
        if batches[-1] and 2 * longest * (len(batches[-1]) + 1) > tokens:
            batches.append([])
            longest = lengths[place]
        batches[-1].append(place)
    return [batches[place] for place in chance.permutation(len(batches)).tolist()]
