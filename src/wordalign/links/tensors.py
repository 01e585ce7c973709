"""The extraction methods on torch tensors. They give the same links as those on arrays.

All take a `Scored` stack: zero-padded similarity matrices (pairs, m, n) on any device, with the scores that
the model's calibration makes of them. They return the binary alignment matrices of the same shape, and, where
a method may meet what only arrays can do, whether it has. Nothing here waits for the device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch

from wordalign.encoders.calibration import Calibration
from wordalign.links.argmax import argmax as argmax_array
from wordalign.links.argmax import forward as forward_array
from wordalign.links.argmax import reverse as reverse_array
from wordalign.links.calibrated import MOST
from wordalign.links.calibrated import calibrated as calibrated_array
from wordalign.links.itermax import itermax as itermax_array
from wordalign.links.methods import Method
from wordalign.types import Floats, Ints

# Arrays are looked at after each round of itermax, and often nothing is left to do; a device is not asked.
MOST_ROUNDS = 8
# Calibrated links of a pair, for each of its words: more are very rare, and are left to the host.
LINKS_A_WORD = 2


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """A stack of similarities, and `score`: what the calibration makes of them, or the similarities again.

    `situations` has that of each matrix.
    """

    similarity: torch.Tensor
    score: torch.Tensor
    calibration: Calibration | None
    situations: Sequence[str]

    def thresholds(self, probability: float) -> torch.Tensor:
        """The score of each matrix that has this probability there: (pairs, 1, 1)."""
        curve = self.calibration
        assert curve is not None
        at = {name: curve.in_situation(name).score_at(probability) for name in set(self.situations)}
        if len(at) == 1:
            return torch.full((1, 1, 1), *at.values(), dtype=torch.float64, device=self.score.device)
        values = torch.tensor([at[name] for name in self.situations], dtype=torch.float64)
        return values.to(self.score.device, non_blocking=True)[:, None, None]

    def probabilities(self, cells: Ints, scores: Floats) -> Floats:
        """The probabilities of links at these places of the stack, by the scores that were found there."""
        if self.calibration is None:
            return scores
        kinds = list(dict.fromkeys(self.situations))
        if len(kinds) == 1:
            return self.calibration.in_situation(kinds[0]).probability(scores)
        matrix = cells.astype(np.int64) // (self.score.shape[1] * self.score.shape[2])
        kind = np.array([kinds.index(name) for name in self.situations])[matrix]
        found = np.empty(len(scores))
        for number, name in enumerate(kinds):
            there = kind == number
            found[there] = self.calibration.in_situation(name).probability(scores[there])
        return found


# The links, and whether the host has to do it instead.
TensorMethod: TypeAlias = Callable[[Scored], tuple[torch.Tensor, torch.Tensor | None]]


def scored(
    similarity: torch.Tensor, calibration: Calibration | None, situations: Sequence[str]
) -> Scored | None:
    """The stack with its scores, or None where the device cannot compute them as the host does."""
    if calibration is None:
        return Scored(similarity, similarity, None, situations)
    if similarity.device.type == "mps":  # it has no numbers of 64 bits
        return None
    return Scored(similarity, _scores(similarity, calibration), calibration, situations)


def _scores(similarity: torch.Tensor, calibration: Calibration) -> torch.Tensor:
    """`Calibration.score` for tensors."""
    allowed = similarity > 0
    cosine = 2 * similarity.double() - 1
    score = calibration.scale * cosine + calibration.bias
    if calibration.larger or calibration.smaller:
        sharp = (calibration.sharpness * cosine).masked_fill_(~allowed, -torch.inf)
        row, column = sharp.log_softmax(-1), sharp.log_softmax(-2)
        score += calibration.larger * torch.maximum(row, column)
        score += calibration.smaller * torch.minimum(row, column)
    # A similarity that is no number stays so, and is noticed later.
    refused = ~allowed & ~similarity.isnan()
    return score.mul_(1e6).round_().div_(1e6).masked_fill_(refused, -torch.inf)


def on_tensors(method: Method) -> TensorMethod | None:
    """Return the method for tensors, with its parameters set, or None where it exists for arrays only."""
    if method.extractor is calibrated_array:
        always, mutual = (float(method.parameters[name]) for name in ("always", "mutual"))
        return lambda stack: calibrated(stack, always, mutual)
    settings: dict[str, Any] = {**method.parameters, **method.bound}
    if settings.get("n_max", 1) > MOST_ROUNDS:
        return None
    found = _TENSOR_METHODS.get(method.extractor)
    return None if found is None else lambda stack: (found(stack.similarity, **settings), None)


def most_links(method: Method, rows: int, columns: int, smaller: int) -> int | None:
    """Return how many links a stack has at most, or None where every cell may be a link.

    `rows`, `columns` and `smaller` are sums over the stack: of heights, of widths, of the smaller of both.
    """
    if method.extractor is itermax_array:
        return smaller * int(method.parameters["n_max"])
    bounds = {
        argmax_array: smaller,
        forward_array: rows,
        reverse_array: columns,
        calibrated_array: LINKS_A_WORD * (rows + columns),
    }
    return bounds.get(method.extractor)


def calibrated(stack: Scored, always: float, mutual: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Links that are probably right, and whether some row has so many that the host has to choose."""
    score = stack.score
    high = score > stack.thresholds(always)
    fair = score > stack.thresholds(mutual)
    links = high | (_best(score, -1) & _best(score, -2) & fair)
    return links, (high.sum(-1) > MOST).any()


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
