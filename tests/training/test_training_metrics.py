"""Links from similarities, scores of links, and the calibration."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="the training requirements are not installed: tokenizers")

from training.calibration import cells, fit_logistic, fit_monotone, from_table, logistic, to_table
from training.metrics import GoldSet, links_of, score_links

from wordalign.links import argmax, calibrated

SIMILARITY = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.8], [0.85, 0.2, 0.1]])


def test_links_of_the_packages_methods() -> None:
    assert links_of(argmax(SIMILARITY)) == {(0, 0), (1, 2)}
    even = from_table({"cosine": [-1.0, 1.0], "log_odds": [-4.0, 4.0]})
    at = float(even(np.array(0.84)))
    assert links_of(calibrated(SIMILARITY, at, 0.5, calibration=even)) == {(0, 0), (1, 2), (2, 0)}
    assert links_of(argmax(np.zeros((2, 0)))) == set()


def test_cells_that_may_not_be_linked_do_not_count() -> None:
    gold = GoldSet("eng-xxx", [["a", "b", "c"]], [["d", "e", "f"]], [{(0, 0)}], [{(0, 0), (1, 2)}])
    values, right = cells(gold, [SIMILARITY])
    assert len(values) == 8
    assert sorted(values[right]) == [0.8, 0.9]


def test_a_table_comes_back_as_it_was() -> None:
    table = {"cosine": [-1.0, -0.116, 0.0363, 0.711, 1.0], "log_odds": [-20.3638, -6.3, -4.2916, 5.2, 7.6]}
    assert to_table(from_table(table)) == table


def test_one_logistic_curve() -> None:
    cosines = np.linspace(-1, 1, 9)
    expected = 1 / (1 + np.exp(-(8 * cosines - 4)))
    np.testing.assert_allclose(logistic(8, -4)((cosines + 1) / 2), expected)


def test_scores_count_sure_and_possible() -> None:
    gold = GoldSet("eng-xxx", [["a", "b"]], [["c", "d"]], [{(0, 0)}], [{(0, 0), (1, 1)}])
    scores = score_links(gold, [{(0, 0), (1, 1), (0, 1)}])
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == 1
    assert scores["aer"] == pytest.approx(1 - 3 / 4)


def test_silver_counts_only_labelled_words() -> None:
    gold = GoldSet("eng-xxx.silver", [["a", "b"]], [["c", "d"]], [{(0, 0)}], [{(0, 0)}])
    assert score_links(gold, [{(0, 0), (1, 1)}]) == {"right": 1.0}


def test_calibration_recovers_a_curve() -> None:
    generator = np.random.default_rng(0)
    values = generator.uniform(0, 1, 40_000)
    chance = logistic(8, -4)(values)
    right = (generator.random(40_000) < chance).astype(float)
    scale, bias = fit_logistic(values, right, np.ones(len(values)))
    assert (scale, bias) == (pytest.approx(8, rel=0.1), pytest.approx(-4, rel=0.1))
    fitted = fit_monotone(values, right, np.ones(len(values)))
    assert np.abs(fitted(values) - chance).mean() < 0.02
    assert (np.diff(fitted.log_odds) >= 0).all()
