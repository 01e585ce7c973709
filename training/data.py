"""All pairs as flat tensors on one device; batches are cut out there, without the CPU.

A plan holds some hundred thousand pairs, drawn by language shares and sorted into batches of one
padded length each. Every batch has the same number of padded subwords.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

PAD = 0


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Pairs of one padded length; index 0 of axis 0 is English, 1 the other language.

    ids, words (2, pairs, length): subwords (0 is padding) and the number of the word each belongs to.
    pairs (pairs,): which pairs. links (pairs, 2 * length, 2), weights (pairs, 2 * length): the soft
    links, weight 0 where there are fewer.
    """

    pairs: Tensor
    ids: Tensor
    words: Tensor
    links: Tensor
    weights: Tensor


class Corpus:
    """The arrays of `unpack` on a device, with labels that can be replaced."""

    def __init__(self, arrays: dict[str, np.ndarray], device: torch.device) -> None:
        self.device = device
        self.tokens = torch.from_numpy(arrays["tokens"].astype(np.int32)).to(device)
        self.words = torch.from_numpy(arrays["words"]).to(device)
        self.starts = torch.from_numpy(arrays["starts"]).to(device)
        self.lengths = torch.from_numpy(arrays["lengths"].astype(np.int64)).to(device)
        self.language = torch.from_numpy(arrays["language"].astype(np.int64)).to(device)
        links = torch.from_numpy(arrays["links"]).to(device)
        weights = torch.from_numpy((arrays["weight"] / 255).astype(np.float16)).to(device)
        counts = torch.from_numpy(arrays["counts"].astype(np.int64)).to(device)
        self.set_labels(counts, links, weights)
        self.taught = (self.first_link, self.counts, self.links, self.weights)
        self.copies, self.pairs = self.starts.shape[:2]

    def set_labels(self, counts: Tensor, links: Tensor, weights: Tensor) -> None:
        """Replace the labels: counts (pairs,), links (links, 2) uint8, weights (links,)."""
        self.counts = counts
        self.first_link = counts.cumsum(0) - counts
        self.links, self.weights = links, weights

    def gather(self, pairs: Tensor, copies: Tensor, length: int, taught: bool = False) -> Batch:
        """Cut out `pairs` (pairs,) in the segmentations `copies` (2, pairs); `taught`: first labels."""
        start = torch.stack([self.starts[copies[side], pairs, side] for side in (0, 1)])
        size = torch.stack([self.lengths[copies[side], pairs, side] for side in (0, 1)])
        place = torch.arange(length, device=self.device)
        real = place < size[:, :, None]
        index = (start[:, :, None] + place).clamp_(max=len(self.tokens) - 1)
        ids = torch.where(real, self.tokens[index].long(), PAD)
        words = torch.where(real, self.words[index].long(), length - 1)
        first, count, links, weights = (
            self.taught if taught else (self.first_link, self.counts, self.links, self.weights)
        )
        slot = torch.arange(2 * length, device=self.device)
        exists = slot < count[pairs][:, None]
        index = (first[pairs][:, None] + slot).clamp_(max=max(len(links) - 1, 0))
        chosen = links[index].long()
        exists &= (chosen < length).all(2)  # a pair cut to a shorter length loses links
        chosen = torch.where(exists[:, :, None], chosen, 0)
        return Batch(pairs, ids, words, chosen, torch.where(exists, weights[index].float(), 0.0))


def language_shares(language: Tensor, temperature: float) -> Tensor:
    """Share of each language, shape (languages,)."""
    sizes = torch.bincount(language).double()
    shares = torch.where(sizes > 0, sizes**temperature, 0.0)
    return shares / shares.sum()


class Plan:
    """Draws pairs by language shares without repeating one before all of its language were used."""

    def __init__(
        self, corpus: Corpus, lengths: list[int], tokens: int, temperature: float, seed: int
    ) -> None:
        self.corpus, self.lengths, self.tokens = corpus, lengths, tokens
        self.shares = language_shares(corpus.language, temperature).tolist()
        self.generator = torch.Generator(corpus.device).manual_seed(seed)
        self.members = [torch.nonzero(corpus.language == number)[:, 0] for number in range(len(self.shares))]
        self.queues = [members[:0] for members in self.members]

    def draw(self, pairs: int) -> Tensor:
        drawn = []
        for number, share in enumerate(self.shares):
            members, need = self.members[number], round(pairs * share)
            while len(members) and len(self.queues[number]) < need:
                order = torch.randperm(len(members), generator=self.generator, device=members.device)
                self.queues[number] = torch.cat((self.queues[number], members[order]))
            drawn.append(self.queues[number][:need])
            self.queues[number] = self.queues[number][need:]
        return torch.cat(drawn)

    def batches(self, pairs: int) -> Iterator[tuple[Tensor, Tensor, int]]:
        """One round in random order: (pairs, copies, length) of each batch, ready for `gather`."""
        corpus, generator = self.corpus, self.generator
        drawn = self.draw(pairs)
        # Half of the sentences keep the usual segmentation.
        copies = torch.randint(2 * corpus.copies, (2, len(drawn)), generator=generator, device=corpus.device)
        copies = torch.where(copies < corpus.copies, copies, 0)
        yield from _cut(corpus, drawn, copies, self.lengths, self.tokens, generator)


def all_batches(corpus: Corpus, lengths: list[int], tokens: int) -> Iterator[tuple[Tensor, Tensor, int]]:
    """Every pair once, in the usual segmentation; the last batch of a length is filled up with repeats."""
    pairs = torch.arange(corpus.pairs, device=corpus.device)
    copies = torch.zeros((2, corpus.pairs), dtype=torch.long, device=corpus.device)
    yield from _cut(corpus, pairs, copies, lengths, tokens, None)


def _cut(
    corpus: Corpus,
    pairs: Tensor,
    copies: Tensor,
    lengths: list[int],
    tokens: int,
    generator: torch.Generator | None,
) -> Iterator[tuple[Tensor, Tensor, int]]:
    sides = [corpus.lengths[copies[side], pairs, side] for side in (0, 1)]
    edges = torch.tensor(lengths, device=pairs.device)
    bucket = torch.bucketize(torch.maximum(*sides), edges)
    found: list[tuple[Tensor, Tensor, int]] = []
    for number, length in enumerate(lengths):
        where = torch.nonzero(bucket == number)[:, 0]
        size = tokens // (2 * length)
        if not len(where):
            continue
        if generator is not None:
            where = where[torch.randperm(len(where), generator=generator, device=where.device)]
        missing = -len(where) % size
        # Full batches only, so that all shapes stay the same: the last one takes some pairs twice.
        where = torch.cat((where, where.repeat(-(-missing // len(where)))[:missing]))
        found += [(pairs[part], copies[:, part], length) for part in where.split(size)]
    order = (
        range(len(found))
        if generator is None
        else torch.randperm(len(found), generator=generator, device=generator.device).tolist()
    )
    for number in order:
        yield found[number]
