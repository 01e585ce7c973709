"""Batches of similar length, cut by a budget of tokens that shrinks when the device's memory is full."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from wordalign.encoders.windows import Window
from wordalign.errors import DeviceMemoryError
from wordalign.types import Floats, Ints

log = logging.getLogger("wordalign")

# (batch, length) token ids and mask -> (batch, length, dimensions) vectors
Forward: TypeAlias = Callable[[Ints, Ints], Floats]


class Batcher:
    """Runs windows through a model and remembers how much fits the device.

    `is_full` tells whether an error of `forward` means that the memory is full.
    """

    def __init__(
        self,
        forward: Forward,
        pad: int,
        tokens: int,
        is_full: Callable[[Exception], bool],
        device: str = "cpu",
    ) -> None:
        self._forward = forward
        self._pad = pad
        self._tokens = tokens
        self._is_full = is_full
        self._device = device
        self._told = False

    def run(self, windows: Sequence[Window]) -> list[Floats]:
        """The kept rows of every window, as arrays of shape (rows, dimensions), in order."""
        by_length = sorted(range(len(windows)), key=lambda number: -len(windows[number].ids))
        results: list[Floats | None] = [None] * len(windows)
        start = 0
        while start < len(by_length):
            longest = len(windows[by_length[start]].ids)
            batch = by_length[start : start + max(1, self._tokens // max(longest, 1))]
            try:
                vectors = self._forward(*self._padded([windows[number].ids for number in batch]))
            except Exception as error:
                if not self._is_full(error):
                    raise
                self._shrink(len(batch), longest, error)
                continue
            for number, rows in zip(batch, vectors, strict=True):
                results[number] = rows[windows[number].rows]
            start += len(batch)
        return [result for result in results if result is not None]

    def _padded(self, batch: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
        # At least one: a tokenizer without special tokens makes nothing of an empty sentence.
        length = max(1, *(len(ids) for ids in batch))
        ids = np.full((len(batch), length), self._pad, dtype=np.int64)
        mask = np.zeros((len(batch), length), dtype=np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        return ids, mask

    def _shrink(self, sentences: int, longest: int, error: Exception) -> None:
        if sentences == 1:
            raise DeviceMemoryError(
                f"The memory of {self._device} is too small for one sentence of {longest} subwords: "
                "free some, use another device, or dtype='bfloat16'."
            ) from error
        self._tokens = sentences * longest // 2
        if not self._told:
            log.warning("The memory of %s is full: going on with smaller batches.", self._device)
            self._told = True
