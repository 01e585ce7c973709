"""Prepared pairs -> links on a GPU: vectors and similarities never leave it, only links come back.

A chunk of pairs, the longest first, is cut into batches. All of their work is queued on the device at once;
while it runs, the host finishes the chunk before and prepares the next. Methods that exist for arrays only,
like match, get their matrices on threads of the host while the device goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from wordalign.encoders.device.rows import DeviceTokens, RowEncoder, to_device
from wordalign.errors import ModelError
from wordalign.links.linker import Cells, Extraction, linked_cells
from wordalign.links.prepared import DeviceUnits, Finish, FoundLinks, PreparedPairs
from wordalign.links.similarity import NOT_NUMBERS
from wordalign.links.tensors import Scored, most_links, on_tensors, scored
from wordalign.types import Floats, Ints

# The padded cells of a batch's similarity matrices: 64 MiB of them, and some copies, at a time.
BATCH_CELLS = 1 << 24
HOST_THREADS = 8

# Instead of a number of links: the host has to look at this stack itself, or there is nothing to look at.
_LEFT_TO_HOST, _NOT_NUMBERS = -2, -1


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads of the host, which all aligners share: a service has many on one model."""
    return ThreadPoolExecutor(HOST_THREADS, thread_name_prefix="wordalign-extract")


@dataclass(slots=True, eq=False)
class _Started:
    """What is being computed: for each method its batches, `(first, last, height, width, cells)`."""

    batches: dict[str, list[tuple[int, int, int, int, Cells]]] = field(default_factory=dict)

    def finish(self) -> Mapping[str, Sequence[FoundLinks]]:
        return {
            key: [
                FoundLinks(first, last, height, width, *cells())
                for first, last, height, width, cells in batches
            ]
            for key, batches in self.batches.items()
        }


class DeviceQueue:
    """Queues chunks of prepared pairs on an encoder's device."""

    def __init__(self, encoder: RowEncoder) -> None:
        self._encoder = encoder

    def __call__(self, pairs: PreparedPairs, extraction: Extraction) -> Finish:
        """Queue everything that these pairs need, and wait for nothing."""
        started = _Started({key: [] for key in extraction.methods})
        with torch.inference_mode():
            sent = self._encoder.send(pairs.tokens)
            placed = _PlacedUnits.of(pairs.units, self._encoder.device)
            waiting = list(reversed(self._encoder.batches(sent, pairs.longest, BATCH_CELLS)))
            while waiting:
                first, last = waiting.pop()
                try:
                    self._queue(started, pairs, extraction, sent, placed, first, last)
                except Exception as error:
                    # Raises where it is another error, or nothing smaller can be tried.
                    self._encoder.shrink(error, last - first, int(pairs.longest[first]))
                    middle = (first + last) // 2
                    waiting += [(middle, last), (first, middle)]
        return started.finish

    def _queue(
        self,
        started: _Started,
        pairs: PreparedPairs,
        extraction: Extraction,
        sent: DeviceTokens,
        units: _PlacedUnits,
        first: int,
        last: int,
    ) -> None:
        shapes = units.host.counts.reshape(-1, 2)[first:last]
        height, width = (int(size) for size in shapes.max(axis=0))
        if not height or not width:
            return
        similarity = _similarities(
            self._encoder(sent, 2 * first, 2 * last), units, first, last, height, width
        )
        if extraction.distortion:
            similarity *= _penalties(shapes, height, width, extraction.distortion, similarity)
        situations = pairs.situations[first:last]
        # Places of cells are int32 on the device: enough for 46,000 units on both sides.
        small = similarity.numel() < 2**31
        rows, columns = (int(total) for total in shapes.sum(axis=0))
        smaller = int(shapes.min(axis=1).sum())
        values = scored(similarity, extraction.calibration, situations) if small else None
        brought: _Brought | None = None
        for key, method in extraction.methods.items():
            tensor_method = on_tensors(method)
            if tensor_method is not None and values is not None and key not in extraction.null:
                most = most_links(method, rows, columns, smaller)
                found = _Brought(_compact(*tensor_method(values), values.score, most))
                on_host = partial(_at_host, similarity, situations, extraction, key)
                cells: Cells = partial(_unpack, found, values, on_host)
            else:
                brought = brought or _Brought(similarity)
                cells = _threads().submit(_extract, brought, situations, extraction, key).result
            started.batches[key].append((first, last, height, width, cells))


@dataclass(frozen=True, slots=True, eq=False)
class _PlacedUnits:
    """Units with what the device needs of them."""

    host: DeviceUnits
    starts: torch.Tensor
    sizes: torch.Tensor
    groups: torch.Tensor | None

    @classmethod
    def of(cls, units: DeviceUnits, device: torch.device) -> _PlacedUnits:
        groups = [] if units.groups is None else [units.groups]
        starts, sizes, *placed = to_device([units.starts, units.sizes, *groups], device)
        return cls(units, starts, sizes, placed[0] if placed else None)


