"""Self-training: new labels from the encoder's own opinion, blended with the first ones.

A link's probability is the geometric mean of the row- and the column-softmax: both words must prefer
each other, as in the agreement of two directed aligners.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (its usual name)

from training.data import PAD, Batch, Corpus, all_batches
from training.losses import allowed_cells, dense_labels, look, low_precision
from training.model import Encoder


@torch.no_grad()
def own_links(encoder: Encoder, batch: Batch, plain_pieces: Tensor) -> Tensor:
    """Two-way probabilities of all cells, shape (pairs, words, words)."""
    _, pairs, length = batch.ids.shape
    flat = batch.ids.view(2 * pairs, length)
    with low_precision(flat.device):
        states = encoder.states(flat, flat != PAD)
    vectors = F.normalize(encoder.project(states.float()), dim=-1).view(2, pairs, length, -1)
    views = look(vectors, batch, plain_pieces)
    scores = views.words[0] @ views.words[1].transpose(1, 2) * encoder.softmax_scale[0].exp()
    cells = allowed_cells(views)
    scores = scores.masked_fill(~cells, -1e4)
    both = (scores.log_softmax(2) + scores.log_softmax(1)) / 2
    return torch.where(cells, both.exp(), 0.0)


@torch.no_grad()
def relabel(
    encoder: Encoder,
    corpus: Corpus,
    plain_pieces: Tensor,
    lengths: list[int],
    tokens: int,
    weight: float,
    least: float,
) -> float:
    """Replace the labels of the whole corpus; returns the number of links a pair."""
    keys, values = [], []
    for pairs, copies, length in all_batches(corpus, lengths, tokens):
        batch = corpus.gather(pairs, copies, length, taught=True)
        blend = weight * own_links(encoder, batch, plain_pieces) + (1 - weight) * dense_labels(batch)
        row, english, other = torch.nonzero(blend >= least, as_tuple=True)
        keys.append((pairs[row] << 16) + (english << 8) + other)
        values.append(blend[row, english, other].half())
    key, order = torch.cat(keys).sort()
    value = torch.cat(values)[order]
    # A few pairs were seen twice to fill the last batch of each length.
    first = torch.ones_like(key, dtype=torch.bool)
    first[1:] = key[1:] != key[:-1]
    key, value = key[first], value[first]
    counts = torch.bincount(key >> 16, minlength=corpus.pairs)
    links = torch.stack(((key >> 8) & 255, key & 255), dim=1).to(torch.uint8)
    corpus.set_labels(counts, links, value)
    return len(key) / corpus.pairs
