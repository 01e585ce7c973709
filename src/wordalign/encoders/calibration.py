"""Similarity -> probability that a link is right, for models that have learned it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordalign.types import Floats


@dataclass(frozen=True, slots=True)
class Calibration:
    """The log odds of a link at some similarities, both rising, straight lines between them.

    >>> curve = Calibration((0.0, 0.5, 1.0), (-4.0, -2.0, 2.0))
    >>> float(curve(np.array(0.75)))
    0.5
    >>> curve.similarity_at(0.5)
    0.75
    """

    similarity: tuple[float, ...]
    log_odds: tuple[float, ...]

    def __call__(self, similarity: Floats) -> Floats:
        probability: Floats = 1 / (1 + np.exp(-np.interp(similarity, self.similarity, self.log_odds)))
        return probability

    def similarity_at(self, probability: float) -> float:
        """The smallest similarity with at least that probability; above 1 where there is none."""
        if not 0 < probability < 1:
            return 0.0 if probability <= 0 else 2.0
        wanted = math.log(probability / (1 - probability))
        above = next((k for k, value in enumerate(self.log_odds) if value >= wanted), None)
        if above is None:
            return 2.0
        span = slice(max(above - 1, 0), above + 1)
        return float(np.interp(wanted, self.log_odds[span], self.similarity[span]))
