"""What the encoder is trained on, one function a loss.

Shapes: B pairs, S subwords, W = S words, D dimensions. Index 0 of a first axis of 2 is the left sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 (its usual name)

from wordalign.encoders.torch_module import EncoderModule
from wordalign.tuning.gold import GoldBatch
from wordalign.tuning.teacher import PairEncoder
from wordalign.tuning.vocabulary import MASK, PAD


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Vectors of a batch at both levels.

    states (2, B, S, width); subwords (2, B, S, D); words (2, B, W, D), unit length; of_word (2, B, W, S): 1
    where the subword belongs to the word; present (2, B, W): words that exist; cosine (B, W, W).
    """

    states: Tensor
    subwords: Tensor
    words: Tensor
    of_word: Tensor
    present: Tensor
    cosine: Tensor


def look(net: PairEncoder, seen: Tensor, ids: Tensor, words: Tensor) -> Views:
    """Encode what is `seen` of `ids` (2, B, S): some may be masked. `words` says which word each is of."""
    states, vectors = net(seen)
    number = torch.arange(ids.shape[2], device=ids.device)
    of_word = (words[:, :, None, :] == number[:, None]) & (ids != PAD)[:, :, None, :]
    spread = of_word.to(vectors.dtype)
    means = F.normalize(spread @ vectors, dim=-1, eps=1e-6)
    return Views(states, vectors, means, spread, of_word.any(-1), means[0] @ means[1].transpose(1, 2))


def allowed_cells(views: Views, ids: Tensor, plain_pieces: Tensor) -> Tensor:
    """Cells (B, W, W) of existing words that may be linked: punctuation never to words."""
    letters = (plain_pieces[ids] & (ids != PAD)).to(views.of_word.dtype)
    plain = (views.of_word @ letters[..., None])[..., 0] > 0
    both = views.present[0][:, :, None] & views.present[1][:, None, :]
    return both & (plain[0][:, :, None] == plain[1][:, None, :])


def mask_some(ids: Tensor, share: float, one_side: bool) -> tuple[Tensor, Tensor]:
    """Replace a share of the subwords by the mask, in half of the sentences or on one side of each pair.

    ids (2, B, S) -> masked ids, and the chosen places in the flat array; a place that is padding or in an
    untouched sentence may be among them when there are too few others.
    """
    chance = torch.rand(ids.shape, device=ids.device)
    touched = torch.rand(ids.shape[:2], device=ids.device) < 0.5
    if one_side:
        touched[1] = ~touched[0]
    chance = torch.where(ids == PAD, -1.0, chance + touched.float()[:, :, None])
    places = chance.flatten().topk(max(1, int(share * ids.numel()))).indices
    masked = ids.flatten().clone()
    masked[places] = torch.where(masked[places] == PAD, PAD, MASK)
    return masked.view(ids.shape), places


def mix_languages(ids: Tensor, words: Tensor, labels: Tensor, share: float) -> Tensor:
    """Words of the left sentence replaced by their translations, in a share of the pairs: code-mixed text.

    Only words with one sure link each way, and as many subwords as their translation, so that nothing moves
    and all labels stay true.
    """
    sure = labels > 0.9
    alone = sure & (labels > 0.15).sum(2, keepdim=True).eq(1) & (labels > 0.15).sum(1, keepdim=True).eq(1)
    length = ids.shape[2]
    real = ids != PAD
    sizes = torch.zeros(ids.shape, dtype=torch.long, device=ids.device).scatter_add_(2, words, real.long())
    place = torch.arange(length, device=ids.device).expand(ids.shape)
    begins = torch.full(ids.shape, length, device=ids.device).scatter_reduce_(2, words, place, "amin")
    partner = alone.long().argmax(2)
    fits = alone.any(2) & (sizes[0] == sizes[1].gather(1, partner))
    fits &= torch.rand(fits.shape, device=ids.device) < 0.5
    fits &= torch.rand(len(fits), 1, device=ids.device) < share
    change = fits.gather(1, words[0]) & real[0]
    offset = place[0] - begins[0].gather(1, words[0])
    source = begins[1].gather(1, partner.gather(1, words[0])) + offset
    taken = ids[1].gather(1, source.clamp(0, length - 1))
    return torch.stack((torch.where(change, taken, ids[0]), ids[1]))


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


def link_loss(logits: Tensor, labels: Tensor, counted: Tensor) -> Tensor:
    """Binary cross-entropy of every counted cell (B, W, W), by the number of links."""
    losses = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (losses * counted).sum() / labels.sum().clamp_min(1.0)


