"""Subwords -> token windows that fit a model, and the sentences they came from.

A sentence of any length becomes one window or several overlapping ones; afterwards each subword takes
its vector from the window in which it stands farther from an edge.

    tokens   0 1 2 3 4 5 6 7 8 9      window of 6, overlap of 2
    window 0 0 1 2 3 4 5              gives 0 1 2 3 4
    window 1         4 5 6 7 8 9      gives           5 6 7 8 9

The windows of many sentences lie end to end, with no padding between them, and with the special tokens that
the model wants around a text:

    sentences   [house ##s] [ja]
    ids         [CLS] house ##s [SEP] [CLS] ja [SEP]
    positions   0     1     2   3     0     1  2
    kept              1     2               5            the tokens that are subwords of the text

A `WindowRunner` runs windows one by one instead, in padded batches of similar length.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from wordalign.encoders.subwords import Subwords, ends, runs
from wordalign.errors import DeviceMemoryError
from wordalign.parallel import ordered
from wordalign.types import Encoding, Floats, Ints

log = logging.getLogger("wordalign")

LANE_TOKENS = 40  # fewer are done before a thread has started

# (batch, length) token ids and mask -> (batch, length, dimensions) vectors
Forward: TypeAlias = Callable[[Ints, Ints], Floats]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a model wants around a text: special tokens before and after, and how many tokens at most."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    size: int

    @property
    def room(self) -> int:
        return self.size - len(self.before) - len(self.after)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The input of many sentences.

    `ids` and `positions` (in their window) have shape (tokens,); `windows` says where each window begins, and
    where the last one ends; `first_window` and `rows` do so for the windows and the kept tokens of each
    sentence; `kept` has shape (subwords,).
    """

    ids: Ints
    positions: Ints
    windows: Ints
    first_window: Ints
    kept: Ints
    rows: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Token ids to feed to the model, which of their rows to keep, and the words of those rows."""

    sentence: int
    ids: Sequence[int]
    rows: Ints
    words: Ints


def lay_out(subwords: Subwords, frame: Frame) -> Tokens:
    """The windows of these sentences, in their order."""
    sentence, start, length, skip, keep = _cut(subwords.lengths, frame.room)
    sizes = length + len(frame.before) + len(frame.after)
    windows = ends(sizes)
    begins = windows[:-1] + len(frame.before)
    ids = np.empty(int(windows[-1]), dtype=np.int32)
    ids[runs(begins, length)] = subwords.ids[runs(subwords.starts[sentence] + start, length)]
    for place, token in enumerate(frame.before):
        ids[windows[:-1] + place] = token
    for place, token in enumerate(frame.after):
        ids[begins + length + place] = token
    return Tokens(
        ids,
        runs(np.zeros_like(sizes), sizes),
        windows,
        np.searchsorted(sentence, np.arange(len(subwords.lengths) + 1)),
        runs(begins + skip, keep),
        subwords.starts,
    )


def _cut(lengths: Ints, room: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return for each window its sentence, first subword, length, and how many it skips and keeps."""
    if lengths.max(initial=0) <= room:
        nothing = np.zeros_like(lengths)
        return np.arange(len(lengths)), nothing, lengths, nothing, lengths
    overlap = overlap_of(room)
    step = room - overlap
    extra = np.maximum(0, -(-(lengths - room) // step))
    sentence = np.repeat(np.arange(len(lengths)), extra + 1)
    number = runs(np.zeros_like(extra), extra + 1)
    start = number * step
    whole = lengths[sentence]
    length = np.minimum(whole - start, room)
    # Each of two windows keeps its half of what they share.
    skip = np.where(number == 0, 0, overlap - overlap // 2)
    drop = np.where(start + length == whole, 0, overlap // 2)
    return sentence, start, length, skip, length - skip - drop


def overlap_of(room: int) -> int:
    """How far windows with room for so many subwords overlap."""
    return min(128, room // 4)


def windows_of(subwords: Subwords, frame: Frame) -> list[Window]:
    """The windows of these sentences one by one, for models that are fed with padded batches."""
    tokens = lay_out(subwords, frame)
    word_of_subword = subwords.word_of_subword
    sentence = np.repeat(np.arange(len(subwords.lengths)), np.diff(tokens.first_window)).tolist()
    starts = tokens.windows.tolist()
    rows = np.searchsorted(tokens.kept, tokens.windows).tolist()
    return [
        Window(
            sentence[number],
            tokens.ids[starts[number] : starts[number + 1]].tolist(),
            tokens.kept[first:last] - starts[number],
            word_of_subword[first:last],
        )
        for number, (first, last) in enumerate(pairwise(rows))
    ]


def join_windows(windows: Sequence[Window], vectors: Sequence[Floats], sentences: int) -> list[Encoding]:
    """The windows' rows put together again, one `Encoding` a sentence."""
    found = dict(join_each(windows, enumerate(vectors)))
    return [found[number] for number in range(sentences)]


def join_each(
    windows: Sequence[Window], vectors: Iterable[tuple[int, Floats]]
) -> Iterator[tuple[int, Encoding]]:
    """The number and the `Encoding` of every sentence, as soon as the rows of its last window are there."""
    missing = Counter(window.sentence for window in windows)
    parts: dict[int, dict[int, Floats]] = {}
    for number, rows in vectors:
        sentence = windows[number].sentence
        missing[sentence] -= 1
        part = parts.setdefault(sentence, {})
        part[number] = rows
        if missing[sentence]:
            continue
        del parts[sentence]
        if len(part) == 1:
            yield sentence, Encoding(rows, windows[number].words)
        else:
            yield (
                sentence,
                Encoding(
                    np.concatenate([part[number] for number in sorted(part)]),
                    np.concatenate([windows[number].words for number in sorted(part)]),
                ),
            )


class WindowRunner:
    """Runs windows through a model in batches of similar length, and remembers how much fits the device.

    A batch has at most `tokens` tokens; the number shrinks when the memory of the device is full. `is_full`
    tells whether an error of `forward` means that. `padding` is how much padding costs as much as another
    batch does: a batch ends where it would have more. Up to `lanes` batches are run at the same time, by a
    thread each.
    """

    def __init__(
        self,
        forward: Forward,
        pad: int,
        tokens: int,
        is_full: Callable[[Exception], bool],
        device: str = "cpu",
        padding: float = math.inf,
        lanes: int = 1,
    ) -> None:
        self._forward = forward
        self._pad = pad
        self._tokens = tokens
        self._padding = padding
        self._is_full = is_full
        self._device = device
        self._lanes = lanes
        self._told = False

    def run(self, windows: Sequence[Window]) -> list[Floats]:
        """The kept rows of every window, as arrays of shape (rows, dimensions), in order."""
        rows = dict(self.run_each(windows))
        return [rows[number] for number in range(len(windows))]

    def run_each(self, windows: Sequence[Window]) -> Iterator[tuple[int, Floats]]:
        """The number and the kept rows of every window, the longest first, as soon as they are known."""
        left = sorted(range(len(windows)), key=lambda number: -len(windows[number].ids))
        tokens = sum(len(window.ids) for window in windows)
        lanes = min(self._lanes, len(windows), max(1, tokens // LANE_TOKENS))
        if lanes > 1:
            done = set()
            try:
                share = -(-tokens // lanes)  # where windows are few, each lane gets its share of them
                batches = self._batches(windows, left, min(self._tokens, share))
                lane = partial(self._run, windows)
                for vectors in ordered(batches, [lane] * lanes, ahead=2 * lanes):
                    for number, rows in vectors:
                        done.add(number)
                        yield number, rows
            except DeviceMemoryError:
                # What is too little for several may do for one.
                log.warning("The memory of %s is full: going on with one batch at a time.", self._device)
                self._lanes = 1
            left = [number for number in left if number not in done]
        for batch in self._batches(windows, left, self._tokens):
            yield from self._run(windows, batch)

    def _batches(self, windows: Sequence[Window], numbers: Sequence[int], tokens: int) -> Iterator[list[int]]:
        """The numbers of each batch's windows, of which the longest come first."""
        start = 0
        while start < len(numbers):
            longest = len(windows[numbers[start]].ids)
            most = max(1, tokens // max(longest, 1))
            batch = self._first_batch(windows, numbers[start : start + most], longest)
            yield batch
            start += len(batch)

    def _run(self, windows: Sequence[Window], batch: Sequence[int]) -> list[tuple[int, Floats]]:
        """The number and the kept rows of each window of a batch, bit by bit where the memory is full."""
        found: list[tuple[int, Floats]] = []
        while len(found) < len(batch):
            longest = len(windows[batch[len(found)]].ids)
            most = max(1, self._tokens // max(longest, 1))
            some = batch[len(found) : len(found) + most]
            try:
                vectors = self._forward(*self._padded([windows[number].ids for number in some]))
            except Exception as error:
                if not self._is_full(error):
                    raise
                self._shrink(len(some), longest, error)
                continue
            found += (
                (number, rows[windows[number].rows]) for number, rows in zip(some, vectors, strict=True)
            )
        return found

    def _first_batch(self, windows: Sequence[Window], by_length: Sequence[int], longest: int) -> list[int]:
        """Those of these windows, the longest first, that are worth padding to one length."""
        batch: list[int] = []
        padding = 0
        for number in by_length:
            padding += longest - len(windows[number].ids)
            if padding > self._padding:
                break
            batch.append(number)
        return batch

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
        self._tokens = min(self._tokens, sentences * longest // 2)  # another lane may have seen it too
        if not self._told:
            log.warning("The memory of %s is full: going on with smaller batches.", self._device)
            self._told = True
