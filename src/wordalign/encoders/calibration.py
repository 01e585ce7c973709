"""Similarities -> probabilities that links are right, for models that have learned it.

How alike two words are does not say whether they are linked: in a sentence about cats and dogs, or in two
sentences of one language, many words are alike. So a cell's score also says how large its share is among the
cells of its row and of its column:

    score = scale * cosine + bias + larger * max(r, c) + smaller * min(r, c)

where r and c are the logarithms of the softmax of `sharpness * cosine` over the row and over the column. The
probability is a rising function of the score, measured on development sets: one curve for the usual pair, and
others for situations in which the same score means more or less (`text/situations.py`).

Scores have six digits after the point, so that cells that are equally good stay so in whatever order their
neighbours are summed up, here, in a padded stack or in a browser.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wordalign.types import Floats

# Larger matrices are scored some rows at a time, because each step would take a copy of its own. Those of
# usual sentences are far smaller.
PART_CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Calibration:
    """The log odds of a link at some scores, both rising, straight lines between them.

    `situations` has the log odds at the same scores for pairs that are not the usual; `in_situation` takes
    one.

    >>> curve = Calibration(scale=8.0, bias=-2.0, scores=(-4.0, 0.0, 4.0), log_odds=(-4.0, 0.0, 2.0))
    >>> curve(np.array([[0.875, 0.625]])).round(2).tolist()  # cosines of 0.75 and 0.25
    [[0.88, 0.5]]
    """

    scale: float
    bias: float
    scores: tuple[float, ...]
    log_odds: tuple[float, ...]
    sharpness: float = 0.0
    larger: float = 0.0
    smaller: float = 0.0
    situations: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any]) -> Calibration:
        """What `model.json` says of it."""
        curve = {name: tuple(map(float, facts[name])) for name in ("scores", "log_odds")}
        score = {name: float(facts[name]) for name in ("scale", "bias", "sharpness", "larger", "smaller")}
        others = facts.get("situations", {}).items()
        situations = {name: tuple(map(float, odds)) for name, odds in others}
        return cls(**score, **curve, situations=situations)  # type: ignore[arg-type]

    def in_situation(self, situation: str) -> Calibration:
        """The curve for pairs in that situation, which knows no others; the usual one where there is none."""
        if not self.situations:
            return self
        return replace(self, log_odds=self.situations.get(situation, self.log_odds), situations={})

    def __call__(self, similarity: Floats) -> Floats:
        """The probability of every cell of matrices (..., m, n); 0 where the similarity is 0."""
        return np.where(similarity > 0, self.probability(self.score(similarity)), 0.0)

    def score(self, similarity: Floats) -> Floats:
        """The score of every cell of matrices (..., m, n); minus infinity where the similarity is 0."""
        *_, rows, columns = similarity.shape
        if similarity.size <= PART_CELLS:
            return self._score(similarity, None)
        some_columns = (similarity[..., part] for part in _parts(columns, similarity.size))
        norms = [_norms(self._sharp(part), -2) for part in some_columns]
        norms_of_columns = tuple(np.concatenate(found, axis=-1) for found in zip(*norms, strict=True))
        score = np.empty(similarity.shape)
        for part in _parts(rows, similarity.size):
            score[..., part, :] = self._score(similarity[..., part, :], norms_of_columns)
        return score

    def _score(self, similarity: Floats, norms_of_columns: tuple[Floats, ...] | None) -> Floats:
        """The same of some rows, given the norms of whole columns; None where these rows are all."""
        score = self.scale * _cosine(similarity) + self.bias
        if self.larger or self.smaller:
            sharp = self._sharp(similarity)
            row = _log_softmax(sharp, *_norms(sharp, -1))
            column = _log_softmax(sharp, *(norms_of_columns or _norms(sharp, -2)))
            # Cells that take no part are infinite here, and 0 times infinity is no number.
            with np.errstate(invalid="ignore"):
                score += self.larger * np.maximum(row, column) + self.smaller * np.minimum(row, column)
        return np.where(similarity > 0, np.round(score, 6), -np.inf)

    def _sharp(self, similarity: Floats) -> Floats:
        """What the softmax is of; minus infinity for cells that take no part in it."""
        return np.where(similarity > 0, self.sharpness * _cosine(similarity), -np.inf)

    def probability(self, score: Floats) -> Floats:
        """The probability of a link with this score."""
        probability: Floats = 1 / (1 + np.exp(-np.interp(score, self.scores, self.log_odds)))
        return probability

    def score_at(self, probability: float) -> float:
        """The smallest score with at least that probability; infinite where there is none."""
        if not 0 < probability < 1:
            return -math.inf if probability <= 0 else math.inf
        wanted = math.log(probability / (1 - probability))
        above = next((k for k, value in enumerate(self.log_odds) if value >= wanted), None)
        if above is None:
            return math.inf
        if above == 0:
            return -math.inf
        span = slice(above - 1, above + 1)
        return float(np.interp(wanted, self.log_odds[span], self.scores[span]))

    def facts(self) -> dict[str, Any]:
        """What `from_facts` reads: for `model.json`, and for those who compute the same elsewhere."""
        return {**{name: getattr(self, name) for name in self.__slots__}, "situations": dict(self.situations)}


def _cosine(similarity: Floats) -> Floats:
    cosine: Floats = 2 * similarity.astype(np.float64) - 1
    return cosine


def _parts(length: int, cells: int) -> list[slice]:
    """Slices of that many rows or columns, each of about PART_CELLS of all cells."""
    step = max(1, length * PART_CELLS // cells)
    return [slice(start, start + step) for start in range(0, length, step)]


def _norms(values: Floats, axis: int) -> tuple[Floats, Floats]:
    """What `_log_softmax` needs to know of each row or column: its largest value, and its sum."""
    with np.errstate(divide="ignore"):
        top = values.max(axis=axis, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0)
        return top, np.log(np.exp(values - top).sum(axis=axis, keepdims=True))


def _log_softmax(values: Floats, top: Floats, log_sum: Floats) -> Floats:
    """The logarithm of the softmax along an axis; minus infinity where the value is."""
    with np.errstate(invalid="ignore"):
        logs: Floats = values - top - log_sum
    return logs
