"""All training pairs as flat tensors on one device; batches are cut out there, without the CPU.

    sentences   every sentence once: its subwords
    pairs       two sentences each. Given pairs have labels by eflomal. Joined pairs are two sentences that
    are
                linked to a third one, the pivot: German and French through the same English sentence, two
                English
                sentences through the same Spanish one. Copies are a sentence and the same sentence with
                words left
                out and parts moved, whose links are known.
    labels      soft links of pairs, which can be replaced

A pair belongs to a group (a language, "joined", "same", "copies", "entries"), and groups have shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from training.shards import read_arrays
from wordalign.tuning.vocabulary import PAD

LENGTHS = (8, 12, 16, 24, 32, 40, 48, 64, 80, 96, 128)


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Soft links of all pairs: counts and first (pairs,), links (links, 2) uint8, weights (links,) half."""

    counts: Tensor
    links: Tensor
    weights: Tensor
    first: Tensor

    @classmethod
    def of(cls, counts: Tensor, links: Tensor, weights: Tensor) -> Labels:
        return cls(counts, links, weights, counts.cumsum(0) - counts)

    @classmethod
    def from_cells(cls, keys: Sequence[Tensor], weights: Sequence[Tensor], pairs: int) -> Labels:
        """From keys (pair << 16) + (left word << 8) + right word, in any order; equal keys once."""
        key, order = torch.cat(list(keys)).sort()
        weight = torch.cat(list(weights))[order]
        once = torch.ones_like(key, dtype=torch.bool)
        once[1:] = key[1:] != key[:-1]
        key, weight = key[once], weight[once].half()
        links = torch.stack(((key >> 8) & 255, key & 255), dim=1).to(torch.uint8)
        return cls.of(torch.bincount(key >> 16, minlength=pairs), links, weight)

    def dense(self, pairs: Tensor, length: int) -> Tensor:
        """The labels of some pairs as matrices (pairs, length, length)."""
        most = max(int(self.counts[pairs].max()), 1) if len(pairs) else 1
        slot = torch.arange(most, device=pairs.device)
        exists = slot < self.counts[pairs][:, None]
        index = (self.first[pairs][:, None] + slot).clamp_(max=max(len(self.links) - 1, 0))
        links = self.links[index].long()
        exists &= (links < length).all(2)
        weights = torch.where(exists, self.weights[index].float(), 0.0)
        flat = torch.zeros(len(pairs), length * length, device=pairs.device)
        index = torch.where(exists, links[..., 0] * length + links[..., 1], 0)
        return flat.scatter_reduce_(1, index, weights, "amax").view(len(pairs), length, length)


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Tensors on a device.

    tokens (tokens,), starts and lengths (sentences,); sides (pairs, 2): the sentences of each pair; group
    (pairs,);
    pivot (joined pairs, 4): the two given pairs that make it and, for each, which side the pivot is on; the
    joined
    pairs stand at the end, from `joined` on. `plain` and `starting` say of each piece whether it holds a
    letter or
    digit, and whether it begins a word.
    """

    tokens: Tensor
    starts: Tensor
    lengths: Tensor
    sides: Tensor
    group: Tensor
    groups: list[str]
    pivot: Tensor
    joined: int
    taught: Labels
    plain: Tensor
    starting: Tensor

    @property
    def pairs(self) -> int:
        return len(self.sides)

    def gather(self, pairs: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """ids and words (2, pairs, length): subwords, and the number of the word that each belongs to."""
        sentences = self.sides[pairs].T
        place = torch.arange(length, device=pairs.device)
        real = place < self.lengths[sentences][:, :, None]
        index = (self.starts[sentences][:, :, None] + place).clamp_(max=len(self.tokens) - 1)
        ids = torch.where(real, self.tokens[index].long(), PAD)
        words = (self.starting[ids] & real).long().cumsum(-1) - 1
        return ids, torch.where(real, words, length - 1)

    def compose(self, labels: Labels, pairs: Tensor, length: int) -> Tensor:
        """Labels of joined pairs through their pivots: matrices (pairs, length, length).

        Words are linked if both are linked to the same word of the pivot.
        """
        first, second, side, other = self.pivot[pairs - self.joined].unbind(1)
        longest = int(self.lengths[self.sides[torch.cat((first, second))]].max())
        longest = max(longest, length)
        left, right = labels.dense(first, longest), labels.dense(second, longest)
        # Pivot words in rows.
        left = torch.where((side == 0)[:, None, None], left, left.transpose(1, 2))
        right = torch.where((other == 0)[:, None, None], right, right.transpose(1, 2))
        return (left.transpose(1, 2) @ right).clamp_(max=1.0)[:, :length, :length]


def load_corpus(
    folders: Sequence[Path],
    plain: np.ndarray,
    starting: np.ndarray,
    options: dict[str, Any],
    device: torch.device,
) -> Corpus:
    """Read the packed files, join sentences, make copies, and put all of it on the device."""
    files = {file.stem: file for folder in folders for file in sorted(folder.rglob("*.pack"))}
    english = read_arrays(files.pop("eng"))
    languages = sorted(files)
    tokens, lengths, sides, group, counts, links, sure = (
        [english["tokens"]],
        [english["lengths"]],
        [],
        [],
        [],
        [],
        [],
    )
    groups = [*languages, "entries", "copies", "joined", "same"]
    sentences = len(english["lengths"])
    language_of = [np.zeros(sentences, np.int16)]
    for number, language in enumerate(languages):
        arrays = read_arrays(files[language])
        size = len(arrays["lengths"])
        tokens.append(arrays["tokens"])
        lengths.append(arrays["lengths"])
        language_of.append(np.full(size, number + 1, np.int16))
        sides.append(np.stack((arrays["english"].astype(np.int64), sentences + np.arange(size)), axis=1))
        group.append(np.where(arrays["entry"] > 0, len(languages), number))
        counts.append(arrays["counts"])
        links.append(arrays["links"])
        sure.append(arrays["sure"])
        sentences += size
    flat, size_of = np.concatenate(tokens).astype(np.int32), np.concatenate(lengths).astype(np.int64)
    given, group_of = np.concatenate(sides), np.concatenate(group)
    weights = [np.where(np.concatenate(sure) > 0, 1.0, 0.5).astype(np.float16)]
    all_counts, all_links = [np.concatenate(counts).astype(np.int64)], [np.concatenate(links)]
    chance = np.random.default_rng(options["seed"])
    copied = make_copies(flat, size_of, starting, given, options["copies"], chance)
    flat = np.concatenate((flat, copied["tokens"]))
    copies = np.stack((copied["source"], sentences + np.arange(len(copied["source"]))), axis=1)
    size_of = np.concatenate((size_of, copied["lengths"]))
    all_counts.append(copied["counts"])
    all_links.append(copied["links"])
    weights.append(np.ones(len(copied["links"]), np.float16))
    joins = join_pairs(given, group_of < len(languages), np.concatenate(language_of), options, chance)
    joined = len(given) + len(copies)
    all_counts.append(np.zeros(len(joins["sides"]), np.int64))
    kinds = [group_of, np.full(len(copies), groups.index("copies"))]
    kinds.append(np.where(joins["same"], groups.index("same"), groups.index("joined")))

    def tensor(array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    corpus = Corpus(
        tokens=tensor(flat),
        starts=tensor(np.cumsum(size_of) - size_of),
        lengths=tensor(size_of),
        sides=tensor(np.concatenate((given, copies, joins["sides"]))),
        group=tensor(np.concatenate(kinds)),
        groups=groups,
        pivot=tensor(joins["pivot"]),
        joined=joined,
        taught=Labels.of(
            tensor(np.concatenate(all_counts)),
            tensor(np.concatenate(all_links)),
            tensor(np.concatenate(weights)),
        ),
        plain=tensor(plain),
        starting=tensor(starting),
    )
    print(
        f"{len(given)} pairs, {len(copies)} copies, {len(joins['sides'])} joined "
        f"({int(joins['same'].sum())} of one language), {len(flat)} subwords",
        flush=True,
    )
    return corpus


def make_copies(
    tokens: np.ndarray,
    lengths: np.ndarray,
    starting: np.ndarray,
    given: np.ndarray,
    count: int,
    chance: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Sentences, the same with words left out and their parts moved, and the links between them."""
    starts = np.cumsum(lengths) - lengths
    # Half of the sentences are English, half of other languages.
    chosen = np.concatenate(
        [chance.choice(given[:, side], count // 2, replace=len(given) < count // 2) for side in (0, 1)]
    )
    made: list[np.ndarray] = []
    sizes, counts, links, sources = [], [], [], []
    for sentence in chosen.tolist():
        ids = tokens[starts[sentence] : starts[sentence] + lengths[sentence]]
        words = np.split(ids, np.flatnonzero(starting[ids])[1:])
        order = np.arange(len(words))
        kind = chance.random()
        if kind < 0.7 and len(words) > 3:
            order = order[chance.random(len(words)) > 0.12]
        if kind > 0.4 and len(order) > 5:
            first, second = sorted(chance.choice(len(order), 2, replace=False))
            order = np.concatenate((order[second:], order[first:second], order[:first]))
        if not len(order) or len(words) > 120:
            continue
        made.append(np.concatenate([words[word] for word in order]))
        sizes.append(len(made[-1]))
        pairs = sorted((int(word), place) for place, word in enumerate(order))
        counts.append(len(pairs))
        links += pairs
        sources.append(sentence)
    return {
        "tokens": np.concatenate(made) if made else np.zeros(0, np.int32),
        "lengths": np.array(sizes, dtype=np.int64),
        "source": np.array(sources, dtype=np.int64),
        "counts": np.array(counts, dtype=np.int64),
        "links": np.array(links, dtype=np.uint8).reshape(-1, 2),
    }


def join_pairs(
    given: np.ndarray,
    usable: np.ndarray,
    language: np.ndarray,
    options: dict[str, Any],
    chance: np.random.Generator,
) -> dict[str, np.ndarray]:
    """Sentences that share a pivot: `sides` (joined, 2), `pivot` (joined, 4), `same` language (joined,)
    bool."""
    found: dict[str, list[np.ndarray]] = {"sides": [], "pivot": [], "same": []}
    for side, most in ((0, options["joined"]), (1, options["paraphrases"])):
        rows = np.flatnonzero(usable)
        rows = rows[np.argsort(given[rows, side], kind="stable")]
        # Other sides of a pivot: neighbours at a random small distance in a shuffled order within the pivot.
        rows = rows[np.lexsort((chance.random(len(rows)), given[rows, side]))]
        made = []
        for distance in range(1, options["distance"] + 1):
            first, second = rows[:-distance], rows[distance:]
            both = given[first, side] == given[second, side]
            both &= given[first, 1 - side] != given[second, 1 - side]
            made.append(np.stack((first[both], second[both]), axis=1))
        pairs = np.concatenate(made)
        pairs = pairs[chance.permutation(len(pairs))[:most]]
        swap = chance.random(len(pairs)) < 0.5
        pairs[swap] = pairs[swap][:, ::-1]
        ends = given[pairs, 1 - side]
        found["sides"].append(ends)
        found["pivot"].append(np.concatenate((pairs, np.full_like(pairs, side)), axis=1))
        found["same"].append(language[ends[:, 0]] == language[ends[:, 1]])
    return {name: np.concatenate(parts) for name, parts in found.items()}


class Plan:
    """Draws pairs by the shares of their groups, and cuts them into batches of one padded length each."""

    def __init__(self, corpus: Corpus, options: dict[str, Any], seed: int, tokens: int | None = None) -> None:
        self.corpus, self.tokens = corpus, tokens or options["tokens_a_step"]
        self.chance = torch.Generator(corpus.sides.device).manual_seed(seed)
        sizes = torch.bincount(corpus.group, minlength=len(corpus.groups)).double().cpu().numpy()
        fixed = options["shares"]
        shares = np.array(
            [
                0.0 if name in fixed else size ** options["temperature"]
                for name, size in zip(corpus.groups, sizes, strict=True)
            ]
        )
        shares *= (1 - sum(fixed.values())) / shares.sum()
        for name, share in fixed.items():
            number = corpus.groups.index(name)
            shares[number] = share if sizes[number] else 0.0
        self.shares = shares
        self.members = [torch.nonzero(corpus.group == number)[:, 0] for number in range(len(corpus.groups))]

    def batches(self, pairs: int = 300_000) -> Iterator[tuple[Tensor, int]]:
        """Without end: (pairs, length) of each batch."""
        device = self.corpus.sides.device
        while True:
            drawn = [
                members[
                    torch.randint(len(members), (round(pairs * share),), generator=self.chance, device=device)
                ]
                for members, share in zip(self.members, self.shares, strict=True)
                if share and len(members)
            ]
            yield from cut(self.corpus, torch.cat(drawn), self.tokens, self.chance)


def cut(
    corpus: Corpus, pairs: Tensor, tokens: int, chance: torch.Generator | None = None
) -> Iterator[tuple[Tensor, int]]:
    """Batches of about `tokens` padded subwords; with `chance` in random order."""
    longest = corpus.lengths[corpus.sides[pairs]].amax(1)
    bucket = torch.bucketize(longest, torch.tensor(LENGTHS, device=pairs.device))
    found: list[tuple[Tensor, int]] = []
    for number, length in enumerate(LENGTHS):
        where = torch.nonzero(bucket == number)[:, 0]
        if chance is not None:
            where = where[torch.randperm(len(where), generator=chance, device=where.device)]
        found += [(pairs[part], length) for part in where.split(max(1, tokens // (2 * length))) if len(part)]
    order = range(len(found))
    if chance is not None:
        order = torch.randperm(len(found), generator=chance, device=chance.device).tolist()
    for number in order:
        yield found[number]
