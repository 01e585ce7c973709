"""Rotary positions and attention inside short windows as one kernel, where Triton is there to compile it.

The kernels that come with torch are made for long texts: for sentences of thirty tokens most of their work is
padding, and turning queries and keys by their positions takes as long again. Here a program takes up to 64
tokens of one window and one head, reads queries, keys and values once, and writes once.
"""

import torch
import triton
import triton.language as tl


# What is not annotated is a pointer or a number to Triton.
@triton.jit  # type: ignore[untyped-decorator]
def _attend(  # type: ignore[no-untyped-def]
    mixed,
    result,
    windows,
    cosine,
    sine,
    scale,
    heads: tl.constexpr,
    half: tl.constexpr,
    block: tl.constexpr,
):
    window, head = tl.program_id(0), tl.program_id(1)
    start = tl.load(windows + window).to(tl.int64)
    length = (tl.load(windows + window + 1) - start).to(tl.int32)
    first = tl.program_id(2) * block
    if first >= length:
        return
    size: tl.constexpr = 2 * half
    step: tl.constexpr = 3 * heads * size
    halves = tl.arange(0, half)
    whole = tl.arange(0, size)

    rows = first + tl.arange(0, block)
    inside = (rows < length)[:, None]
    angles = rows[:, None] * half + halves[None, :]
    cos, sin = tl.load(cosine + angles, inside, 0.0), tl.load(sine + angles, inside, 0.0)
    places = mixed + (start + rows)[:, None] * step + head * size + halves[None, :]
    left = tl.load(places, inside, 0.0).to(tl.float32)
    right = tl.load(places + half, inside, 0.0).to(tl.float32)
    kind = mixed.dtype.element_ty
    query_left = (left * cos - right * sin).to(kind)
    query_right = (right * cos + left * sin).to(kind)

    best = tl.full([block], -1e30, tl.float32)
    total = tl.zeros([block], tl.float32)
    found = tl.zeros([block, size], tl.float32)
    for begin in range(0, length, block):
        keys = begin + tl.arange(0, block)
        there = (keys < length)[:, None]
        angles = keys[:, None] * half + halves[None, :]
        cos, sin = tl.load(cosine + angles, there, 0.0), tl.load(sine + angles, there, 0.0)
        rows_of_keys = mixed + (start + keys)[:, None] * step + head * size
        places = rows_of_keys + heads * size + halves[None, :]
        left = tl.load(places, there, 0.0).to(tl.float32)
        right = tl.load(places + half, there, 0.0).to(tl.float32)
        key_left = (left * cos - right * sin).to(kind)
        key_right = (right * cos + left * sin).to(kind)
        scores = tl.dot(query_left, tl.trans(key_left)) + tl.dot(query_right, tl.trans(key_right))
        scores = tl.where((keys < length)[None, :], scores * scale, -1e30)
        higher = tl.maximum(best, tl.max(scores, 1))
        weights = tl.exp(scores - higher[:, None])
        fade = tl.exp(best - higher)
        total = total * fade + tl.sum(weights, 1)
        values = tl.load(rows_of_keys + 2 * heads * size + whole[None, :], there, 0.0)
        found = found * fade[:, None] + tl.dot(weights.to(kind), values)
        best = higher
    found = found / total[:, None]
    places = result + (start + rows)[:, None] * (heads * size) + head * size + whole[None, :]
    tl.store(places, found.to(kind), inside)


def rotary_attention(
    mixed: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, windows: torch.Tensor, longest: int
) -> torch.Tensor:
    """(tokens, 3, heads, size) queries, keys and values -> (tokens, heads, size), inside each window.

    `cosine` and `sine` have shape (positions, size / 2), in float32; positions count from the beginning of a
    window.
    """
    tokens, _, heads, size = mixed.shape
    result = torch.empty(tokens, heads, size, dtype=mixed.dtype, device=mixed.device)
    block = 32 if longest <= 32 else 64
    grid = (len(windows) - 1, heads, max(1, -(-longest // block)))
    _attend[grid](
        mixed,
        result,
        windows,
        cosine,
        sine,
        size**-0.5,
        heads=heads,
        half=size // 2,
        block=block,
        num_warps=2 if block == 32 else 4,
    )
    return result
