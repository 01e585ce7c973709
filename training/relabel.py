"""New labels for all pairs, from what encoders think of them, blended with the labels that were there."""

from __future__ import annotations

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from training.corpus import Corpus, Labels, cut
from wordalign.tuning.losses import allowed_cells, look
from wordalign.tuning.measure import chances
from wordalign.tuning.teacher import PairEncoder


@torch.no_grad()
def opinion(
    net: PairEncoder, ids: Tensor, words: Tensor, plain: Tensor, competing: bool, shift: float
) -> Tensor:
    """Probabilities of all cells (pairs, words, words), as `chances` has them."""
    views = look(net, ids, ids, words)
    return chances(net, views, allowed_cells(views, ids, plain), competing=competing, shift=shift)


@torch.no_grad()
def relabel(
    nets: Sequence[PairEncoder],
    corpus: Corpus,
    weight_of_group: Tensor,
    *,
    competing: bool = False,
    shifts: Sequence[float] | None = None,
    tokens: int = 160_000,
    least: float = 0.08,
) -> Labels:
    """Labels of all pairs: the nets' mean opinion, blended with what was taught.

    `weight_of_group` (groups,) is the opinion's part. The taught labels of joined pairs are composed
    through their
    pivots, from the new labels; so given pairs come first.
    """
    begun = time.time()
    device = corpus.sides.device
    keys: list[Tensor] = []
    values: list[Tensor] = []
    labels = corpus.taught
    for net in nets:
        net.eval()
    everything = torch.arange(corpus.pairs, device=device)
    for part in (everything[: corpus.joined], everything[corpus.joined :]):
        if len(part) and len(keys):
            labels = Labels.from_cells(keys, values, corpus.pairs)
        for pairs, length in cut(corpus, part, tokens):
            ids, words = corpus.gather(pairs, length)
            weight = weight_of_group[corpus.group[pairs]][:, None, None]
            joined = int(pairs[0]) >= corpus.joined
            blend = (
                corpus.compose(labels, pairs, length) if joined else corpus.taught.dense(pairs, length)
            ) * (1 - weight)
            if float(weight.max()) > 0:
                for number, net in enumerate(nets):
                    shift = shifts[number] if shifts else 0.0
                    blend += weight / len(nets) * opinion(net, ids, words, corpus.plain, competing, shift)
            row, left, right = torch.nonzero(blend >= least, as_tuple=True)
            keys.append((pairs[row] << 16) + (left << 8) + right)
            values.append(blend[row, left, right].half())
    labels = Labels.from_cells(keys, values, corpus.pairs)
    for net in nets:
        net.train()
    print(
        f"labelled {corpus.pairs} pairs: {len(labels.links) / corpus.pairs:.1f} links a pair, "
        f"{time.time() - begun:.0f} s",
        flush=True,
    )
    return labels
