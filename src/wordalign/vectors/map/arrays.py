"""The few operations of mapping that numpy and torch spell differently.

Products, slices and sums are written the same for both; what is not is here. Torch is used where there
is a GPU, numpy elsewhere, with equal results up to rounding (and other random numbers).
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

from wordalign.errors import UsageError
from wordalign.types import Floats, Ints

Array: TypeAlias = Any


class Arrays(Protocol):
    name: str
    block_cells: int

    def put(self, array: Any) -> Array:
        """A numpy array, copied to where the work is done."""
        ...

    def get(self, array: Array) -> Any: ...

    def top(self, rows: Array, k: int) -> Array:
        """The k largest values of each row, the largest first: (n, m) -> (n, k)."""
        ...

    def best(self, rows: Array) -> tuple[Array, Array]:
        """Where each row's largest value is, and that value."""
        ...

    def drop(self, rows: Array, keep: float) -> Array:
        """Keep each cell with probability `keep`, and set the others to minus infinity; 1 changes nothing."""
        ...

    def transposed(self, rows: Array) -> Array: ...

    def sort(self, rows: Array) -> Array:
        """Each row's values from the smallest to the largest."""
        ...

    def join(self, parts: list[Array], axis: int = 0) -> Array: ...


class NumpyArrays:
    name = "cpu"
    block_cells = 1 << 26  # 256 MB

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)

    def put(self, array: Floats) -> Floats:
        return np.asarray(array)

    def get(self, array: Floats) -> Floats:
        return array

    def top(self, rows: Floats, k: int) -> Floats:
        # k times argmax, which is vectorised, is several times as fast as a partition. The cells that
        # were found are hidden for the next round and put back in the end.
        k = min(k, rows.shape[1])
        lines = np.arange(len(rows))
        found = np.empty((len(rows), k), dtype=rows.dtype)
        places: list[Ints] = []
        for number in range(k):
            places.append(rows.argmax(axis=1))
            found[:, number] = rows[lines, places[-1]]
            rows[lines, places[-1]] = -np.inf
        for number, place in enumerate(places):
            rows[lines, place] = found[:, number]
        return found

    def best(self, rows: Floats) -> tuple[Ints, Floats]:
        places = rows.argmax(axis=1)
        return places, rows[np.arange(len(rows)), places]

    def drop(self, rows: Floats, keep: float) -> Floats:
        if keep >= 1:
            return rows
        draws = self._random.integers(0, 1 << 16, rows.shape, dtype=np.uint16)
        return np.where(draws < round(keep * (1 << 16)), rows, np.float32(-np.inf))

    def transposed(self, rows: Floats) -> Floats:
        return np.ascontiguousarray(rows.T)

    def sort(self, rows: Floats) -> Floats:
        return np.sort(rows, axis=1)

    def join(self, parts: list[Floats], axis: int = 0) -> Floats:
        return np.concatenate(parts, axis=axis)


class TorchArrays:
    block_cells = 1 << 29  # 2 GB of a GPU's memory

    def __init__(self, seed: int, device: str) -> None:
        import torch

        self._torch = torch
        self.name = device
        try:
            self._device = torch.device(device)
            self._random = torch.Generator(self._device).manual_seed(seed)
        except (RuntimeError, AssertionError) as error:
            reason = str(error).partition(". ")[0]  # torch explains at length
            raise UsageError(f"The device {device!r} cannot be used: {reason}.") from error

    def put(self, array: Any) -> Array:
        return self._torch.from_numpy(np.array(array)).to(self._device)

    def get(self, array: Array) -> Any:
        return array.cpu().numpy()

    def top(self, rows: Array, k: int) -> Array:
        return rows.topk(min(k, rows.shape[1]), dim=1).values

    def best(self, rows: Array) -> tuple[Array, Array]:
        values, places = rows.max(dim=1)
        return places, values

    def drop(self, rows: Array, keep: float) -> Array:
        if keep >= 1:
            return rows
        draws = self._torch.rand(rows.shape, generator=self._random, device=self._device)
        return rows.masked_fill(draws >= keep, -np.inf)

    def transposed(self, rows: Array) -> Array:
        return rows.T

    def sort(self, rows: Array) -> Array:
        return rows.sort(dim=1).values

    def join(self, parts: list[Array], axis: int = 0) -> Array:
        return self._torch.cat(parts, dim=axis)


def choose_arrays(device: str | None, seed: int) -> Arrays:
    """Numpy for "cpu", and torch for any other device; the default is the GPU if torch finds one."""
    if device is None:
        device = "cuda" if _has_gpu() else "cpu"
    return NumpyArrays(seed) if device == "cpu" else TorchArrays(seed, device)


def _has_gpu() -> bool:
    try:
        import torch
    except ModuleNotFoundError:
        return False
    return bool(torch.cuda.is_available())
