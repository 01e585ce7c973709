"""Pairs -> links on a GPU: vectors and similarities never leave it, only links come back.

A chunk of pairs is sorted by length and cut into batches. All of their work is queued on the device at once
(`start`); while it runs, the host finishes the chunk before (`finish`) and reads the next. Methods that exist
for arrays only, like match, get their matrices on threads of the host while the device goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from wordalign.encoders.huggingface.rows import DeviceTokens, RowEncoder, to_device
from wordalign.encoders.subwords import Subwords, ends, runs
from wordalign.errors import ModelError
from wordalign.links.linker import ByMethod, Cells, Extraction, PendingLinks, Stack, Units, linked_cells
from wordalign.links.similarity import NOT_NUMBERS
from wordalign.links.tensors import most_links, on_tensors
from wordalign.types import Floats, Ints, Pair

# The padded cells of a batch's similarity matrices: 64 MiB of them, and some copies, at a time.
BATCH_CELLS = 1 << 24
HOST_THREADS = 8


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads of the host, which all aligners share: a service has many on one model."""
    return ThreadPoolExecutor(HOST_THREADS, thread_name_prefix="wordalign-extract")


class DeviceLinker:
    """Queues chunks of pairs on an encoder's device."""

    ahead = True

    def __init__(self, encoder: RowEncoder, level: str) -> None:
        self._encoder = encoder
        self._level = level
        self.chunk_pairs = encoder.chunk_pairs

    def start(self, pairs: Sequence[Pair], extraction: Extraction) -> Callable[[], Iterable[ByMethod]]:
        """Queue everything that these pairs need, and wait for nothing."""
        sentences = [side.words for pair in pairs for side in (pair.source, pair.target)]
        subwords = self._encoder.subwords(sentences)
        lengths = subwords.lengths.reshape(-1, 2)
        # The longest first: if the memory is too small, that shows at once.
        order = np.argsort(-lengths.max(axis=1, initial=0), kind="stable")
        subwords = subwords.take(np.repeat(2 * order, 2) + np.tile([0, 1], len(order)))
        units = DeviceUnits.of(subwords, self._level)
        pending = PendingLinks(pairs, Units(units.word, units.starts), extraction, order)
        situations = extraction.situations(pairs[number] for number in order)
        if not len(pairs):
            return pending.finish
        with torch.inference_mode():
            sent = self._encoder.send(subwords)
            placed = _PlacedUnits(units, *to_device([units.starts, units.sizes], self._encoder.device))
            waiting = list(reversed(self._encoder.batches(sent, lengths[order].max(axis=1), BATCH_CELLS)))
            while waiting:
                first, last = waiting.pop()
                try:
                    self._queue(pending, extraction, situations, sent, placed, first, last)
                except Exception as error:
                    # Raises where it is another error, or nothing smaller can be tried.
                    longest = int(lengths[order[first]].max())
                    self._encoder.shrink(error, last - first, longest)
                    middle = (first + last) // 2
                    waiting += [(middle, last), (first, middle)]
        return pending.finish

    def _queue(
        self,
        pending: PendingLinks,
        extraction: Extraction,
        situations: Sequence[str],
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
        brought: _Brought | None = None
        for key, method in extraction.methods.items():
            tensor_method = on_tensors(method)
            # Places of cells are int32 on the device: enough for 46,000 units on both sides.
            small = similarity.numel() < 2**31
            plain = key not in extraction.null and extraction.calibration is None
            if tensor_method is not None and small and plain:
                rows, columns = (int(total) for total in shapes.sum(axis=0))
                most = most_links(method, rows, columns, int(shapes.min(axis=1).sum()))
                found = _Brought(_compact(tensor_method(similarity), similarity, most))
                cells: Cells = partial(_unpack, found)
            else:
                brought = brought or _Brought(similarity)
                kinds = situations[first:last]
                cells = _threads().submit(_extract, brought, kinds, extraction, key).result
            pending.stacks[key].append(Stack(np.arange(first, last), height, width, cells))


@dataclass(frozen=True, slots=True, eq=False)
class DeviceUnits:
    """What is linked, words or subwords, of sentences end to end.

    `counts` units of each sentence begin at `starts`; `word` is each one's word, `sizes` its subwords.
    """

    counts: Ints
    starts: Ints
    word: Ints
    sizes: Ints

    @classmethod
    def of(cls, subwords: Subwords, level: str) -> DeviceUnits:
        if level == "subword":
            one = np.zeros(0, dtype=np.int64)
            return cls(subwords.lengths, subwords.starts, subwords.word_of_subword, one)
        # A word without a subword is no unit.
        there = subwords.counts > 0
        starts = ends(there)[ends(subwords.words)]
        word = runs(np.zeros_like(subwords.words), subwords.words)[there]
        return cls(np.diff(starts), starts, word, subwords.counts[there])


@dataclass(frozen=True, slots=True, eq=False)
class _PlacedUnits:
    """The same with what the device needs of it."""

    host: DeviceUnits
    starts: torch.Tensor
    sizes: torch.Tensor


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
    if len(units.sizes):
        begin, end = (int(units.host.starts[2 * number]) for number in (first, last))
        sizes = units.sizes[begin:end].long()
        vectors = torch.segment_reduce(vectors, "mean", lengths=sizes, axis=0, unsafe=True)
    length = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    vectors = vectors / torch.where(length > 0, length, 1)
    begins = starts[:-1] - starts[0]
    counts = starts[1:] - starts[:-1]
    source, source_there = _spread(vectors, begins[0::2], counts[0::2], height)
    target, target_there = _spread(vectors, begins[1::2], counts[1::2], width)
    similarity = ((torch.bmm(source, target.transpose(1, 2)) + 1) / 2).clamp_(0, 1)
    return similarity.masked_fill_(~(source_there[:, :, None] & target_there[:, None, :]), 0)


def _spread(
    vectors: torch.Tensor, begins: torch.Tensor, counts: torch.Tensor, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """(units, dimensions) -> (sentences, size, dimensions), and which of those places hold a unit."""
    places = torch.arange(size, device=vectors.device)
    rows = (begins[:, None] + places[None, :]).clamp_(max=len(vectors) - 1)
    there = places[None, :] < counts[:, None]
    return vectors.index_select(0, rows.flatten()).view(len(begins), size, -1), there


def _penalties(shapes: Ints, height: int, width: int, kappa: float, like: torch.Tensor) -> torch.Tensor:
    """The distortion of each pair, as the host has it: (pairs, height, width)."""
    sizes = torch.from_numpy(np.maximum(shapes, 1)).to(like.device, torch.float64)
    rows = torch.arange(height, device=like.device, dtype=torch.float64)[None, :] / sizes[:, :1]
    columns = torch.arange(width, device=like.device, dtype=torch.float64)[None, :] / sizes[:, 1:]
    return (1 - kappa * (rows[:, :, None] - columns[:, None, :]).square()).to(like.dtype)


def _compact(links: torch.Tensor, similarity: torch.Tensor, most: int | None) -> torch.Tensor:
    """The links' number, places and similarities in one array of known size: nothing has to wait for a count.

    (pairs, m, n) -> (1 + 2 most,) int32, where the similarities' bits stand for themselves. A number of -1
    says that some similarity is NaN.
    """
    flat = links.flatten()
    most = flat.numel() if most is None else min(most, flat.numel())
    number = torch.arange(flat.numel(), dtype=torch.int32, device=flat.device)
    upto = flat.cumsum(0, dtype=torch.int32)
    # What is no link goes to places behind, many of them, so that writes do not queue for one.
    place = torch.where(flat, upto - 1, most + (number & 1023)).long()
    cells = torch.zeros(most + 1024, dtype=torch.int32, device=flat.device).scatter_(0, place, number)[:most]
    found = similarity.flatten().index_select(0, cells)
    number_of_links = torch.where(similarity.isnan().any(), -1, upto[-1:])
    return torch.cat([number_of_links, cells, found.view(torch.int32)])


def _unpack(brought: _Brought) -> tuple[Ints, Floats]:
    numbers = brought.array()
    count, most = int(numbers[0]), len(numbers) // 2
    if count < 0:
        raise ModelError(NOT_NUMBERS)
    return numbers[1 : 1 + count], numbers[1 + most : 1 + most + count].view(np.float32)


def _extract(
    brought: _Brought, situations: Sequence[str], extraction: Extraction, key: str
) -> tuple[Ints, Floats]:
    """The same on the host."""
    stack: Floats = brought.array()
    if np.isnan(stack.sum()):
        raise ModelError(NOT_NUMBERS)
    return linked_cells(stack, situations, extraction, key)
