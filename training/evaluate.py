"""Stage 7, evaluate: an exported model -> its probabilities, thresholds and scores.

    python -m training.evaluate --model MODEL --dev GOLD-DEV [--test GOLD] [--report report.json] [--write]

The curve from scores to probabilities and the two thresholds are chosen on the complete development sets;
test sets
are only scored. A set's calibration error is measured with a curve that was fitted on all other sets.
`--write` puts what was
chosen, and what was measured of each language, into MODEL/model.json; without it, what is there is used.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from training.calibration import UNMEASURED, calibration_error, fit_curve, reliability, scored_cells
from training.choose import choose_thresholds
from training.metrics import GoldSet, links_of, read_sets, score_links
from training.similarity import similarities
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.links import argmax, calibrated, itermax

Matrices = list[np.ndarray]


def choose(
    sets: list[GoldSet], matrices: list[Matrices], calibration: Calibration
) -> tuple[Calibration, float, float, dict[str, float]]:
    """The curve and the thresholds, and every set's calibration error with a curve of the other sets."""
    plain = replace(calibration, scores=UNMEASURED[0], log_odds=UNMEASURED[1])
    known = {
        gold.name: scored_cells(gold, found, plain)
        for gold, found in zip(sets, matrices, strict=True)
        if gold.complete
    }
    curve = fit_curve(list(known.values()), plain)

    def with_curve(name: str, by: Calibration) -> Any:
        cells, scores = known[name]
        return replace(cells, chance=by.probability(scores))

    always, mutual = choose_thresholds({name: with_curve(name, curve) for name in known})
    errors = {}
    for name in known:
        others = fit_curve([part for other, part in known.items() if other != name], plain)
        errors[name] = calibration_error(with_curve(name, others), always, mutual)
    return curve, always, mutual, errors


def report_set(
    gold: GoldSet, found: Matrices, calibration: Calibration, always: float, mutual: float
) -> dict[str, Any]:
    """All methods' scores on one set, links a word, and its calibration."""
    methods = {
        "argmax": argmax,
        "itermax": itermax,
        "calibrated": partial(calibrated, always=always, mutual=mutual, calibration=calibration),
    }
    result: dict[str, Any] = {}
    for name, extract in methods.items():
        links = [links_of(extract(matrix)) for matrix in found]
        result[name] = {key: round(value, 4) for key, value in score_links(gold, links).items()}
    words = sum(len(words) for side in (gold.english, gold.other) for words in side) / 2
    result["links_a_word"] = round(sum(map(len, links)) / max(words, 1), 3)
    cells, _ = scored_cells(gold, found, calibration)
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
    for key, short in (("calibration_error", "error"), ("held_out_error", "held out")):
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
    arguments = parser.parse_args()
    encoder = OnnxEncoder(arguments.model)
    sets = read_sets(arguments.dev)
    matrices = [similarities(gold, encoder) for gold in sets]
    path = arguments.model / "model.json"
    facts = json.loads(path.read_text())
    calibration = encoder.calibration
    always, mutual = (facts["thresholds"][name] for name in ("always", "mutual"))
    report: dict[str, Any] = {"model": facts["name"], "version": facts["version"], "dev": {}, "test": {}}
    errors: dict[str, float] = {}
    if arguments.write:
        calibration, always, mutual, errors = choose(sets, matrices, calibration)
        facts["calibration"] |= {"scores": calibration.scores, "log_odds": calibration.log_odds}
        facts["thresholds"] = {"always": always, "mutual": mutual}
    print(f"always above {always}, mutual best above {mutual}")
    report["chosen"] = {"always": always, "mutual": mutual}
    for gold, found in zip(sets, matrices, strict=True):
        scores = report_set(gold, found, calibration, always, mutual)
        if gold.name in errors:
            scores["held_out_error"] = round(errors[gold.name], 4)
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
