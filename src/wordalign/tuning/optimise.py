"""One step of learning: AdamW with a warm-up and a falling rate, and an average of the weights on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from wordalign.tuning.teacher import PairEncoder

SCALES = ("softmax_scale", "link_scale", "link_bias", "competition")
FRESH = ("joint.", "side", "encoder.predict")  # what no shipped model holds


class Optimiser:
    """Learns the weights of a net. `average` is the part that each step leaves of the averaged weights.

    The rate rises over `warm` steps, stays, and falls to nearly nothing in the second half. Embeddings learn
    twice as fast, scales ten times; `fresh_rate` is for layers that start from nothing, and
    `embedding_rate` for embeddings that do. `more` are parameters that do not belong to the net, which learn
    thirty times as fast.
    """

    def __init__(
        self,
        net: PairEncoder,
        rate: float,
        *,
        warm: int,
        average: float,
        fresh_rate: float | None = None,
        embedding_rate: float | None = None,
        more: Sequence[nn.Parameter] = (),
    ) -> None:
        self.net, self.warm, self.decay = net, warm, average
        self.groups = _groups(net, rate, fresh_rate, embedding_rate)
        if more:
            self.groups.append({"params": list(more), "lr": 30 * rate, "weight_decay": 0.0})
        for group in self.groups:
            group["peak"] = group["lr"]
        on_gpu = next(net.parameters()).device.type == "cuda"
        self.adam = torch.optim.AdamW(self.groups, betas=(0.9, 0.98), fused=on_gpu)
        self.average = {name: value.detach().clone() for name, value in net.named_parameters()}
        self.steps = 0

    def step(self, loss: Tensor, progress: float) -> None:
        """Follow the gradient of a loss; `progress` is the part of the learning that is done, from 0 to 1."""
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_([p for group in self.groups for p in group["params"]], 1.0)
        factor = min(1.0, (self.steps + 1) / self.warm) * max(0.02, min(1.0, (1 - progress) / 0.5))
        for group in self.adam.param_groups:
            group["lr"] = group["peak"] * factor
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        with torch.no_grad():
            named = dict(self.net.named_parameters())
            averages = [self.average[name] for name in named]
            torch._foreach_lerp_(averages, [value.detach() for value in named.values()], 1 - decay)
        self.steps += 1

    @torch.no_grad()
    def use_average(self) -> None:
        """Put the averaged weights into the net."""
        for name, parameter in self.net.named_parameters():
            parameter.copy_(self.average[name])


def _groups(
    net: PairEncoder, rate: float, fresh_rate: float | None, embedding_rate: float | None
) -> list[dict[str, Any]]:
    """AdamW's groups: embeddings learn faster, scales faster still, only matrices decay."""
    named = {name: value for name, value in net.named_parameters() if value.requires_grad}
    embedding = [named.pop("encoder.embedding.weight")]
    scales = [named.pop(f"encoder.{name}") for name in SCALES]
    fresh = [named.pop(name) for name in list(named) if name.startswith(FRESH)]
    matrices = [parameter for parameter in named.values() if parameter.dim() == 2]
    rest = [parameter for parameter in named.values() if parameter.dim() < 2]
    groups = [
        {"params": embedding, "lr": 2 * (embedding_rate or rate), "weight_decay": 0.0},
        {"params": scales, "lr": 10 * rate, "weight_decay": 0.0},
        {"params": matrices, "lr": rate, "weight_decay": 0.02},
        {"params": rest, "lr": rate, "weight_decay": 0.0},
        {"params": fresh, "lr": fresh_rate or rate, "weight_decay": 0.01},
    ]
    return [group for group in groups if group["params"]]
