"""Gold sets on disk, scores of links, probabilities, and the thresholds that are chosen by them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers", reason="the training requirements are not installed: tokenizers")

from training.calibration import (
    ScoredSet,
    calibration_error,
    fit_calibration,
    fit_curve,
    fit_line,
    scored_set,
)
from training.metrics import GoldSet, links_of, read_gold, score_links

from wordalign.encoders.calibration import Calibration
from wordalign.links import argmax
from wordalign.tuning.choose import ALWAYS, MUTUAL, Cells, choose_thresholds, grid

SIMILARITY = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.8], [0.85, 0.2, 0.1]])
STRAIGHT = Calibration(8.0, -1.0, (-30.0, 30.0), (-30.0, 30.0))


def test_links_of_the_packages_methods() -> None:
    assert links_of(argmax(SIMILARITY)) == {(0, 0), (1, 2)}
    assert links_of(argmax(np.zeros((2, 0)))) == set()


def test_two_sentences_of_one_language_have_numbered_files(tmp_path: Path) -> None:
    folder = tmp_path / "eng-eng.edits"
    folder.mkdir()
    for name, text in (("eng1", "a b"), ("eng2", "a c"), ("gold", "0-0 1p1")):
        (folder / f"{name}.txt").write_text(text + "\n")
    gold = read_gold(folder)
    assert (gold.english, gold.other) == ([["a", "b"]], [["a", "c"]])
    assert (gold.sure, gold.possible) == ([{(0, 0)}], [{(0, 0), (1, 1)}])


@pytest.mark.parametrize(
    ("name", "complete"), [("eng-a.x", True), ("a-b.composed", False), ("eng-a.silver", False)]
)
def test_sets_whose_missing_links_may_be_right_are_not_chosen_by(name: str, complete: bool) -> None:
    assert GoldSet(name, [], [], [], []).complete is complete


def test_cells_that_may_not_be_linked_do_not_count() -> None:
    gold = GoldSet("eng-xxx", [["a", "b", "c"]], [["d", "e", "f"]], [{(0, 0)}], [{(0, 0), (1, 2)}])
    found = scored_set(gold, [SIMILARITY], STRAIGHT)
    cells = found.cells
    assert len(found.scores) == 8
    assert set(found.situations) == {"usual"}
    assert (cells.sure.sum(), cells.possible.sum(), cells.sure_links) == (1, 2, 1)
    assert sorted(cells.chance[cells.mutual]) == pytest.approx(sorted(STRAIGHT(SIMILARITY)[[0, 1], [0, 2]]))


def test_scores_count_sure_and_possible() -> None:
    gold = GoldSet("eng-xxx", [["a", "b"]], [["c", "d"]], [{(0, 0)}], [{(0, 0), (1, 1)}])
    scores = score_links(gold, [{(0, 0), (1, 1), (0, 1)}])
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == 1
    assert scores["aer"] == pytest.approx(1 - 3 / 4)


def test_silver_counts_only_labelled_words() -> None:
    gold = GoldSet("eng-xxx.silver", [["a", "b"]], [["c", "d"]], [{(0, 0)}], [{(0, 0)}])
    assert score_links(gold, [{(0, 0), (1, 1)}]) == {"right": 1.0}


def random_cells(seed: int, size: int = 300) -> Cells:
    chance = np.random.default_rng(seed)
    possible = (chance.random(size) < 0.4).astype(float)
    sure = possible * (chance.random(size) < 0.7)
    return Cells(chance.random(size), chance.random(size) < 0.3, sure, possible, int(sure.sum()) + 5)


def test_the_grid_is_the_accuracy_of_every_pair_of_thresholds() -> None:
    cells = random_cells(1)
    table = grid(cells)
    for (a, always), (m, mutual) in product(enumerate(ALWAYS[::7]), enumerate(MUTUAL[::9])):
        expected = cells.accuracy(always, min(always, mutual))
        assert table[7 * a, 9 * m] == pytest.approx(expected)
    always, mutual = choose_thresholds({"one": cells})
    assert cells.accuracy(always, mutual) == pytest.approx(table.max())


def test_a_curve_is_found_again_and_sets_count_the_same() -> None:
    chance = np.random.default_rng(0)
    scores = chance.uniform(-6, 6, 60_000)
    truth = 1 / (1 + np.exp(-(0.7 * scores + 0.5)))
    right = (chance.random(len(scores)) < truth).astype(float)
    cells = Cells(truth, np.zeros(len(scores), bool), right, right, int(right.sum()))
    curve = fit_curve([(cells, scores)], STRAIGHT)
    assert np.abs(curve.probability(scores) - truth).mean() < 0.02
    assert (np.diff(curve.log_odds) >= 0).all()
    assert calibration_error(cells, 0.3, 0.3) < 0.02
    doubled = fit_curve([(cells, scores)] * 2, STRAIGHT)
    assert doubled.scores == pytest.approx(curve.scores, abs=0.01)


def drawn_set(seed: int, shift: float, slope: float, situation: str, size: int = 20_000) -> ScoredSet:
    """Cells whose log odds are shift + slope * score."""
    chance = np.random.default_rng(seed)
    scores = chance.uniform(-5, 5, size)
    right = (chance.random(size) < 1 / (1 + np.exp(-(shift + slope * scores)))).astype(float)
    cells = Cells(np.zeros(size), np.zeros(size, bool), right, right, int(right.sum()))
    return ScoredSet(cells, scores, np.full(size, situation))


def test_a_situation_moves_and_stretches_the_usual_curve() -> None:
    usual, other = drawn_set(1, 0, 1, "usual"), drawn_set(2, -0.8, 1.4, "alike")
    assert fit_line([(other.cells, other.scores)], STRAIGHT) == pytest.approx((-0.8, 1.4), abs=0.15)
    calibration = fit_calibration([usual, other], STRAIGHT)
    assert set(calibration.situations) == {"alike"}
    for one in (usual, other):
        assert calibration_error(one.by(calibration), 0.3, 0.3) < 0.03
    assert calibration_error(other.by(fit_calibration([usual], STRAIGHT)), 0.3, 0.3) > 0.05


def test_a_set_teaches_only_the_situation_of_most_of_its_links() -> None:
    pure, strange = drawn_set(1, 0, 1, "usual"), drawn_set(2, -3, 1, "usual", 500)
    mostly = drawn_set(3, 0, 1, "unspaced")
    both = ScoredSet(
        Cells(*(np.concatenate((getattr(mostly.cells, name), getattr(strange.cells, name)))
                for name in ("chance", "mutual", "sure", "possible")), 0),
        np.concatenate((mostly.scores, strange.scores)),
        np.concatenate((mostly.situations, strange.situations)),
    )  # fmt: skip
    assert both.situation == "unspaced"
    assert fit_calibration([pure, both], STRAIGHT).log_odds == fit_calibration([pure], STRAIGHT).log_odds


def test_sentences_whose_gold_links_stop_halfway_are_not_finished() -> None:
    words = [["In", "1508", "born", "."]] * 3
    others = [["1508", "geboren", "."], ["1508", "geboren", "."], ["geboren", "1508", ".", "."]]
    links = [{(1, 0), (2, 1), (3, 2)}, {(1, 0), (2, 1)}, {(1, 1), (2, 0)}]
    assert GoldSet("eng-deu.x", words, others, links, links).finished() == [0, 2]
    assert GoldSet("eng-eng.x", words, words, links, links).finished() == [0, 1, 2]
    part = GoldSet("eng-deu.x", words, others, links, links).take([1])
    assert (part.name, part.other, part.sure) == ("eng-deu.x", others[1:2], links[1:2])