def contrast_loss(views: Views, ids: Tensor, labels: Tensor, scale: Tensor, count: int) -> Tensor:
    """Linked words against the words of `count` other links of the batch; equal words are no negatives."""
    length = labels.shape[2]
    certain = labels.flatten() >= 0.45
    chance = torch.where(certain, torch.rand(labels.numel(), device=labels.device) + labels.flatten(), -1.0)
    places = chance.topk(min(count, labels.numel())).indices
    weight = certain[places].float()
    row, left, right = places // length**2, places // length % length, places % length
    vectors = [views.words[side, row, end] for side, end in enumerate((left, right))]
    # A word's name: its subwords' ids, mixed. Equal names mean equal words, whatever their sentence.
    mixed = ((ids * 40_503 + 17) % 65_521).float()
    names = [
        (views.of_word[side, row, end].float() * mixed[side, row]).sum(-1)
        for side, end in enumerate((left, right))
    ]
    same = (names[0][:, None] == names[0][None, :]) | (names[1][:, None] == names[1][None, :])
    same |= names[0][:, None] == names[1][None, :]
    own = torch.eye(len(places), dtype=torch.bool, device=same.device)
    scores = (vectors[0] @ vectors[1].T) * scale
    scores = scores.masked_fill((same & ~own) | (weight == 0)[None, :] & ~own, -1e4)
    target = torch.arange(len(places), device=same.device)
    both = F.cross_entropy(scores, target, reduction="none") + F.cross_entropy(
        scores.T, target, reduction="none"
    )
    return (both * weight).sum() / weight.sum().clamp_min(1.0) / 2


def masked_loss(encoder: EncoderModule, states: Tensor, ids: Tensor, places: Tensor) -> Tensor:
    """Predict the masked subwords from the states (2, B, S, width) around them."""
    target = ids.flatten()[places]
    with torch.autocast(ids.device.type, dtype=torch.bfloat16, enabled=ids.device.type == "cuda"):
        logits = encoder.predict(states.reshape(-1, states.shape[-1])[places]) @ encoder.embedding.weight.T
    losses = F.cross_entropy(logits.float(), target, reduction="none")
    real = (target != PAD).float()
    return (losses * real).sum() / real.sum().clamp_min(1.0)


def text_losses(
    net: PairEncoder, ids: Tensor, words: Tensor, labels: Tensor, plain: Tensor, options: dict[str, float]
) -> dict[str, Tensor]:
    """Every loss of text with soft labels (B, W, W), weighted.

    Labels between `low` and `high` say too little: such cells count neither as links nor as none.
    """
    encoder = net.encoder
    if options.get("mixed"):
        ids = mix_languages(ids, words, labels, options["mixed"])
    seen, places = ids, None
    if options["masked_share"]:
        seen, places = mask_some(ids, options["masked_share"], bool(net.joint))
    views = look(net, seen, ids, words)
    cells = allowed_cells(views, ids, plain)
    labels = torch.where(cells, labels, 0.0)
    unsure = (labels > options["low"]) & (labels < options["high"])
    hard = torch.where(labels >= options["high"], 1.0, 0.0)
    # Soft labels of a teacher are taught as they are, hard ones of text where only the certain ones count.
    target = labels if options.get("soft") else hard
    counted = cells.float() if options.get("soft") else (cells & ~unsure).float()
    scales = encoder.softmax_scale.exp()
    attracting = torch.where(labels >= 0.08, labels, 0.0)
    losses = {
        "link": options["link"] * link_loss(encoder.link_logits(views.cosine, cells), target, counted),
        "word": options["word"] * two_way(views.cosine * scales[0], attracting, *views.present),
    }
    if options["subword"]:
        fine = views.subwords[0] @ views.subwords[1].transpose(1, 2)
        spread = views.of_word[0].transpose(1, 2) @ attracting @ views.of_word[1]
        losses["subword"] = options["subword"] * two_way(fine * scales[1], spread, *(ids != PAD))
    if options["contrast"] and not net.joint:
        found = contrast_loss(views, ids, attracting, scales[2], int(options["contrast_links"]))
        losses["contrast"] = options["contrast"] * found
    if places is not None and options["masked"]:
        losses["masked"] = options["masked"] * masked_loss(encoder, views.states, ids, places)
    return losses


def gold_losses(
    net: PairEncoder, batch: GoldBatch, bias: Tensor, options: dict[str, float]
) -> dict[str, Tensor]:
    """The losses of gold links; links that are only possible count neither way.

    `bias` (B,) is added to the log odds: how freely the makers of a set linked is learned with it, and not
    by the encoder.
    """
    ids, words, cells = batch.ids, batch.words, batch.cells
    hidden = (torch.rand(ids.shape, device=ids.device) < options["masked_share"]) & (ids != PAD)
    views = look(net, torch.where(hidden, MASK, ids), ids, words)
    sure, possible = batch.sure & cells, batch.possible & cells
    counted = (cells & ~(possible & ~sure)).float()
    labels = sure.float()
    logits = net.encoder.link_logits(views.cosine, cells) + bias[:, None, None]
    scale = net.encoder.softmax_scale[0].exp()
    return {
        "link": link_loss(logits, labels, counted),
        "word": options["word"] * two_way(views.cosine * scale, labels, *views.present),
    }
