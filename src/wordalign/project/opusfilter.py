"""The score of a pair as a filter of OpusFilter, which loads it by the names of this module and its class.

filters:
  - TranslationFilter: {threshold: 0.5}
    module: wordalign.project.opusfilter
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import Any

from wordalign.aligners.neural import Aligner
from wordalign.errors import MissingExtraError, UsageError

try:
    from opusfilter import CLEAN_HIGH, FilterABC
except ImportError as error:
    raise MissingExtraError("Filters of OpusFilter", "opusfilter") from error


class TranslationFilter(FilterABC):  # type: ignore[misc]
    """Keeps pairs that are translations of each other with at least the probability `threshold`.

    `model` is a model of wordalign, and `workers` the number of processes (0 is what suits the machine).
    """

    score_direction = CLEAN_HIGH
    accept_threshold = 0
    reject_threshold = 1 + 10**-6

    def __init__(
        self, threshold: float = 0.5, model: str | None = None, workers: int = 1, **options: Any
    ) -> None:
        if not 0 <= threshold <= 1:
            raise UsageError(f"The threshold of a TranslationFilter lies between 0 and 1, not {threshold}.")
        self.threshold, self._workers = threshold, workers
        self._aligner = Aligner(model)
        super().__init__(**options)

    def score(self, pairs: Iterable[Any]) -> Iterator[float]:
        """A probability for each pair; OpusFilter gives pairs as lists of two texts."""
        texts = ((source, target) for source, target in pairs)
        for alignment in self._aligner.stream(texts, workers=self._workers):
            yield alignment.score

    def accept(self, score: float) -> bool:
        return score >= self.threshold

    def filter(self, pairs: Iterable[Any]) -> Iterator[Any]:
        """The pairs that are kept; many are aligned together, which is faster than one by one."""
        return self._chosen(pairs, True)

    def filterfalse(self, pairs: Iterable[Any]) -> Iterator[Any]:
        return self._chosen(pairs, False)

    def _chosen(self, pairs: Iterable[Any], accepted: bool) -> Iterator[Any]:
        shown, scored = tee(pairs)
        for pair, score in zip(shown, self.score(scored), strict=True):
            if self.accept(score) is accepted:
                yield pair
