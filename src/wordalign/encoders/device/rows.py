"""Tokens -> vectors that stay on the device, where links are computed from them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import torch

from wordalign.encoders.device.choose import memory_is_full
from wordalign.encoders.subwords import SubwordTable
from wordalign.encoders.windows import Frame, Tokens
from wordalign.errors import DeviceMemoryError
from wordalign.types import Ints

log = logging.getLogger("wordalign")

# ids and positions (tokens,), where windows begin and end, the longest window -> vectors (tokens, dimensions)
FlatForward: TypeAlias = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, int], torch.Tensor]
# ids and mask (windows, longest) -> vectors (windows, longest, dimensions)
PaddedForward: TypeAlias = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTokens:
    """`Tokens` on the device, with what the host must know of them to cut batches."""

    tokens: Tokens
    ids: torch.Tensor
    positions: torch.Tensor
    windows: torch.Tensor
    kept: torch.Tensor


class RowEncoder:
    """Runs a model on pairs of sentences and leaves the vectors where they are.

    `subwords` and `frame` say how the host makes tokens of words. `flat` is the model over sentences that lie
    end to end, where it exists; else `padded` is used. `batch_tokens` bounds the tokens of one batch and
    shrinks when the memory is full; `chunk_pairs` is how many pairs should be given at once.
    """

    chunk_pairs = 4096

    def __init__(
        self,
        subwords: SubwordTable,
        frame: Frame,
        device: torch.device,
        *,
        flat: FlatForward | None = None,
        padded: PaddedForward | None = None,
        pad: int = 0,
        batch_tokens: int,
    ) -> None:
        assert flat is not None or padded is not None
        self.device = device
        self.subwords = subwords
        self.frame = frame
        self.batch_tokens = batch_tokens
        self._flat, self._padded = flat, padded
        self._pad = pad
        self._told = False

    def send(self, tokens: Tokens) -> DeviceTokens:
        """The model's input for sentences, sources and targets in turns."""
        parts = to_device([tokens.ids, tokens.positions, tokens.windows, tokens.kept], self.device)
        return DeviceTokens(tokens, *parts)

    def batches(self, sent: DeviceTokens, longest: Ints, most_cells: int) -> list[tuple[int, int]]:
        """Cut pairs, which come with the longest first, into batches that fit: (first, last + 1) of each.

        `longest` are the subwords of each pair's longer side; the matrices of a batch have `most_cells`
        cells together at most, unless a single pair has more.
        """
        tokens = sent.tokens.windows[sent.tokens.first_window[::2]]
        cuts = [0]
        while cuts[-1] < len(longest):
            first = cuts[-1]
            widest = max(int(longest[first]), 1)
            fit = int(np.searchsorted(tokens, tokens[first] + self.batch_tokens, side="right")) - 1
            if self._flat is None:
                around = self.frame.size - self.frame.room
                fit = first + self.batch_tokens // (2 * min(widest + around, self.frame.size))
            cuts.append(max(first + 1, min(fit, first + most_cells // widest**2, len(longest))))
        return list(pairwise(cuts))

    def shrink(self, error: Exception, pairs: int, longest: int) -> None:
        """Make later batches smaller if the error says that the memory is full; raise any other error."""
        if not memory_is_full(error):
            raise error
        if pairs == 1:
            raise DeviceMemoryError(
                f"The memory of {self.device} is too small for a pair with {longest} subwords on a side: "
                "free some, use another device, or dtype='bfloat16'."
            ) from error
        self.batch_tokens = max(1, min(self.batch_tokens, pairs * 2 * longest) // 2)
        if not self._told:
            log.warning("The memory of %s is full: going on with smaller batches.", self.device)
            self._told = True

    def __call__(self, sent: DeviceTokens, first: int, last: int) -> torch.Tensor:
        """The vectors of sentences `first` to `last` - 1, end to end: (subwords, dimensions)."""
        tokens = sent.tokens
        first_window, last_window = tokens.first_window[first], tokens.first_window[last]
        windows = tokens.windows[first_window : last_window + 1]
        start, stop = int(windows[0]), int(windows[-1])
        longest = int(np.diff(windows).max(initial=0))
        ids, positions = sent.ids[start:stop], sent.positions[start:stop]
        begins = sent.windows[first_window : last_window + 1] - start
        kept = sent.kept[tokens.rows[first] : tokens.rows[last]] - start
        forward = self._flat or self._run_padded
        vectors = forward(ids, positions, begins, longest)
        # Without special tokens and overlapping windows, every token is a row.
        return (vectors if len(kept) == len(vectors) else vectors.index_select(0, kept)).float()

    def _run_padded(
        self, ids: torch.Tensor, positions: torch.Tensor, windows: torch.Tensor, longest: int
    ) -> torch.Tensor:
        """The same for any model: (tokens,) laid out as (windows, longest) with padding, and back."""
        longest = max(longest, 1)
        lengths = windows[1:] - windows[:-1]
        places = torch.arange(longest, device=ids.device)
        mask = places[None, :] < lengths[:, None]
        rows = (windows[:-1, None] + places[None, :]).clamp(max=max(len(ids) - 1, 0))
        padded = torch.where(mask, ids[rows], self._pad) if len(ids) else rows.new_full(mask.shape, self._pad)
        assert self._padded is not None
        hidden = self._padded(padded.long(), mask.long())
        window = torch.bucketize(
            torch.arange(len(ids), dtype=windows.dtype, device=ids.device), windows[1:], right=True
        )
        return hidden.reshape(-1, hidden.shape[-1])[window * longest + positions]


def to_device(arrays: list[Ints], device: torch.device) -> list[torch.Tensor]:
    """Arrays of whole numbers as int32 tensors, by one copy that nothing waits for."""
    sizes = [len(array) for array in arrays]
    buffer = torch.empty(sum(sizes), dtype=torch.int32, pin_memory=device.type == "cuda")
    np.concatenate(arrays, out=buffer.numpy(), casting="same_kind")
    return list(torch.split(buffer.to(device, non_blocking=True), sizes))
