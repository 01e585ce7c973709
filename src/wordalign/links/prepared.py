"""Pairs -> the numbers that a device needs of them, and the numbers that come back -> alignments.

    pairs --prepare--> PreparedPairs --(a device)--> FoundLinks --alignments--> Alignment

Both ends are work of the host and need no device: a process without torch can do them for another that has
one, and only arrays travel between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from wordalign.encoders.subwords import Subwords, SubwordTable, ends, runs
from wordalign.encoders.tokens import TokenizedText
from wordalign.encoders.windows import Frame, Tokens, lay_out
from wordalign.links.linker import ByMethod, Extraction, PendingLinks, Stack, Units
from wordalign.text.situations import perhaps_unusual, situation_of
from wordalign.types import Floats, Ints, Pair


@dataclass(frozen=True, slots=True, eq=False)
class DeviceUnits:
    """What is linked, words or subwords, of sentences end to end.

    `counts` units of each sentence begin at `starts`; `sizes` are the subwords of each unit, or nothing where
    subwords are the units. `groups`, where there are any, is the group of each unit.
    """

    counts: Ints
    starts: Ints
    sizes: Ints
    groups: Ints | None

    @classmethod
    def of(cls, subwords: Subwords, level: str) -> tuple[DeviceUnits, Ints]:
        """The units of these sentences, and the word of each in its sentence."""
        groups = subwords.groups
        if level == "subword":
            word = subwords.word_of_subword
            groups = None if groups is None else np.repeat(groups, subwords.counts)
            return cls(subwords.lengths, subwords.starts, np.zeros(0, dtype=np.int32), groups), word
        # A word without a subword is no unit.
        there = subwords.counts > 0
        starts = ends(there)[ends(subwords.words)]
        word = runs(np.zeros_like(subwords.words), subwords.words)[there]
        groups = None if groups is None else groups[there]
        return cls(np.diff(starts), starts, subwords.counts[there], groups), word


@dataclass(frozen=True, slots=True, eq=False)
class PreparedPairs:
    """Pairs as numbers, those with the longest sentences first: the input of a model and what is linked.

    The sentences are source and target of each pair in turns. `longest` are the subwords of each pair's
    longer side, and `situations` are those of the pairs (`text/situations.py`), both of shape (pairs,).
    """

    tokens: Tokens
    units: DeviceUnits
    longest: Ints
    situations: Sequence[str]

    def __len__(self) -> int:
        return len(self.longest)


@dataclass(frozen=True, slots=True, eq=False)
class FoundLinks:
    """The links of pairs `first` to `last` - 1 of prepared ones, as places in a stack of matrices.

    `cells` are the places, counted through the whole stack (pairs, height, width); `scores` go with them.
    """

    first: int
    last: int
    height: int
    width: int
    cells: Ints
    scores: Floats

    def result(self) -> tuple[Ints, Floats]:
        return self.cells, self.scores


# A device at work: what is asked for the links of each method in turn.
Finish: TypeAlias = Callable[[], Mapping[str, Sequence[FoundLinks]]]
# Queues prepared pairs on a device.
Queue: TypeAlias = Callable[[PreparedPairs, Extraction], Finish]


class PreparedLinker:
    """A `Linker` that does the host's two ends around any device, in this process or in another one."""

    ahead = True

    def __init__(
        self, queue: Queue, subwords: SubwordTable, frame: Frame, level: str, chunk_pairs: int
    ) -> None:
        self._queue = queue
        self.subwords = subwords
        self._frame, self._level = frame, level
        self.chunk_pairs = chunk_pairs

    def start(self, pairs: Sequence[Pair], extraction: Extraction) -> Callable[[], Iterator[ByMethod]]:
        """Queue everything that these pairs need, and wait for nothing."""
        sentences = [side.words for pair in pairs for side in (pair.source, pair.target)]
        pending = self.queue(self.subwords(sentences), extraction.situations(pairs), extraction)
        return lambda: pending().finish(pairs)

    def start_tokens(
        self, text: TokenizedText, words_of: Callable[[int], Sequence[str]], extraction: Extraction
    ) -> Callable[[], Sequence[str]]:
        """The same for pairs that are known by their tokens; what is returned gives lines of links.

        `words_of` finds the words of a sentence by its number; it is asked about few.
        """
        situations = ["usual"] * (len(text.lengths) // 2)
        if extraction.calibration is not None and extraction.calibration.situations:
            spelled = text.spellings()
            for number in perhaps_unusual(spelled.numbers, spelled.starts, spelled.unspaced).tolist():
                situations[number] = situation_of(words_of(2 * number), words_of(2 * number + 1))
        pending = self.queue(text, situations, extraction)
        return lambda: pending().pharaoh()

    def queue(
        self, text: Subwords | TokenizedText, situations: Sequence[str], extraction: Extraction
    ) -> Callable[[], PendingLinks]:
        """Queue pairs, whose sentences are sources and targets in turns, with the situation of each."""
        longest = text.lengths.reshape(-1, 2).max(axis=1, initial=0)
        # The longest first: if the memory is too small, that shows at once.
        order = np.argsort(-longest, kind="stable")
        subwords = text.take(np.repeat(2 * order, 2) + np.tile([0, 1], len(order)))
        units, word = DeviceUnits.of(subwords, self._level)
        pending = PendingLinks(len(order), Units(word, units.starts), extraction, order)
        if not len(order):
            return lambda: pending
        tokens = lay_out(subwords, self._frame)
        sorted_situations = [situations[number] for number in order.tolist()]
        finish = self._queue(PreparedPairs(tokens, units, longest[order], sorted_situations), extraction)

        def finished() -> PendingLinks:
            for key, stacks in finish().items():
                pending.stacks[key] = [
                    Stack(np.arange(found.first, found.last), found.height, found.width, found.result)
                    for found in stacks
                ]
            return pending

        return finished
