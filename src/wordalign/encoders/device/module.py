"""The encoder of the bundled models over sentences that lie end to end, on any device.

The weights and all steps but attention are those of `torch_module.py`; attention looks at one sentence at a
time without a mask, by the kernel of `fused.py` or those of `attention.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

import torch
from torch.nn import functional

from wordalign.encoders.device.attention import pick_attention
from wordalign.encoders.torch_module import Block, EncoderModule, after_attention, both, rotate

log = logging.getLogger("wordalign")

# (tokens, 3, heads, size), positions (tokens,), bounds of the windows, the longest -> (tokens, heads, size)
Attend: TypeAlias = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, int], torch.Tensor]


class FlatModule:
    """A function from ids, positions (tokens,), the bounds of the windows and the longest to unit vectors.

    `fused` False leaves the kernel of `fused.py` alone, also where it works.
    """

    def __init__(self, module: EncoderModule, fused: bool = True) -> None:
        self._module = module
        self._blocks = [_weights(block) for block in module.blocks if isinstance(block, Block)]
        self._attend = pick_attend(module, fused)

    def __call__(
        self, ids: torch.Tensor, positions: torch.Tensor, windows: torch.Tensor, longest: int
    ) -> torch.Tensor:
        """The unit vectors of all tokens, (tokens, dimension), in float32."""
        module = self._module
        heads = module.shape.heads
        x = module.widen(module.embedding(ids))
        for norm, qkv, out, middle, up, down in self._blocks:
            normed = functional.layer_norm(x, x.shape[1:], *norm)
            mixed = functional.linear(normed, *qkv).view(len(x), 3, heads, -1)
            attended = self._attend(mixed, positions, windows, longest)
            x = after_attention(x, attended.reshape(x.shape), out, middle, up, down)
        return functional.normalize(module.project(module.norm(x)).float(), dim=-1)


def pick_attend(module: EncoderModule, fused: bool = True) -> Attend:
    """The fastest attention with rotary positions that works here, tried on a small sample."""
    heads, size = module.shape.heads, module.shape.width // module.shape.heads
    weight = module.project.weight
    attention = pick_attention(heads, size, weight)
    cosine, sine = (table[:, None, :] for table in module.rotary.to(weight.dtype))

    def plain(
        mixed: torch.Tensor, positions: torch.Tensor, windows: torch.Tensor, longest: int
    ) -> torch.Tensor:
        angles = cosine.index_select(0, positions), sine.index_select(0, positions)
        query, key, value = mixed.unbind(1)
        return attention(rotate(query, *angles), rotate(key, *angles), value, windows, longest)

    half = weight.dtype in (torch.float16, torch.bfloat16)
    if not fused or weight.device.type != "cuda" or not half or size not in (32, 64, 128):
        return plain
    try:
        from wordalign.encoders.device.fused import rotary_attention
    except ImportError:  # Triton comes with torch for NVIDIA's and AMD's GPUs on Linux only
        return plain
    exact_cosine, exact_sine = (table.float().contiguous() for table in module.rotary)

    def at_once(
        mixed: torch.Tensor, positions: torch.Tensor, windows: torch.Tensor, longest: int
    ) -> torch.Tensor:
        return rotary_attention(mixed, exact_cosine, exact_sine, windows, longest)

    return at_once if _agree(at_once, plain, heads, size, weight) else plain


def _agree(one: Attend, other: Attend, heads: int, size: int, like: torch.Tensor) -> bool:
    """Whether both give nearly the same for windows of several lengths; a kernel may not compile here."""
    generator = torch.Generator().manual_seed(0)
    for lengths in ((5, 7, 32), (40, 1, 150)):
        windows = torch.tensor([0, *lengths]).cumsum(0).to(like.device, torch.int32)
        positions = torch.cat([torch.arange(length) for length in lengths]).to(like.device, torch.int32)
        mixed = torch.randn(sum(lengths), 3, heads, size, generator=generator).to(like.device, like.dtype)
        try:
            with torch.inference_mode():
                found, wanted = (attend(mixed, positions, windows, max(lengths)) for attend in (one, other))
        except Exception as error:
            log.warning("The faster attention for short sentences does not work here (%s).", error)
            return False
        if not torch.allclose(found.float(), wanted.float(), rtol=0.03, atol=0.03):
            return False
    return True


def _weights(block: Block) -> tuple[tuple[torch.Tensor, torch.Tensor], ...]:
    parts = (block.norm1, block.qkv, block.out, block.norm2, block.up, block.down)
    return tuple(both(part) for part in parts)
