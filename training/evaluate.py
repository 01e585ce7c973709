"""Stage 7, evaluate: an exported model -> its probabilities, thresholds and scores.

    python -m training.evaluate --model MODEL --dev GOLD-DEV [--test GOLD] [--report report.json] [--write]

The curves from scores to probabilities, one for each situation, and the two thresholds are chosen on the
complete development sets; test sets are only scored. `--write` puts what was chosen, and what was measured of
each language, into MODEL/model.json; without it, what model.json has is used, as for a model that ships. The
report has each set's calibration error with curves that were fitted on all other sets, beside the error of
one curve for all situations.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from training.calibration import (
    UNMEASURED,
    calibration_error,
    fit_calibration,
    fit_curve,
    reliability,
    scored_set,
)
from training.metrics import GoldSet, links_of, read_sets, score_links
from training.similarity import similarities
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.links import argmax, calibrated, itermax
from wordalign.text.situations import SITUATIONS, situation_of
from wordalign.tuning.choose import choose_thresholds

Matrices = list[np.ndarray]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The curves and thresholds, and for each set how wrong the probabilities of other sets' curves are.

    `errors` by set: `held_out_error` on all its sentences, `finished_error` on those whose gold links look
    finished, and `one_curve_error` on all, with one curve for all situations.
    """

    calibration: Calibration
    always: float
    mutual: float
    errors: dict[str, dict[str, float]]


def choose(sets: list[GoldSet], matrices: list[Matrices], calibration: Calibration) -> Chosen:
    """Curves by the complete sets' finished sentences, thresholds by all sentences of these sets."""
    plain = replace(calibration, scores=UNMEASURED[0], log_odds=UNMEASURED[1], situations={})
    known, finished = {}, {}
    for gold, found in zip(sets, matrices, strict=True):
        if gold.complete:
            numbers = gold.finished()
            known[gold.name] = scored_set(gold, found, plain)
            part = [found[number] for number in numbers]
            finished[gold.name] = scored_set(gold.take(numbers), part, plain)
    curves = fit_calibration(list(finished.values()), plain)
    always, mutual = choose_thresholds({name: one.by(curves) for name, one in known.items()})
    errors = {}
    for name in known:
        others = fit_calibration([one for other, one in finished.items() if other != name], plain)
        single = fit_curve([(one.cells, one.scores) for other, one in known.items() if other != name], plain)
        cells = {
            "held_out_error": known[name].by(others),
            "finished_error": finished[name].by(others),
            "one_curve_error": known[name].by(single),
        }
        errors[name] = {
            key: round(calibration_error(found, always, mutual), 4) for key, found in cells.items()
        }
    return Chosen(curves, always, mutual, errors)


def report_set(
    gold: GoldSet, found: Matrices, calibration: Calibration, always: float, mutual: float
) -> dict[str, Any]:
    """All methods' scores on one set, links a word, and its calibration."""
    situations = [situation_of(*words) for words in zip(gold.english, gold.other, strict=True)]
    curves = {situation: calibration.in_situation(situation) for situation in SITUATIONS}
    made = {
        "argmax": [argmax(matrix) for matrix in found],
        "itermax": [itermax(matrix) for matrix in found],
        "calibrated": [
            calibrated(matrix, always, mutual, calibration=curves[situation])
            for matrix, situation in zip(found, situations, strict=True)
        ],
    }
    result: dict[str, Any] = {"situations": dict(Counter(situations))}
    for name, matrices in made.items():
        links = [links_of(matrix) for matrix in matrices]
        result[name] = {key: round(value, 4) for key, value in score_links(gold, links).items()}
    words = sum(len(words) for side in (gold.english, gold.other) for words in side) / 2
    result["links_a_word"] = round(sum(map(len, links)) / max(words, 1), 3)
    cells = scored_set(gold, found, calibration).cells
    result["reliability"] = reliability(cells)
    if not gold.silver:
        result["calibration_error"] = round(calibration_error(cells, always, mutual), 4)
    return result


def show(name: str, result: dict[str, Any]) -> str:
    """One line of the printed table."""
    columns = [f"{name:24}"]
    for method in ("argmax", "itermax", "calibrated"):
        scores = result[method]
        if "right" in scores:
            columns.append(f"{method} right {scores['right']:.3f}")
        else:
            columns.append(f"{method} F {scores['f1']:.3f} AER {scores['aer']:.3f}")
    columns.append(f"links a word {result['links_a_word']:.2f}")
    names = {
        "calibration_error": "error",
        "one_curve_error": "held out: one curve",
        "held_out_error": "by situation",
        "finished_error": "finished sentences",
    }
    for key, short in names.items():
        if key in result:
            columns.append(f"{short} {result[key]:.3f}")
    return " | ".join(columns)


def measured(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By language pair, the figures of the set that says most: a test set if there is one."""
    found: dict[str, dict[str, Any]] = {}
    for kind in ("dev", "test"):
        for name, scores in report[kind].items():
            best = scores["calibrated"]
            if "aer" in best:
                found[name.split(".")[0]] = {"set": name, "f1": best["f1"], "aer": best["aer"]}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="folder that export wrote")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, help="also score these; nothing is chosen on them")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--write", action="store_true", help="put what is chosen into model.json")
    parser.add_argument(
        "--version", help="with --write: the version's new name, since the links are no longer the same"
    )
    arguments = parser.parse_args()
    encoder = OnnxEncoder(arguments.model)
    sets = read_sets(arguments.dev)
    matrices = [similarities(gold, encoder) for gold in sets]
    path = arguments.model / "model.json"
    facts = json.loads(path.read_text())
    calibration = encoder.calibration
    always, mutual = (facts["thresholds"][name] for name in ("always", "mutual"))
    chosen = choose(sets, matrices, calibration)
    if arguments.write:
        calibration, always, mutual = chosen.calibration, chosen.always, chosen.mutual
        facts["calibration"] = calibration.facts()
        facts["thresholds"] = {"always": always, "mutual": mutual}
        if arguments.version:
            facts["version"] = arguments.version
    print(f"always above {always}, mutual best above {mutual}")
    report: dict[str, Any] = {"model": facts["name"], "version": facts["version"], "dev": {}, "test": {}}
    report["chosen"] = {"always": always, "mutual": mutual}
    for gold, found in zip(sets, matrices, strict=True):
        scores = report_set(gold, found, calibration, always, mutual)
        scores |= chosen.errors.get(gold.name, {})
        report["dev"][gold.name] = scores
        print(show(gold.name, scores), flush=True)
    for gold in read_sets(arguments.test) if arguments.test else []:
        found = similarities(gold, encoder)
        report["test"][gold.name] = report_set(gold, found, calibration, always, mutual)
        print(show("test " + gold.name, report["test"][gold.name]), flush=True)
    if arguments.write:
        for row in facts["coverage"]:
            row.pop("measured", None)
            row |= {"measured": found} if (found := measured(report).get(f"eng-{row['language']}")) else {}
        path.write_text(json.dumps(facts, indent=1, ensure_ascii=False))
    if arguments.report:
        arguments.report.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
