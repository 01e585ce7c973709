"""What the encoder is trained on, one function a loss.

Shapes: B pairs, S subwords, W = S words, D dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (its usual name)

from training.data import PAD, Batch
from training.model import Encoder
from training.vocabulary import MASK


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Vectors of a batch at both levels.

    subwords (2, B, S, D); words (2, B, W, D), unit length; of_word (2, B, W, S): 1 where the subword
    belongs to the word; present (2, B, W): words that exist; plain (2, B, W): those with a letter or digit.
    """

    subwords: Tensor
    words: Tensor
    of_word: Tensor
    present: Tensor
    plain: Tensor


def low_precision(device: torch.device) -> torch.autocast:
    """bfloat16 for the matrix products of the encoder."""
    return torch.autocast(device.type, dtype=torch.bfloat16)


def mask_inputs(ids: Tensor, share: float) -> tuple[Tensor, Tensor]:
    """Replace a fixed number of subwords, in a random half of the sentences, by the mask.

    ids (2, B, S) -> masked ids, and the chosen places in the flat array (share * 2BS,); a place that
    is padding or in an untouched sentence may be among them when there are too few others.
    """
    chance = torch.rand(ids.shape, device=ids.device)
    chance = chance + (torch.rand(ids.shape[:2], device=ids.device) < 0.5).float()[:, :, None]
    chance = torch.where(ids == PAD, -1.0, chance)
    places = chance.flatten().topk(max(1, int(share * ids.numel()))).indices
    masked = ids.flatten().clone()
    masked[places] = torch.where(masked[places] == PAD, PAD, MASK)
    return masked.view(ids.shape), places


def look(vectors: Tensor, batch: Batch, plain_pieces: Tensor) -> Views:
    """Vectors (2, B, S, D) of a batch -> words and who belongs to whom; plain_pieces (vocabulary,) bool."""
    length = batch.ids.shape[2]
    real = batch.ids != PAD
    number = torch.arange(length, device=vectors.device)
    of_word = (batch.words[:, :, None, :] == number[:, None]) & real[:, :, None, :]
    spread = of_word.to(vectors.dtype)
    words = F.normalize(spread @ vectors, dim=-1, eps=1e-6)
    plain = (spread @ (plain_pieces[batch.ids] & real).to(vectors.dtype)[..., None])[..., 0] > 0
    return Views(vectors, words, spread, of_word.any(-1), plain)


def allowed_cells(views: Views) -> Tensor:
    """Cells (B, W, W) of existing words that may be linked: punctuation never to words."""
    both = views.present[0][:, :, None] & views.present[1][:, None, :]
    return both & (views.plain[0][:, :, None] == views.plain[1][:, None, :])


def dense_labels(batch: Batch) -> Tensor:
    """The soft links as matrices (B, W, W)."""
    pairs, slots = batch.weights.shape
    length = slots // 2
    flat = torch.zeros(pairs, length * length, device=batch.weights.device)
    index = batch.links[..., 0] * length + batch.links[..., 1]
    return flat.scatter_reduce_(1, index, batch.weights, "amax").view(pairs, length, length)


