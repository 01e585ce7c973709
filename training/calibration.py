"""Scores of cells -> probabilities that a link is right, fitted on development sets. numpy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from training.metrics import GoldSet
from wordalign.encoders.calibration import Calibration
from wordalign.text.situations import SITUATIONS, situation_of
from wordalign.tuning.calibrate import fit_log_odds
from wordalign.tuning.choose import Cells

# The curve of a model that was not measured yet: what it says is taken as it is.
UNMEASURED = ((-30.0, 30.0), (-30.0, 30.0))
# Cells with lower log odds, a probability below a quarter, are hardly ever linked and do not count.
FAR_BELOW = -1.1


@dataclass(frozen=True, slots=True, eq=False)
class ScoredSet:
    """The cells of a set that may be linked, with the score and the situation of each: arrays (cells,)."""

    cells: Cells
    scores: np.ndarray
    situations: np.ndarray

    @property
    def situation(self) -> str:
        """That of most right cells: the set teaches what probabilities are in this one alone."""
        found = self.situations[self.cells.possible > 0]
        return max(SITUATIONS, key=lambda situation: int((found == situation).sum()))

    def by(self, calibration: Calibration) -> Cells:
        """The cells with the probabilities that this calibration gives them."""
        chance = np.zeros(len(self.scores))
        for situation in SITUATIONS:
            here = self.situations == situation
            chance[here] = calibration.in_situation(situation).probability(self.scores[here])
        return replace(self.cells, chance=chance)


def scored_set(gold: GoldSet, similarities: list[np.ndarray], calibration: Calibration) -> ScoredSet:
    """All cells of a set that may be linked; the scores and the probabilities are the calibration's."""
    scores, best, sure, possible, situations = [], [], [], [], []
    for number, matrix in enumerate(similarities):
        allowed = matrix > 0
        if not allowed.any():
            continue
        score = calibration.score(matrix)
        top = (score >= score.max(1, keepdims=True)) & (score >= score.max(0, keepdims=True))
        for found, links in ((sure, gold.sure[number]), (possible, gold.possible[number])):
            truth = np.zeros(matrix.shape, bool)
            for i, j in links:
                if i < matrix.shape[0] and j < matrix.shape[1]:
                    truth[i, j] = True
            found.append(truth[allowed])
        scores.append(score[allowed])
        best.append(top[allowed])
        situation = situation_of(gold.english[number], gold.other[number])
        situations.append(np.full(int(allowed.sum()), SITUATIONS.index(situation), np.int8))
    flat = np.concatenate(scores)
    cells = Cells(
        np.zeros(len(flat)),
        np.concatenate(best),
        np.concatenate(sure).astype(float),
        np.concatenate(possible).astype(float),
        sum(map(len, gold.sure)),
    )
    found_set = ScoredSet(cells, flat, np.asarray(SITUATIONS)[np.concatenate(situations)])
    return replace(found_set, cells=found_set.by(calibration))


def fit_calibration(sets: Sequence[ScoredSet], base: Calibration) -> Calibration:
    """A curve for the usual pairs, and the same curve moved and stretched for those in other situations.

    Few sets are of other situations, so that only two numbers are learned for each.
    """
    parts = {
        situation: [_of_own_situation(one) for one in sets if one.situation == situation]
        for situation in SITUATIONS
    }
    usual = fit_curve(parts.pop("usual") or [_of_own_situation(one) for one in sets], base)
    situations = {}
    for situation, known in parts.items():
        if known:
            shift, slope = fit_line(known, usual)
            situations[situation] = tuple(round(shift + slope * odds, 4) for odds in usual.log_odds)
    return replace(usual, situations=situations)


def fit_curve(parts: list[tuple[Cells, np.ndarray]], base: Calibration, bins: int = 24) -> Calibration:
    """Shares of right cells in bins of the score, made rising by pooling neighbours; every set counts the
    same."""
    values = np.concatenate([scores for _, scores in parts])
    right = np.concatenate([cells.possible for cells, _ in parts])
    weights = np.concatenate(
        [np.full(len(scores), 1 / max(cells.possible.sum(), 1)) for cells, scores in parts]
    )
    order = np.argsort(values)
    values, right, weights = values[order], right[order], weights[order]
    # Bins hold equal numbers of right cells, so that they are fine where links are.
    mass = np.cumsum(weights * (right + 0.002))
    bin_of = np.minimum((mass / mass[-1] * bins).astype(int), bins - 1)
    pools: list[list[float]] = []  # weight, right, sum of scores
    for number in range(bins):
        chosen = bin_of == number
        if not chosen.any():
            continue
        pools.append([part[chosen].sum() for part in (weights, weights * right, weights * values)])
        while len(pools) > 1 and pools[-2][1] / pools[-2][0] >= pools[-1][1] / pools[-1][0]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    places = [pool[2] / pool[0] for pool in pools]
    shares = np.clip([pool[1] / pool[0] for pool in pools], 1e-6, 0.9995)
    odds = np.log(shares / (1 - shares)).tolist()
    # Beyond the outermost bins the score itself is the log odds, as far as that rises.
    places = [min(places[0] - 1, -30.0), *places, max(places[-1] + 1, 30.0)]
    odds = [min(odds[0] - 1, -20.0), *odds, odds[-1] + 0.5]
    return replace(
        base,
        scores=tuple(round(float(value), 4) for value in places),
        log_odds=tuple(round(float(value), 4) for value in odds),
    )


def fit_line(parts: list[tuple[Cells, np.ndarray]], usual: Calibration) -> tuple[float, float]:
    """(shift, slope): shift + slope * log odds of the usual curve explains best which cells are right.

    Logistic regression on the cells that might be linked, by Newton's method; every set counts the same.
    """
    odds = [np.interp(scores, usual.scores, usual.log_odds) for _, scores in parts]
    near = [found > FAR_BELOW for found in odds]
    values = np.concatenate([found[here] for found, here in zip(odds, near, strict=True)])
    right = np.concatenate([cells.possible[here] for (cells, _), here in zip(parts, near, strict=True)])
    weights = np.concatenate(
        [
            np.full(int(here.sum()), 1 / max(cells.possible.sum(), 1))
            for (cells, _), here in zip(parts, near, strict=True)
        ]
    )
    return fit_log_odds(values, right, weights)


def _of_own_situation(one: ScoredSet) -> tuple[Cells, np.ndarray]:
    here = one.situations == one.situation
    arrays = (part[here] for part in (one.cells.chance, one.cells.mutual, one.cells.sure, one.cells.possible))
    return Cells(*arrays, one.cells.sure_links), one.scores[here]


def reliability(cells: Cells) -> list[dict[str, float]]:
    """For each tenth of the probability: how many cells, mean probability, share right."""
    rows = []
    for tenth in range(10):
        chosen = np.minimum((cells.chance * 10).astype(int), 9) == tenth
        if chosen.any():
            rows.append(
                {
                    "from": tenth / 10,
                    "cells": int(chosen.sum()),
                    "said": round(float(cells.chance[chosen].mean()), 4),
                    "right": round(float(cells.possible[chosen].mean()), 4),
                }
            )
    return rows


def calibration_error(cells: Cells, always: float, mutual: float) -> float:
    """Mean distance between said and true share over tenths, counted over the links that are made."""
    made = cells.linked(always, mutual)
    if not made.any():
        return 0.0
    said, right = cells.chance[made], cells.possible[made]
    tenth = np.minimum((said * 10).astype(int), 9)
    return float(
        sum(
            abs(said[tenth == t].mean() - right[tenth == t].mean()) * (tenth == t).mean()
            for t in np.unique(tenth)
        )
    )
