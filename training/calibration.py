"""Scores of cells -> probabilities that a link is right, fitted on development sets. numpy only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from training.choose import Cells
from training.metrics import GoldSet
from wordalign.encoders.calibration import Calibration

# The curve of a model that was not measured yet: what it says is taken as it is.
UNMEASURED = ((-30.0, 30.0), (-30.0, 30.0))


def scored_cells(
    gold: GoldSet, similarities: list[np.ndarray], calibration: Calibration
) -> tuple[Cells, np.ndarray]:
    """All cells of a set that may be linked, with their scores; the probabilities are the calibration's."""
    scores, best, sure, possible = [], [], [], []
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
    flat = np.concatenate(scores)
    cells = Cells(
        calibration.probability(flat),
        np.concatenate(best),
        np.concatenate(sure).astype(float),
        np.concatenate(possible).astype(float),
        sum(map(len, gold.sure)),
    )
    return cells, flat


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
