"""The sentences of the summary follow the numbers."""

from __future__ import annotations

import pytest
from reproduction.claims import CLAIMS, summary
from reproduction.claims.comparison import static_numbers, static_subwords
from reproduction.claims.extraction import itermax_better, itermax_trade
from reproduction.claims.finding import AGREES, DIFFERS, NOT_RUN, PARTLY, judged
from reproduction.claims.text import line_above, symmetrisation


@pytest.mark.parametrize(
    ("hits", "cases", "expected"),
    [(0, 0, NOT_RUN), (3, 3, AGREES), (2, 3, PARTLY), (1, 2, DIFFERS), (0, 1, DIFFERS)],
)
def test_verdicts(hits, cases, expected):
    assert judged(hits, cases, "claim", "found").verdict == expected


def test_without_results_nothing_is_claimed():
    assert {claim({}).verdict for claim in CLAIMS} == {NOT_RUN}
    text = summary({})
    assert f"{len(CLAIMS)} could not be tested here" in text
    assert "What agrees" not in text


def itermax(precisions, recalls, f1s):
    settings = ("1", "2 0.9", "3 0.9")
    cells = [
        {"system": "base", "label": "base", "language": "deu", "setting": setting,
         "scores": {"precision": precision, "recall": recall, "f1": f1}}
        for setting, precision, recall, f1 in zip(settings, precisions, recalls, f1s, strict=True)
    ]  # fmt: skip
    return {"itermax": {"cells": cells}}


def test_itermax():
    as_in_the_paper = itermax((0.9, 0.8, 0.7), (0.5, 0.6, 0.7), (0.64, 0.68, 0.7))
    assert itermax_trade(as_in_the_paper).verdict == AGREES
    assert itermax_better(as_in_the_paper).verdict == AGREES
    assert itermax_better(as_in_the_paper).reason == ""
    worse = itermax((0.9, 0.8, 0.85), (0.7, 0.71, 0.7), (0.79, 0.75, 0.76))
    assert itermax_trade(worse).verdict == DIFFERS
    assert itermax_better(worse).verdict == DIFFERS
    assert "`base` −.040" in itermax_better(worse).found
    assert "mostly wrong" in itermax_better(worse).reason


def test_symmetrisation_counts_on_two_digits_as_the_paper_did():
    scores = {
        "intersection": {"precision": 0.9, "recall": 0.6, "f1": 0.7249},
        "grow-diag-final-and": {"precision": 0.8, "recall": 0.7, "f1": 0.7151},
    }
    cells = [
        {"system": "eflomal", "language": "deu", "heuristic": name, "scores": found}
        for name, found in scores.items()
    ]
    found = symmetrisation({"symmetrisation": {"cells": cells}})
    assert "wins 0 times, loses 0 and ties 1" in found.found
    assert found.verdict == PARTLY


def test_the_line_is_above_or_not():
    def result(line):
        point = {"system": "eflomal", "level": "word", "pairs": 10, "text_pairs": 10, "scores": {"f1": 0.7}}
        flat = {"system": "base", "level": "word", "scores": {"f1": line}}
        return {"learning_curve": {"points": [point], "flat": [flat]}}

    assert line_above(result(0.8)).verdict == AGREES
    assert line_above(result(0.6)).verdict == DIFFERS
    assert "−.100 from eflomal with 10" in line_above(result(0.6)).found


def static(maps, **f1s):
    """Cells named word_deu and so on."""
    cells = [
        {"system": "fasttext", "kind": "static", "level": name.split("_")[0], "method": "argmax",
         "language": name.split("_")[1], "scores": {"f1": f1}, "paper": {"f1": 0.6}}
        for name, f1 in f1s.items()
    ]  # fmt: skip
    return {"main_comparison": {"cells": cells, "maps": maps}}


def test_static_vectors():
    near = static({"word/eng-deu": {"good": True}}, word_deu=0.59, subword_deu=0.5)
    assert static_numbers(near).verdict == AGREES
    assert static_subwords(near).verdict == AGREES
    assert "deu −.090" in static_subwords(near).found
    assert static_numbers(static({}, word_deu=0.4)).verdict == DIFFERS
    assert static_subwords(static({}, word_deu=0.4)).verdict == NOT_RUN
    assert static_subwords(static({}, word_deu=0.4, subword_deu=0.5)).verdict == DIFFERS


def test_a_failed_map_is_no_number():
    maps = {
        "word/eng-deu": {"good": True},
        "word/eng-hin": {"good": False},
        "subword/eng-deu": {"good": False},
    }
    results = static(maps, word_deu=0.59)
    assert static_numbers(results).verdict == PARTLY
    assert "No map to English was found for hin" in static_numbers(results).found
    assert static_subwords(results).verdict == NOT_RUN
    assert "The map of subwords failed where that of words did not: deu" in static_subwords(results).found