def two_way(scores: Tensor, labels: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Cross-entropy of row- and column-softmax against the labels.

    scores, labels (B, n, m); rows (B, n) and columns (B, m) are true where something is. A row counts
    as much as its surest label.
    """
    total = scores.new_zeros(())
    for dim, others in ((2, columns[:, None, :]), (1, rows[:, :, None])):
        logs = scores.masked_fill(~others, -1e4).log_softmax(dim)
        surest = labels.amax(dim)
        target = labels / labels.sum(dim, keepdim=True).clamp_min(1e-6)
        losses = -(target * logs).sum(dim)
        total = total + (losses * surest).sum() / surest.sum().clamp_min(1.0)
    return total / 2


def link_loss(logits: Tensor, labels: Tensor, cells: Tensor) -> Tensor:
    """Binary cross-entropy of every allowed cell (B, W, W), by the number of links."""
    losses = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (losses * cells).sum() / labels.sum().clamp_min(1.0)


def contrast_loss(views: Views, batch: Batch, scale: Tensor, count: int) -> Tensor:
    """Linked words against the words of `count` other links of the batch; equal words are no negatives."""
    pairs, slots = batch.weights.shape
    chance = torch.rand(pairs * slots, device=batch.weights.device) + batch.weights.flatten()
    places = (
        torch.where(batch.weights.flatten() >= 0.45, chance, -1.0).topk(min(count, pairs * slots)).indices
    )
    weight = (batch.weights.flatten()[places] >= 0.45).float()
    row = places // slots
    ends = batch.links.view(-1, 2)[places]
    vectors = [views.words[side, row, ends[:, side]] for side in (0, 1)]
    # A word's name: its subwords' ids, mixed. Equal names mean equal words, whatever their sentence.
    mixed = (batch.ids * 40_503 + 17) % 65_521
    names = [
        (views.of_word[side, row, ends[:, side]].float() * mixed[side, row].float()).sum(-1)
        for side in (0, 1)
    ]
    same = (names[0][:, None] == names[0][None, :]) | (names[1][:, None] == names[1][None, :])
    own = torch.eye(len(places), dtype=torch.bool, device=same.device)
    scores = (vectors[0] @ vectors[1].T) * scale
    scores = scores.masked_fill((same & ~own) | (weight == 0)[None, :] & ~own, -1e4)
    target = torch.arange(len(places), device=same.device)
    both = F.cross_entropy(scores, target, reduction="none") + F.cross_entropy(
        scores.T, target, reduction="none"
    )
    return (both * weight).sum() / weight.sum().clamp_min(1.0) / 2


def masked_loss(encoder: Encoder, states: Tensor, ids: Tensor, places: Tensor) -> Tensor:
    """Predict the masked subwords from the states (2BS, width) around them."""
    target = ids.flatten()[places]
    logits = encoder.predict(states[places]) @ encoder.embedding.weight.T
    losses = F.cross_entropy(logits.float(), target, reduction="none")
    real = (target != PAD).float()
    return (losses * real).sum() / real.sum().clamp_min(1.0)


def all_losses(
    encoder: Encoder,
    batch: Batch,
    plain_pieces: Tensor,
    masked_share: float,
    contrast_links: int,
    wanted: dict[str, float],
) -> dict[str, Tensor]:
    """Every loss with a weight above 0, unweighted."""
    _, pairs, length = batch.ids.shape
    ids, places = mask_inputs(batch.ids, masked_share) if wanted["masked"] else (batch.ids, None)
    flat = ids.view(2 * pairs, length)
    found: dict[str, Tensor] = {}
    with low_precision(ids.device):
        states = encoder.states(flat, flat != PAD)
        if places is not None:
            found["masked"] = masked_loss(encoder, states.reshape(2 * pairs * length, -1), batch.ids, places)
    # Cosines are compared with each other, so they need more digits than bfloat16 has.
    vectors = F.normalize(encoder.project(states.float()), dim=-1).view(2, pairs, length, -1)
    views = look(vectors, batch, plain_pieces)
    labels = dense_labels(batch)
    scales = encoder.softmax_scale.exp()
    cosine = views.words[0] @ views.words[1].transpose(1, 2)
    if wanted["word"]:
        found["word"] = two_way(cosine * scales[0], labels, *views.present)
    if wanted["link"]:
        found["link"] = link_loss(encoder.link_logits(cosine), labels, allowed_cells(views))
    if wanted["subword"]:
        fine = views.subwords[0] @ views.subwords[1].transpose(1, 2)
        spread = views.of_word[0].transpose(1, 2) @ labels @ views.of_word[1]
        found["subword"] = two_way(fine * scales[1], spread, *(batch.ids != PAD))
    if wanted["contrast"]:
        found["contrast"] = contrast_loss(views, batch, scales[2], contrast_links)
    return found
