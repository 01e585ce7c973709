"""Attention inside windows of tokens that lie end to end, by the fastest kernel that there is.

tokens    a b c d e f      windows  0 2 6
a, b look at a, b; c, d, e, f look at c, d, e, f
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch.nn import functional

# (tokens, heads, size) queries, keys and values, where windows begin and end, the longest -> the same shape
Attention: TypeAlias = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int], torch.Tensor]


def pick_attention(heads: int, size: int, like: torch.Tensor) -> Attention:
    """The fastest attention that works on this device and type, tried on a small sample."""
    if like.device.type != "cuda":
        return padded_attention
    generator = torch.Generator().manual_seed(0)
    sample = torch.randn(12, 3, heads, size, generator=generator).to(like.device, like.dtype)
    windows = torch.tensor([0, 5, 12], dtype=torch.int32, device=like.device)
    query, key, value = sample[:, 0], sample[:, 1], sample[:, 2]
    with torch.inference_mode():
        wanted = padded_attention(query, key, value, windows, 7).float()
        for attention in (_flash_attention, _efficient_attention):
            try:
                found = attention(query, key, value, windows, 7).float()
            except (RuntimeError, AttributeError, TypeError, NotImplementedError):
                continue
            # The kernels are internal to torch: one that is missing or gives something else is left alone.
            if torch.allclose(found, wanted, rtol=0.02, atol=0.02):
                return attention
    return padded_attention


def padded_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, windows: torch.Tensor, longest: int
) -> torch.Tensor:
    """Attention inside each window, by padding all to the longest: works everywhere."""
    number, starts, lengths = len(query), windows[:-1], windows[1:] - windows[:-1]
    places = torch.arange(longest, device=windows.device)
    inside = places[None, :] < lengths[:, None]
    rows = (starts[:, None] + places[None, :]).clamp(max=max(number - 1, 0))
    # A window of no token still needs a key to look at; nothing of it is kept.
    mask = (inside | (lengths == 0)[:, None])[:, None, None, :]
    query, key, value = (part[rows].transpose(1, 2) for part in (query, key, value))
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask).transpose(1, 2)
    tokens = torch.arange(number, dtype=windows.dtype, device=windows.device)
    window = torch.bucketize(tokens, windows[1:], right=True)
    return attended[window, tokens - starts[window]]


def _flash_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, windows: torch.Tensor, longest: int
) -> torch.Tensor:
    if query.dtype not in (torch.bfloat16, torch.float16):
        raise NotImplementedError
    found: torch.Tensor = torch.ops.aten._flash_attention_forward(
        query, key, value, windows, windows, longest, longest, 0.0, False, False
    )[0]
    return found


def _efficient_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, windows: torch.Tensor, longest: int
) -> torch.Tensor:
    found: torch.Tensor = torch.ops.aten._efficient_attention_forward(
        query[None], key[None], value[None], None, windows, windows, longest, longest, 0.0, 0
    )[0]
    return found[0]
