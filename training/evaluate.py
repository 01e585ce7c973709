"""Stage 6, evaluate: encoder -> scores on gold sets, thresholds and calibration chosen on the dev sets.

    python -m training.evaluate --encoder WEIGHTS|model.onnx --vocabulary VOCABULARY --dev GOLD-DEV \\
        [--test GOLD] [--chosen chosen.json] --report report.json
    python -m training.evaluate --encoder MODEL --dev GOLD-DEV …

Without `--chosen` the calibration and the two thresholds are fitted on the dev sets and written to the
report under `chosen`; with it, those of an earlier report are used (to compare int8 with float32, say).
The test sets are only ever scored. Similarities and links are those of the package, so the scores are
what its users get; an exported MODEL folder is run by the package altogether.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from training.calibration import (
    calibration_error,
    cells,
    fit_logistic,
    fit_monotone,
    from_table,
    reliability,
    to_table,
)
from training.encoders import load_encoder
from training.metrics import GoldSet, Links, links_of, read_sets, score_links
from training.similarity import similarities
from wordalign.encoders.calibration import Calibration
from wordalign.links import argmax, calibrated, itermax

ALWAYS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
MUTUAL = (0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)


def main_score(gold: GoldSet, links: list[Links]) -> float:
    scores = score_links(gold, links)
    return scores["right"] if gold.silver else 1 - scores["aer"]


def fit(sets: list[GoldSet], matrices: list[list[np.ndarray]]) -> tuple[Calibration, float, float]:
    """One calibration for all languages, every set counting the same; scale and bias of a plain logistic."""
    parts = [cells(gold, found) for gold, found in zip(sets, matrices, strict=True) if not gold.silver]
    values, right = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    right = right.astype(float)
    weights = np.concatenate([np.full(len(part[0]), 1e5 / max(part[1].sum(), 1)) for part in parts])
    return fit_monotone(values, right, weights), *fit_logistic(values, right, np.ones(len(values)))


def choose(
    sets: list[GoldSet], matrices: list[list[np.ndarray]], calibration: Calibration
) -> tuple[float, float]:
    """The thresholds with the best mean of 1 - AER over the dev sets."""
    best = (-1.0, 0.5, 0.1)
    for always in ALWAYS:
        for low in MUTUAL:
            extract = partial(calibrated, always=always, mutual=low, calibration=calibration)
            scores = [
                main_score(gold, [links_of(extract(matrix)) for matrix in found])
                for gold, found in zip(sets, matrices, strict=True)
            ]
            best = max(best, (float(np.mean(scores)), always, low))
    return best[1], best[2]


def make_choices(sets: list[GoldSet], matrices: list[list[np.ndarray]]) -> dict[str, Any]:
    """All that is chosen on the dev sets, as the report and `model.json` hold it."""
    calibration, scale, bias = fit(sets, matrices)
    always, best = choose(sets, matrices, calibration)
    return {"scale": scale, "bias": bias, **to_table(calibration), "always": always, "mutual": best}


def report_set(gold: GoldSet, found: list[np.ndarray], chosen: dict[str, Any]) -> dict[str, Any]:
    """All methods' scores on one set, and its calibration."""
    calibration = from_table(chosen)
    always, best = chosen["always"], chosen["mutual"]
    methods = {
        "argmax": argmax,
        "itermax": itermax,
        "calibrated": partial(calibrated, always=always, mutual=best, calibration=calibration),
    }
    result: dict[str, Any] = {}
    for name, extract in methods.items():
        scores = score_links(gold, [links_of(extract(matrix)) for matrix in found])
        result[name] = {key: round(value, 4) for key, value in scores.items()}
    result["reliability"] = reliability(*cells(gold, found), calibration)
    if not gold.silver:
        result["calibration_error"] = round(calibration_error(gold, found, calibration, always, best), 4)
    return result


def show(name: str, result: dict[str, Any]) -> str:
    """One line of the printed table."""
    columns = [f"{name:24}"]
    for method in ("argmax", "itermax", "calibrated"):
        scores = result[method]
        if "right" in scores:
            columns.append(f"{method} right {scores['right']:.3f}")
        else:
            columns.append(
                f"{method} P {scores['precision']:.3f} R {scores['recall']:.3f} "
                f"F {scores['f1']:.3f} AER {scores['aer']:.3f}"
            )
    if "calibration_error" in result:
        columns.append(f"ece {result['calibration_error']:.3f}")
    return " | ".join(columns)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--encoder", type=Path, required=True, help="folder of weights, an .onnx file, or an exported folder"
    )
    parser.add_argument("--vocabulary", type=Path, help="its folder, for weights and .onnx files")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, help="also score these; nothing is chosen on them")
    parser.add_argument("--chosen", type=Path, help="an earlier report, whose choices are used")
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    encode = load_encoder(arguments.encoder, arguments.vocabulary)
    sets = read_sets(arguments.dev)
    matrices = [similarities(gold, encode) for gold in sets]
    chosen = (
        json.loads(arguments.chosen.read_text())["chosen"]
        if arguments.chosen
        else make_choices(sets, matrices)
    )
    print(f"always above {chosen['always']}, mutual best above {chosen['mutual']}")
    report: dict[str, Any] = {"encoder": arguments.encoder.name, "chosen": chosen, "dev": {}, "test": {}}
    for gold, found in zip(sets, matrices, strict=True):
        report["dev"][gold.name] = report_set(gold, found, chosen)
        print(show(gold.name, report["dev"][gold.name]), flush=True)
    for gold in read_sets(arguments.test) if arguments.test else []:
        report["test"][gold.name] = report_set(gold, similarities(gold, encode), chosen)
        print(show("test " + gold.name, report["test"][gold.name]), flush=True)
    if arguments.report:
        arguments.report.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
