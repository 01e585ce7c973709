"""A net and pairs -> the probabilities of their cells: to choose by while it learns, and to teach with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from wordalign.tuning.choose import Cells
from wordalign.tuning.gold import GoldPair, gold_batches
from wordalign.tuning.losses import Views, look
from wordalign.tuning.teacher import PairEncoder
from wordalign.types import Link


@torch.no_grad()
def measured_cells(
    net: PairEncoder, pairs: Sequence[GoldPair], device: torch.device, shift: float = 0.0
) -> Cells:
    """All cells that may be linked, with their probabilities; `shift` is added to the log odds."""
    net.eval()
    parts = []
    for _, batch in gold_batches(pairs, device):
        views = look(net, batch.ids, batch.ids, batch.words)
        logits = net.encoder.link_logits(views.cosine, batch.cells).masked_fill(~batch.cells, -1e9)
        best = (logits >= logits.amax(2, keepdim=True)) & (logits >= logits.amax(1, keepdim=True))
        where = batch.cells
        chance = torch.sigmoid(logits + shift)[where]
        columns = (chance, best[where], batch.sure[where], batch.possible[where])
        parts.append(torch.stack([column.float() for column in columns], dim=1).cpu().numpy())
    net.train()
    chance_of, best_of, sure, possible = np.concatenate(parts).T
    return Cells(chance_of, best_of > 0, sure, possible, sum(len(pair.sure) for pair in pairs))


def chances(net: PairEncoder, views: Views, cells: Tensor, *, competing: bool, shift: float = 0.0) -> Tensor:
    """The probabilities of all cells (pairs, words, words), 0 where a link is not allowed.

    `competing`: the root of the probability times the larger softmax, for encoders whose probabilities were
    learned from labels that are against links of several words. `shift` is added to the log odds.
    """
    chance = torch.sigmoid(net.encoder.link_logits(views.cosine, cells) + shift)
    if competing:
        scores = (views.cosine * net.encoder.softmax_scale[0].exp()).masked_fill(~cells, -1e4)
        chance = (chance * torch.maximum(scores.softmax(2), scores.softmax(1))).sqrt()
    return torch.where(cells, chance, 0.0)


@torch.no_grad()
def opinions(
    net: PairEncoder, pairs: Sequence[GoldPair], device: torch.device, *, competing: bool, least: float = 0.08
) -> list[dict[Link, float]]:
    """What a net thinks of every pair: the links that are at least so probable, with their probabilities."""
    net.eval()
    found: list[dict[Link, float]] = [{} for _ in pairs]
    for numbers, batch in gold_batches(pairs, device):
        views = look(net, batch.ids, batch.ids, batch.words)
        chance = chances(net, views, batch.cells, competing=competing)
        places = torch.nonzero(chance >= least)
        values = chance[tuple(places.T)].tolist()
        for (row, left, right), value in zip(places.tolist(), values, strict=True):
            found[numbers[row]][left, right] = value
    net.train()
    return found
