"""A tuned model's own calibration: probabilities that are right on average, and the thresholds for links.

The parent's curve from scores to log odds is moved and stretched, which takes two numbers, so that it fits
the tuned model: to what the parent says of sentences in many languages, for which it was calibrated, and to
held-out gold links where there are enough of them. Both count the same, so that one language's gold links
do not decide how freely words are linked in all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordalign.aligners.neural import Aligner
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.onnx_file import Array
from wordalign.links.similarity import SimilarityMatrix
from wordalign.text.situations import situation_of
from wordalign.tuning.choose import ALWAYS, MUTUAL, Cells, grid
from wordalign.types import GoldAlignment, Link, Pair

# Cells with lower log odds are hardly ever links, whatever the model.
FAR_BELOW = -4.0
ENOUGH_LINKS = 200
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A cell is linked above `always`, or above `mutual` if it is the best of its row and its column."""

    always: float
    mutual: float


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPair:
    """The cells of a pair that may be linked: their places (cells, 2) in words, scores, which are mutual.

    `situation` is that of the pair.
    """

    places: Array
    scores: Array
    mutual: Array
    situation: str = "usual"

    @classmethod
    def of(cls, pair: Pair, matrix: SimilarityMatrix, calibration: Calibration) -> ScoredPair:
        situation = situation_of(pair.source.words, pair.target.words)
        score = calibration.score(matrix.similarity)
        rows, columns = np.nonzero(matrix.similarity > 0)
        if not len(rows):
            return cls(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0, bool), situation)
        best = (score >= score.max(1, keepdims=True)) & (score >= score.max(0, keepdims=True))
        places = np.stack((matrix.word_of_row[rows], matrix.word_of_column[columns]), axis=1)
        return cls(places, score[rows, columns], best[rows, columns], situation)

    def probability(self, calibration: Calibration) -> Array:
        """The probabilities of the cells."""
        return calibration.in_situation(self.situation).probability(self.scores)

    def log_odds(self, calibration: Calibration) -> Array:
        """The log odds of the cells."""
        curve = calibration.in_situation(self.situation)
        return np.interp(self.scores, curve.scores, curve.log_odds)

    def truth(self, links: frozenset[Link]) -> Array:
        """Which cells these links are, as 0 and 1."""
        return np.array([tuple(place) in links for place in self.places.tolist()], dtype=np.float64)


