"""BERT and its kin over sentences that lie end to end: no padding is computed, and no mask is needed.

Every step but attention treats tokens one by one, so it takes all tokens of a batch as one long matrix. Only
attention has to know where sentences begin; GPUs have kernels for exactly that. The three products that make
queries, keys and values are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import torch
from torch import nn
from torch.nn import functional

from wordalign.encoders.device.attention import pick_attention

# Models of these types are BERT's blocks and differ in their first position only.
_TYPES = ("bert", "roberta", "xlm-roberta", "camembert")


class FlatBert:
    """A function from ids, positions (tokens,), the bounds of the windows and the longest to (tokens, width).

    `compiled` lets torch fuse the steps between the matrix products. That takes some seconds once, and pays
    in long runs.
    """

    def __init__(self, model: Any, layer: int | Literal["conc"], compiled: bool = False) -> None:
        self._embeddings = model.embeddings
        padding = getattr(self._embeddings, "padding_idx", None)
        self._first_position = 0 if padding is None else padding + 1
        blocks = list(model.encoder.layer)
        self._blocks = [_Weights(block) for block in (blocks if layer == "conc" else blocks[:layer])]
        self._all = layer == "conc"
        self._heads: int = model.config.num_attention_heads
        self._activation = blocks[0].intermediate.intermediate_act_fn
        self._finish: Any = torch.compile(_finish, dynamic=True) if compiled else _finish
        weight = self._embeddings.word_embeddings.weight
        self._attention = pick_attention(self._heads, weight.shape[1] // self._heads, weight)

    def __call__(
        self, ids: torch.Tensor, positions: torch.Tensor, windows: torch.Tensor, longest: int
    ) -> torch.Tensor:
        parts = self._embeddings
        hidden = parts.word_embeddings(ids) + parts.token_type_embeddings.weight[0]
        hidden = hidden + parts.position_embeddings(positions + self._first_position)
        hidden = parts.LayerNorm(hidden)
        states = [hidden]
        for block in self._blocks:
            mixed = functional.linear(hidden, block.mix, block.mix_bias).view(len(ids), 3, self._heads, -1)
            attended = self._attention(mixed[:, 0], mixed[:, 1], mixed[:, 2], windows, longest)
            hidden = self._finish(hidden, attended.reshape(hidden.shape), self._activation, *block.rest)
            if self._all:
                states.append(hidden)
        return torch.cat(states, dim=-1) if self._all else hidden


def is_flat(model: Any) -> bool:
    """Whether a model is made of BERT's blocks, with positions that are looked up."""
    config = model.config
    return (
        config.model_type in _TYPES
        and not config.is_decoder
        and getattr(config, "position_embedding_type", "absolute") == "absolute"
        and hasattr(getattr(model, "encoder", None), "layer")
    )


class _Weights:
    """A block's weights as they are used."""

    def __init__(self, block: Any) -> None:
        own = block.attention.self
        parts: Sequence[nn.Linear] = (own.query, own.key, own.value)
        self.mix = torch.cat([part.weight.detach() for part in parts])
        self.mix_bias = torch.cat([part.bias.detach() for part in parts])
        self.rest = (
            *_of_output(block.attention.output),
            block.intermediate.dense.weight.detach(),
            block.intermediate.dense.bias.detach(),
            *_of_output(block.output),
        )


def _of_output(module: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, float]:
    norm = module.LayerNorm
    dense = module.dense
    return (
        dense.weight.detach(),
        dense.bias.detach(),
        norm.weight.detach(),
        norm.bias.detach(),
        norm.eps,
    )


def _finish(
    hidden: torch.Tensor,
    attended: torch.Tensor,
    activation: Callable[[torch.Tensor], torch.Tensor],
    out: torch.Tensor,
    out_bias: torch.Tensor,
    scale: torch.Tensor,
    shift: torch.Tensor,
    eps: float,
    up: torch.Tensor,
    up_bias: torch.Tensor,
    down: torch.Tensor,
    down_bias: torch.Tensor,
    last_scale: torch.Tensor,
    last_shift: torch.Tensor,
    last_eps: float,
) -> torch.Tensor:
    """What a block does after attention: (tokens, dimensions) -> the same shape."""
    hidden = functional.linear(attended, out, out_bias) + hidden
    hidden = functional.layer_norm(hidden, hidden.shape[-1:], scale, shift, eps)
    wide = activation(functional.linear(hidden, up, up_bias))
    hidden = functional.linear(wide, down, down_bias) + hidden
    return functional.layer_norm(hidden, hidden.shape[-1:], last_scale, last_shift, last_eps)
