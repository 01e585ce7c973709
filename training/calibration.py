"""Similarities -> probabilities that a link is right, fitted on development sets. numpy only.

The package's `Calibration`: log odds at a few similarities, straight lines between them. A single logistic
curve is the special case with two entries. On disk the table is in cosines, 2 * similarity - 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from training.metrics import GoldSet
from wordalign.encoders.calibration import Calibration
from wordalign.links import calibrated


def from_table(table: dict[str, Any]) -> Calibration:
    """The calibration of a report or a `model.json`: lists `cosine` and `log_odds`."""
    return Calibration(tuple((cosine + 1) / 2 for cosine in table["cosine"]), tuple(table["log_odds"]))


def to_table(calibration: Calibration) -> dict[str, list[float]]:
    """The inverse of `from_table`."""
    cosines = [round(2 * similarity - 1, 4) for similarity in calibration.similarity]
    return {"cosine": cosines, "log_odds": list(calibration.log_odds)}


def logistic(scale: float, bias: float) -> Calibration:
    """The curve with log odds scale * cosine + bias."""
    return Calibration((0.0, 1.0), (bias - scale, bias + scale))


def cells(gold: GoldSet, similarities: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """All cells of a set that may be linked: similarity, and whether a gold link (sure or possible) is there.

    In a silver set only the rows of the labelled English words.
    """
    values, right = [], []
    for matrix, possible in zip(similarities, gold.possible, strict=True):
        truth = np.zeros(matrix.shape, bool)
        for i, j in possible:
            if i < matrix.shape[0] and j < matrix.shape[1]:
                truth[i, j] = True
        allowed = matrix > 0
        if gold.silver:
            allowed &= truth.any(1, keepdims=True)
        values.append(matrix[allowed])
        right.append(truth[allowed])
    return np.concatenate(values), np.concatenate(right)


def fit_logistic(
    values: np.ndarray, right: np.ndarray, weights: np.ndarray, rounds: int = 50
) -> tuple[float, float]:
    """Scale and bias of `logistic` by Newton's method; inputs (cells,), values are similarities."""
    design = np.stack((2 * values - 1, np.ones_like(values)), axis=1)
    solution = np.array([10.0, -6.0])
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(design @ solution, -30, 30)))
        slope = design.T @ (weights * (right - chance))
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + 1e-6 * np.eye(2)
        step = np.linalg.solve(curve, slope)
        solution = solution + step * min(1.0, 5 / np.abs(step).max())
    return float(solution[0]), float(solution[1])


def fit_monotone(values: np.ndarray, right: np.ndarray, weights: np.ndarray, bins: int = 24) -> Calibration:
    """Shares of right cells in bins of the similarity, made rising by pooling neighbours that disagree."""
    order = np.argsort(values)
    values, right, weights = values[order], right[order], weights[order]
    # Bins hold equal numbers of right cells, so that they are fine where links are.
    mass = np.cumsum(weights * (right + 0.002))
    bin_of = np.minimum((mass / mass[-1] * bins).astype(int), bins - 1)
    pools: list[list[float]] = []  # weight, right, sum of similarities
    for number in range(bins):
        chosen = bin_of == number
        if not chosen.any():
            continue
        weight = weights[chosen].sum()
        pools.append([weight, (weights * right)[chosen].sum(), (weights * values)[chosen].sum()])
        while len(pools) > 1 and pools[-2][1] / pools[-2][0] >= pools[-1][1] / pools[-1][0]:
            last = pools.pop()
            pools[-1] = [a + b for a, b in zip(pools[-1], last, strict=True)]
    places = [float(pool[2] / pool[0]) for pool in pools]
    shares = np.clip([pool[1] / pool[0] for pool in pools], 1e-6, 0.9995)
    odds = np.log(shares / (1 - shares)).tolist()
    # Beyond the outermost bins the logistic curve goes on, as far as it rises.
    scale, bias = fit_logistic(values, right, weights)
    places = [0.0, *places, 1.0]
    odds = [min(odds[0], bias - scale), *odds, max(odds[-1], min(bias + scale, 7.6))]
    # Rounded as it is written, so that what is evaluated is what ships.
    rounded = Calibration(tuple(places), tuple(round(value, 4) for value in odds))
    return from_table(to_table(rounded))


def reliability(values: np.ndarray, right: np.ndarray, calibration: Calibration) -> list[dict[str, float]]:
    """For each tenth of the probability: how many cells, mean probability, share right."""
    chance = calibration(values)
    rows = []
    for low in np.arange(0, 1, 0.1):
        chosen = (chance >= low) & (chance < low + 0.1 if low < 0.89 else chance <= 1)
        if chosen.any():
            rows.append(
                {
                    "from": round(float(low), 1),
                    "cells": int(chosen.sum()),
                    "said": round(float(chance[chosen].mean()), 4),
                    "right": round(float(right[chosen].mean()), 4),
                }
            )
    return rows


def calibration_error(
    gold: GoldSet, similarities: list[np.ndarray], calibration: Calibration, always: float, best: float
) -> float:
    """Mean distance between said and true share over tenths, counted over the links that are made."""
    said, right = [], []
    for matrix, possible in zip(similarities, gold.possible, strict=True):
        chance = calibration(matrix)
        for i, j in np.argwhere(calibrated(matrix, always, best, calibration=calibration)):
            said.append(chance[i, j])
            right.append((int(i), int(j)) in possible)
    if not said:
        return 0.0
    values, truth = np.array(said), np.array(right, float)
    tenth = np.minimum((values * 10).astype(int), 9)
    return float(
        sum(
            abs(values[tenth == t].mean() - truth[tenth == t].mean()) * (tenth == t).mean()
            for t in np.unique(tenth)
        )
    )
