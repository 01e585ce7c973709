"""The extraction methods on torch tensors. They give the same links as those on arrays.

All take a zero-padded stack of similarity matrices (pairs, m, n) on any device and return the binary
alignment matrices of the same shape. Nothing here waits for the device.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import torch

from wordalign.links.argmax import argmax as argmax_array
from wordalign.links.argmax import forward as forward_array
from wordalign.links.argmax import reverse as reverse_array
from wordalign.links.itermax import itermax as itermax_array
from wordalign.links.methods import Method

TensorMethod: TypeAlias = Callable[[torch.Tensor], torch.Tensor]

# Arrays are looked at after each round of itermax, and often nothing is left to do; a device is not asked.
MOST_ROUNDS = 8


def on_tensors(method: Method) -> TensorMethod | None:
    """Return the method for tensors, with its parameters set, or None where it exists for arrays only."""
    settings: dict[str, Any] = {**method.parameters, **method.bound}
    if settings.get("n_max", 1) > MOST_ROUNDS:
        return None
    found = _TENSOR_METHODS.get(method.extractor)
    return None if found is None else lambda similarity: found(similarity, **settings)


def most_links(method: Method, rows: int, columns: int, smaller: int) -> int | None:
    """Return how many links a stack has at most, or None where every cell may be a link.

    `rows`, `columns` and `smaller` are sums over the stack: of heights, of widths, of the smaller of both.
    """
    if method.extractor is itermax_array:
        return smaller * int(method.parameters["n_max"])
    bounds = {argmax_array: smaller, forward_array: rows, reverse_array: columns}
    return bounds.get(method.extractor)


def forward(similarity: torch.Tensor) -> torch.Tensor:
    return _best(similarity, -1) & (similarity > 0)


def reverse(similarity: torch.Tensor) -> torch.Tensor:
    return _best(similarity, -2) & (similarity > 0)


def argmax(similarity: torch.Tensor) -> torch.Tensor:
    return _best(similarity, -1) & reverse(similarity)


def itermax(similarity: torch.Tensor, n_max: int = 2, alpha: float = 0.9) -> torch.Tensor:
    links = argmax(similarity)
    one = torch.ones((), dtype=similarity.dtype, device=similarity.device)
    for _ in range(n_max - 1):
        row_linked = links.any(dim=-1, keepdim=True)
        column_linked = links.any(dim=-2, keepdim=True)
        weight = torch.where(row_linked | column_linked, one * alpha, one)
        weight = weight.masked_fill(row_linked & column_linked, 0)
        links = links | argmax(similarity * weight)
    return links


def _best(similarity: torch.Tensor, dim: int) -> torch.Tensor:
    chosen = torch.zeros(similarity.shape, dtype=torch.bool, device=similarity.device)
    if similarity.numel():
        # Of equal values torch, like numpy, takes the first.
        chosen.scatter_(dim, similarity.argmax(dim, keepdim=True), True)
    return chosen


_TENSOR_METHODS: dict[Callable[..., Any], Callable[..., torch.Tensor]] = {
    argmax_array: argmax,
    forward_array: forward,
    reverse_array: reverse,
    itermax_array: itermax,
}
