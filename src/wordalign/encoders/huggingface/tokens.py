"""Subwords -> the model's input: token windows of many sentences end to end, with no padding between them.

    sentences   [house ##s] [ja]
    ids         [CLS] house ##s [SEP] [CLS] ja [SEP]
    positions   0     1     2   3     0     1  2
    kept              1     2               5            the tokens that are subwords of the text

A sentence that is longer than the model's window has several overlapping windows, as in `encoders.windows`;
each of its subwords is kept in one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordalign.encoders.huggingface.subwords import Subwords, ends, runs
from wordalign.encoders.windows import overlap_of
from wordalign.types import Ints


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


def find_frame(tokenizer: Any, size: int) -> Frame:
    """What this tokenizer puts around a text."""
    for sample in ("a", "1", ".", *tokenizer.convert_ids_to_tokens(range(min(len(tokenizer), 20)))):
        encoded = tokenizer([sample], is_split_into_words=True, return_special_tokens_mask=True)
        ids, special = encoded["input_ids"], encoded["special_tokens_mask"]
        if 0 in special:
            first, last = special.index(0), len(special) - special[::-1].index(0)
            return Frame(tuple(ids[:first]), tuple(ids[last:]), size)
    return Frame(tuple(tokenizer([], is_split_into_words=True)["input_ids"]), (), size)


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
    """For each window its sentence, its first subword, how many it has, and which of them are kept."""
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
