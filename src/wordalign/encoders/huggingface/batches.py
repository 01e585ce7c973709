"""Batches of similar length, cut by a budget of tokens that shrinks when the device's memory is full."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np
import torch

from wordalign.encoders.huggingface.windows import Window
from wordalign.errors import DeviceMemoryError
from wordalign.types import Floats

log = logging.getLogger("wordalign")

Forward = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class Batcher:
    """Runs windows through a model and remembers how much fits the device."""

    def __init__(self, forward: Forward, device: torch.device, pad: int, tokens: int) -> None:
        self._forward = forward
        self._device = device
        self._pad = pad
        self._tokens = tokens
        self._told = False

    def run(self, windows: Sequence[Window]) -> list[Floats]:
        """The kept rows of every window, as float32 arrays of shape (rows, dimensions), in order."""
        by_length = sorted(range(len(windows)), key=lambda number: -len(windows[number].ids))
        results: list[Floats | None] = [None] * len(windows)
        start = 0
        while start < len(by_length):
            longest = len(windows[by_length[start]].ids)
            batch = by_length[start : start + max(1, self._tokens // max(longest, 1))]
            try:
                vectors = self._vectors([windows[number].ids for number in batch])
            except (RuntimeError, MemoryError) as error:
                if not _out_of_memory(error):
                    raise
                self._shrink(len(batch), longest, error)
                continue
            for number, rows in zip(batch, vectors, strict=True):
                results[number] = rows[windows[number].rows]
            start += len(batch)
        return [result for result in results if result is not None]

    def _vectors(self, batch: Sequence[Sequence[int]]) -> Floats:
        # At least one: a tokenizer without special tokens makes nothing of an empty sentence.
        length = max(1, *(len(ids) for ids in batch))
        ids = np.full((len(batch), length), self._pad, dtype=np.int64)
        mask = np.zeros((len(batch), length), dtype=np.int64)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            hidden = self._forward(
                torch.from_numpy(ids).to(self._device), torch.from_numpy(mask).to(self._device)
            )
            vectors: Floats = hidden.float().cpu().numpy()
        return vectors

    def _shrink(self, sentences: int, longest: int, error: Exception) -> None:
        if sentences == 1:
            raise DeviceMemoryError(
                f"The memory of {self._device} is too small for one sentence of {longest} subwords: "
                "free some, use another device, or dtype='bfloat16'."
            ) from error
        self._tokens = sentences * longest // 2
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
        if not self._told:
            log.warning("The memory of %s is full: going on with smaller batches.", self._device)
            self._told = True


# Only CUDA has an error class of its own; the CPU and Apple's GPUs say it in words. The last two are what
# oneDNN, the CPU's matrix library, and the C++ one say of a process at its limit (ulimit -v).
_FULL = (
    "out of memory",
    "can't allocate memory",
    "not enough memory",
    "could not create a primitive",
    "bad_alloc",
)


def _out_of_memory(error: Exception) -> bool:
    said = str(error).lower()
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or any(words in said for words in _FULL)