def score_pairs(aligner: Aligner, pairs: Sequence[Pair]) -> list[ScoredPair]:
    """The cells of many pairs with the scores that an aligner's model gives them."""
    calibration = aligner.encoder.calibration
    assert calibration is not None
    matrices = aligner.matrices(pairs)
    return [ScoredPair.of(pair, matrix, calibration) for pair, matrix in zip(pairs, matrices, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Pairs with what is known of their cells: how right each is, (cells,) a pair, and the links."""

    scored: Sequence[ScoredPair]
    right: Sequence[Array]
    gold: Sequence[GoldAlignment]

    @classmethod
    def by_gold(cls, scored: Sequence[ScoredPair], gold: Sequence[GoldAlignment]) -> Judged:
        right = [pair.truth(links.possible) for pair, links in zip(scored, gold, strict=True)]
        return cls(scored, right, gold)

    @classmethod
    def by_model(
        cls,
        scored: Sequence[ScoredPair],
        theirs: Sequence[ScoredPair],
        calibration: Calibration,
        thresholds: Thresholds,
    ) -> Judged:
        """By what another model, with its own calibration and thresholds, says of the same pairs."""
        right, gold = [], []
        for ours, other in zip(scored, theirs, strict=True):
            chances = other.probability(calibration).tolist()
            chance_of = dict(zip(map(tuple, other.places.tolist()), chances, strict=True))
            right.append(np.array([chance_of.get((i, j), 0.0) for i, j in ours.places.tolist()]))
            links = frozenset(links_of(other, calibration, thresholds))
            gold.append(GoldAlignment(links, links))
        return cls(scored, right, gold)

    @property
    def links(self) -> int:
        return sum(len(links.possible) for links in self.gold)

    def cells(self, calibration: Calibration) -> Cells:
        """All cells, with the probabilities that a calibration gives them."""
        both = list(zip(self.scored, self.gold, strict=True))
        return Cells(
            np.concatenate([pair.probability(calibration) for pair in self.scored]),
            np.concatenate([pair.mutual for pair in self.scored]),
            np.concatenate([pair.truth(links.sure) for pair, links in both]),
            np.concatenate([pair.truth(links.possible) for pair, links in both]),
            sum(len(links.sure) for links in self.gold),
        )

    def take(self, places: Sequence[int]) -> Judged:
        """Only these pairs."""
        return Judged(*([part[place] for place in places] for part in (self.scored, self.right, self.gold)))  # type: ignore[arg-type]


def fit_log_odds(odds: Array, right: Array, weights: Array) -> tuple[float, float]:
    """(shift, slope): shift + slope * odds are the log odds that explain best how right the cells are.

    Logistic regression by Newton's method; `right` lies between 0 and 1.

    >>> odds = np.array([-2.0, -2.0, 2.0, 2.0])
    >>> shift, slope = fit_log_odds(odds, 1 / (1 + np.exp(-(1 + 0.5 * odds))), np.ones(4))
    >>> round(shift, 3), round(slope, 3)
    (1.0, 0.5)
    """
    inputs = np.stack((np.ones_like(odds), odds), axis=1)
    line = np.array([0.0, 1.0])
    for _ in range(30):
        said = 1 / (1 + np.exp(-inputs @ line))
        bend = (inputs * (weights * said * (1 - said))[:, None]).T @ inputs + 1e-9 * np.eye(2)
        line = line - np.clip(np.linalg.solve(bend, inputs.T @ (weights * (said - right))), -1, 1)
    return float(line[0]), float(line[1])


def fitted(calibration: Calibration, parts: Sequence[Judged]) -> Calibration:
    """The calibration with its curve moved and stretched to how right cells are; parts count the same."""
    odds, right, weights = [], [], []
    for part in parts:
        found = np.concatenate([pair.log_odds(calibration) for pair in part.scored])
        near = found > FAR_BELOW
        odds.append(found[near])
        right.append(np.concatenate(list(part.right))[near])
        weights.append(np.full(int(near.sum()), 1 / max(part.links, 1)))
    shift, slope = fit_log_odds(np.concatenate(odds), np.concatenate(right), np.concatenate(weights))
    if not 0.2 < slope < 5:  # the cells say nothing about a curve
        return calibration
    return moved(calibration, shift, slope)


def moved(calibration: Calibration, shift: float, slope: float) -> Calibration:
    """The same curves, all of them moved and stretched."""

    def line(odds: Sequence[float]) -> tuple[float, ...]:
        return tuple(round(shift + slope * value, 4) for value in odds)

    situations = {name: line(odds) for name, odds in calibration.situations.items()}
    return replace(calibration, log_odds=line(calibration.log_odds), situations=situations)


def smooth_thresholds(parts: Sequence[Judged], calibration: Calibration) -> Thresholds:
    """The thresholds with the best mean AER over the parts, among like ones: few pairs are a poor guide."""
    mean = np.mean([grid(part.cells(calibration)) for part in parts], axis=0)
    smooth = _blurred(_blurred(mean))
    a, m = np.unravel_index(int(smooth.argmax()), smooth.shape)
    return Thresholds(float(ALWAYS[a]), float(min(MUTUAL[m], ALWAYS[a])))


def _blurred(values: Array) -> Array:
    """The mean of every cell and its neighbours up to two steps away."""
    padded = np.pad(values, 2, mode="edge")
    rows, columns = values.shape
    shifted = [padded[i : i + rows, j : j + columns] for i in range(5) for j in range(5)]
    mean: Array = np.mean(shifted, axis=0)
    return mean


def links_of(scored: ScoredPair, calibration: Calibration, thresholds: Thresholds) -> set[Link]:
    """The links of a pair by these thresholds."""
    chance = scored.probability(calibration)
    made = (chance > thresholds.always) | (scored.mutual & (chance > thresholds.mutual))
    return {(int(i), int(j)) for i, j in scored.places[made]}


def calibrated(calibration: Calibration, parts: Sequence[Judged]) -> tuple[Calibration, Thresholds]:
    """The curve and the thresholds that suit these parts; those with few links have no say in the curve."""
    curve = fitted(calibration, [part for part in parts if part.links >= ENOUGH_LINKS])
    return curve, smooth_thresholds(parts, curve)


def held_out_links(calibration: Calibration, held_out: Judged, others: Judged) -> list[set[Link]]:
    """The links of held-out pairs, each by a curve and thresholds that were chosen on other ones."""
    count = len(held_out.scored)
    found: list[set[Link]] = [set()] * count
    for fold in range(FOLDS):
        rest = held_out.take([place for place in range(count) if place % FOLDS != fold])
        chosen = calibrated(calibration, [rest, others])
        for place in range(fold, count, FOLDS):
            found[place] = links_of(held_out.scored[place], *chosen)
    return found
