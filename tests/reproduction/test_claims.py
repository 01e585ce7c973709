"""The sentences of the summary follow the numbers."""

from __future__ import annotations

import pytest
from reproduction.claims import CLAIMS, summary
from reproduction.claims.analyses import layers, runtime
from reproduction.claims.comparison import static_numbers, static_subwords, statistical_numbers
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


GOOD = {"mutual": 0.4, "recovered": 0.5}
FAILED = {"mutual": 0.4, "recovered": 0.01}


def test_static_vectors():
    near = static({"word/eng-deu": GOOD}, word_deu=0.59, subword_deu=0.5)
    assert static_numbers(near).verdict == AGREES
    assert static_subwords(near).verdict == AGREES
    assert "deu −.090" in static_subwords(near).found
    assert static_numbers(static({}, word_deu=0.4)).verdict == DIFFERS
    assert static_subwords(static({}, word_deu=0.4)).verdict == NOT_RUN
    assert static_subwords(static({}, word_deu=0.4, subword_deu=0.5)).verdict == DIFFERS


def test_a_failed_map_is_no_number():
    maps = {
        "word/eng-deu": GOOD,
        "word/eng-hin": FAILED,
        "subword/eng-deu": FAILED,
    }
    results = static(maps, word_deu=0.59)
    assert static_numbers(results).verdict == PARTLY
    assert "No map to English was found for hin" in static_numbers(results).found
    assert static_subwords(results).verdict == NOT_RUN
    assert "The map of subwords failed where that of words did not: deu" in static_subwords(results).found


def test_the_model_of_our_own_is_named_only_where_it_was_run():
    assert "but not that no parallel text is needed" in summary({})
    cells = [{"system": "own", "label": "own mBERT[7]", "scores": {"f1": 0.7, "recall": 0.6}, "level": "word",
              "method": "argmax", "language": "deu"}]  # fmt: skip
    text = summary({"methods": {"cells": cells}})
    assert "Own mBERT[7] has seen none" in text
    assert "tests the paper's thesis" in text


def curve(system, kind, scores):
    points = [{"language": "deu", "layer": layer, "scores": {"f1": f1}} for layer, f1 in enumerate(scores)]
    return {"system": system, "kind": kind, "label": system, "layers": len(scores), "curves": points}


def test_layers_of_bundled_models_are_no_case():
    middle, last = (
        curve("own", "huggingface", (0.3, 0.5, 0.4)),
        curve("base", "bundled", (0.3, 0.5, 0.6, 0.7)),
    )
    found = layers({"layers": {"models": [middle, last]}})
    assert found.verdict == AGREES
    assert "own with 2 layers: deu 1." in found.found
    assert "best there on 1 of 1 sets" in found.found
    assert layers({"layers": {"models": [curve("own", "huggingface", (0.3, 0.5, 0.6))]}}).verdict == DIFFERS
    assert layers({"layers": {"models": [last]}}).verdict == NOT_RUN


def test_program_or_text():
    def cell(engine, program, f1):
        return {"engine": engine, "language": "deu", "program": program, "scores": {"f1": f1}}

    def originals(theirs, giza):
        return {
            "cells": [
                cell("fast_align", "ours", 0.634),
                cell("fast_align", "fast_align -d -o -v", theirs),
                cell("fast_align", "fast_align -d -o", 0.2),
                cell("ibm4", "ours", 0.65),
                cell("ibm4", "GIZA++ with the word classes of mkcls", giza),
            ]
        }

    main_cells = [
        {"system": "fast_align", "kind": "statistical", "scores": {"f1": 0.6}, "paper": {"f1": 0.7}}
    ]
    results = {"main_comparison": {"cells": main_cells, "train_pairs": 10, "ibm4_pairs": 10}}
    assert "words are split by other rules" in statistical_numbers(results).reason
    points = [
        {"system": "fast_align", "language": "deu", "text_pairs": pairs, "scores": {"f1": f1}}
        for pairs, f1 in ((200_000, 0.7), (10_000, 0.634))
    ]
    told = results | {"originals": originals(0.633, 0.7), "learning_curve": {"languages": points}}
    reason = statistical_numbers(told).reason
    assert "its authors publish is, for fast-align/IBM2, deu +.001." in reason
    assert "its authors publish is, for Giza++/IBM4, deu −.050." in reason
    assert "deu .634 with 10,000 pairs and .700 with 200,000" in reason
    assert "IBM 4, the slowest" not in reason
    less = results["main_comparison"] | {"ibm4_subwords": 3000}
    reason = statistical_numbers(told | {"main_comparison": less}).reason
    assert "IBM 4, the slowest, had 10 (subwords: 3,000) pairs." in reason


def test_more_text_for_static_vectors():
    def cell(words, f1):
        return {"language": "deu", "words": {"deu": words}, "scores": {"f1": f1}}

    far = static({}, word_deu=0.4)
    assert "More text" not in static_numbers(far).reason
    curve = {"cells": [cell(3_100_000, 0.59), cell(800_000, 0.5)]}
    reason = static_numbers(far | {"vector_text": curve}).reason
    assert "deu has .500 with 0.8 and .590 with 3.1 million words" in reason


def test_runtime():
    def rows(**ratios):
        return {
            "runtime": {
                "rows": [
                    {"system": name.replace("_program", " program"), "label": name, "of_yardstick": ratio}
                    for name, ratio in ratios.items()
                ]
            }
        }

    assert runtime(rows(fast_align=0.8, ibm4=3.6, mbert=3.0)).verdict == AGREES
    assert runtime(rows(fast_align=0.8, ibm4=2.4, mbert=3.0)).verdict == PARTLY
    # A second model of the same shape is no case of its own.
    assert runtime(rows(fast_align=0.1, ibm4=2.4, mbert=3.0, xlmr=3.0)).verdict == DIFFERS
    ours = rows(fast_align=0.1, fast_align_program=0.1, ibm4=2.4, base=0.2, mbert=10.0)
    found = runtime(ours)
    assert found.verdict == DIFFERS
    assert "fast_align's own program" in found.reason
    assert "A model of mBERT's size takes 50 times as long" in found.reason
    assert "own program" not in runtime(rows(fast_align=0.1, fast_align_program=0.8)).reason
