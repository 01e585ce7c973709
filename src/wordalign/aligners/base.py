"""What every aligner does, however it finds its links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping

from wordalign.text.pairs import PairLike, SentenceLike
from wordalign.types import Alignment


class BaseAligner(ABC):
    """Links the words of a sentence to the words of its translation.

    Whatever takes an aligner takes any of these. A sentence is a list of words, or a string of raw text,
    which is split by the Unicode word rules. An aligner may find links in several ways at once: `methods`
    names them, and the first is the one that `align`, `align_batch` and `stream` answer with.
    """

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The keys of what `stream_methods` gives for each pair."""

    @abstractmethod
    def stream_methods(
        self, pairs: Iterable[PairLike], workers: int = 1
    ) -> Iterator[Mapping[str, Alignment]]:
        """Like `stream`, but for every method of the aligner at once: what they share is done once."""

    @abstractmethod
    def signature(self, method: str | None = None) -> str:
        """All that the links and scores of a method depend on, so that two scores can be compared."""

    def align(self, source: SentenceLike, target: SentenceLike) -> Alignment:
        """The links of one pair."""
        return self.align_batch([(source, target)])[0]

    def align_batch(self, pairs: Iterable[PairLike]) -> list[Alignment]:
        """The links of many pairs, in order."""
        return list(self.stream(pairs))

    def stream(self, pairs: Iterable[PairLike], workers: int = 1) -> Iterator[Alignment]:
        """The links of any number of pairs, in order and in bounded memory.

        `workers` is the number of processes that share the work: 1 is this process alone, 0 what is best for
        the model and the machine. The links do not depend on it.
        """
        first = self.methods[0]
        return (by_method[first] for by_method in self.stream_methods(pairs, workers))