class _Brought:
    """A tensor on its way to the host."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._event: Any = None
        if tensor.device.type == "cpu":
            self._host = tensor
            return
        pinned = tensor.device.type == "cuda"
        self._host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=pinned)
        self._host.copy_(tensor, non_blocking=pinned)
        if pinned:
            self._event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self._event.record()

    def array(self) -> Any:
        if self._event is not None:
            self._event.synchronize()
        return self._host.numpy()


def _similarities(
    vectors: torch.Tensor, units: _PlacedUnits, first: int, last: int, height: int, width: int
) -> torch.Tensor:
    """The similarity matrices of pairs `first` to `last` - 1, padded with zeros: (pairs, height, width)."""
    starts = units.starts[2 * first : 2 * last + 1]
    begin, end = (int(units.host.starts[2 * number]) for number in (first, last))
    if len(units.sizes):
        sizes = units.sizes[begin:end].long()
        vectors = torch.segment_reduce(vectors, "mean", lengths=sizes, axis=0, unsafe=True)
    length = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    vectors = vectors / torch.where(length > 0, length, 1)
    begins = starts[:-1] - starts[0]
    counts = starts[1:] - starts[:-1]
    groups = None if units.groups is None else units.groups[begin:end]
    source, source_group = _spread(vectors, groups, begins[0::2], counts[0::2], height, -1)
    target, target_group = _spread(vectors, groups, begins[1::2], counts[1::2], width, -2)
    similarity = ((torch.bmm(source, target.transpose(1, 2)) + 1) / 2).clamp_(0, 1)
    # What is no unit has a group of its own on each side.
    return similarity.masked_fill_(source_group[:, :, None] != target_group[:, None, :], 0)


def _spread(
    vectors: torch.Tensor,
    groups: torch.Tensor | None,
    begins: torch.Tensor,
    counts: torch.Tensor,
    size: int,
    nothing: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(units, dimensions) -> (sentences, size, dimensions), and the group of each place, or `nothing`."""
    places = torch.arange(size, device=vectors.device)
    rows = (begins[:, None] + places[None, :]).clamp_(max=len(vectors) - 1)
    there = places[None, :] < counts[:, None]
    group = torch.zeros_like(rows) if groups is None else groups[rows]
    spread = vectors.index_select(0, rows.flatten()).view(len(begins), size, -1)
    return spread, torch.where(there, group, nothing)


def _penalties(shapes: Ints, height: int, width: int, kappa: float, like: torch.Tensor) -> torch.Tensor:
    """The distortion of each pair, as the host has it: (pairs, height, width)."""
    sizes = torch.from_numpy(np.maximum(shapes, 1)).to(like.device, torch.float64)
    rows = torch.arange(height, device=like.device, dtype=torch.float64)[None, :] / sizes[:, :1]
    columns = torch.arange(width, device=like.device, dtype=torch.float64)[None, :] / sizes[:, 1:]
    return (1 - kappa * (rows[:, :, None] - columns[:, None, :]).square()).to(like.dtype)


def _compact(
    links: torch.Tensor, left_to_host: torch.Tensor | None, values: torch.Tensor, most: int | None
) -> torch.Tensor:
    """The links' number, places and values in one array of known size: nothing has to wait for a count.

    (pairs, m, n) -> (1 + 2 most,) int32, or 3 most for values of 64 bits, whose bits stand for themselves. A
    negative number says why there are no links; one above `most`, that there was no room for all.
    """
    flat = links.flatten()
    most = flat.numel() if most is None else min(most, flat.numel())
    number = torch.arange(flat.numel(), dtype=torch.int32, device=flat.device)
    upto = flat.cumsum(0, dtype=torch.int32)
    # What is no link goes to places behind, many of them, so that writes do not queue for one.
    place = torch.where(flat & (upto <= most), upto - 1, most + (number & 1023)).long()
    cells = torch.zeros(most + 1024, dtype=torch.int32, device=flat.device).scatter_(0, place, number)[:most]
    found = values.flatten().index_select(0, cells)
    count = upto[-1:]
    if left_to_host is not None:
        count = torch.where(left_to_host, _LEFT_TO_HOST, count)
    count = torch.where(values.isnan().any(), _NOT_NUMBERS, count)
    return torch.cat([count, cells, found.view(torch.int32)])


def _unpack(
    brought: _Brought, scored: Scored, on_host: Callable[[], tuple[Ints, Floats]]
) -> tuple[Ints, Floats]:
    """The cells and the scores of what `_compact` made; `on_host` finds them where it could not."""
    numbers = brought.array()
    size = scored.score.element_size() // 4
    count, most = int(numbers[0]), len(numbers) // (1 + size)
    if count == _NOT_NUMBERS:
        raise ModelError(NOT_NUMBERS)
    if count == _LEFT_TO_HOST or count > most:
        return on_host()
    cells = numbers[1 : 1 + count]
    values = numbers[1 + most :].view(np.float64 if size == 2 else np.float32)[:count]
    return cells, scored.probabilities(cells, values)


def _extract(
    brought: _Brought, situations: Sequence[str], extraction: Extraction, key: str
) -> tuple[Ints, Floats]:
    """The same on the host."""
    stack: Floats = brought.array()
    if np.isnan(stack.sum()):
        raise ModelError(NOT_NUMBERS)
    return linked_cells(stack, situations, extraction, key)


def _at_host(
    similarity: torch.Tensor, situations: Sequence[str], extraction: Extraction, key: str
) -> tuple[Ints, Floats]:
    return _extract(_Brought(similarity), situations, extraction, key)
