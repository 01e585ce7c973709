"""Linear layers with weights laid out for the processor, by oneDNN.

Torch multiplies float32 matrices with MKL, which runs at about half speed on processors that are not
Intel's, and lays the weights out anew in every call. The oneDNN kernels that torch carries for compiled
models do neither. They are internal to torch, so they are tried on one layer first, and left alone when
they are missing or give something else.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


class PackedLinear(nn.Module):
    """(..., in) -> (..., out), optionally with the exact GELU in the same pass."""

    def __init__(self, linear: nn.Linear, gelu: bool = False) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self._packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), None)
        self._bias = None if linear.bias is None else linear.bias.detach()
        self._fused: tuple[str, list[float], str] = ("gelu", [], "none") if gelu else ("none", [], "")
        # Some models (T5) look at a layer's weights to learn their type.
        self.weight = torch.empty(0, dtype=linear.weight.dtype)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            inputs, self._packed, self._bias, *self._fused
        )
        return result


def pack_linears(model: nn.Module) -> bool:
    """Replace the linear layers of a float32 model on the CPU; False where that cannot be done."""
    first = next((module for module in model.modules() if isinstance(module, nn.Linear)), None)
    if first is None or first.weight.device.type != "cpu" or first.weight.dtype != torch.float32:
        return False
    mkldnn: Any = torch.backends.mkldnn
    if not mkldnn.is_available() or not _works(first):
        return False
    with torch.inference_mode():
        _pack_children(model)
    return True


def _works(linear: nn.Linear) -> bool:
    sample = torch.linspace(-1, 1, 3 * linear.in_features).reshape(3, linear.in_features)
    try:
        with torch.inference_mode():
            expected = linear(sample)
            return all(
                torch.allclose(PackedLinear(linear, gelu)(sample), wanted, rtol=1e-4, atol=1e-4)
                for gelu, wanted in ((False, expected), (True, nn.functional.gelu(expected)))
            )
    except (RuntimeError, AttributeError, TypeError):
        return False


def _pack_children(module: nn.Module) -> None:
    # BERT and its kin keep a feed-forward block's first half in a module of its own.
    activation: Any = getattr(module, "intermediate_act_fn", None)
    fuse = isinstance(getattr(module, "dense", None), nn.Linear) and _is_exact_gelu(activation)
    if fuse:
        module.intermediate_act_fn = nn.Identity()
    for name, child in module.named_children():
        if type(child) is nn.Linear:
            setattr(module, name, PackedLinear(child, gelu=fuse and name == "dense"))
        else:
            _pack_children(child)


def _is_exact_gelu(activation: Any) -> bool:
    if activation is None:
        return False
    sample = torch.linspace(-4, 4, 17)
    return bool(torch.equal(activation(sample), nn.functional.gelu(sample)))
