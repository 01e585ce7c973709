"""Stage 7, export: weights, vocabulary and choices -> the files that ship.

    python -m training.export --weights WEIGHTS --vocabulary VOCABULARY --sample GOLD-DEV \\
        --report report.json --out MODEL

Writes MODEL/model.onnx (int8), MODEL/model.float.onnx (for comparison, not shipped), MODEL/tokenizer.json
and MODEL/model.json: name, version, shape, languages, thresholds, calibration, and the hashes of the files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import onnx
from tokenizers import Tokenizer

from training.graph import build_graph
from training.metrics import read_sets
from training.ranges import measure_ranges
from training.weights import load_weights


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def describe(
    facts: dict[str, Any], chosen: dict[str, Any], files: list[Path], version: str
) -> dict[str, Any]:
    """The contents of model.json."""
    config = facts["config"]
    return {
        "name": config["name"],
        "version": version,
        "dimension": config["dimension"],
        "max_positions": config["positions"],
        "languages": ["eng", *facts.get("languages", [])],
        "scale": chosen["scale"],
        "bias": chosen["bias"],
        "calibration": {"cosine": chosen["cosine"], "log_odds": chosen["log_odds"]},
        "thresholds": {"always": chosen["always"], "mutual": chosen["mutual"]},
        "training": {"steps": facts["step"], "seconds": facts["seconds"]},
        "sha256": {path.name: sha256(path) for path in files},
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--report", type=Path, help="report of evaluate, for thresholds and calibration")
    parser.add_argument(
        "--sample", type=Path, required=True, help="sets whose sentences show how far values spread"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", default="1")
    parser.add_argument(
        "--levels",
        type=int,
        default=63,
        help="largest integer of a weight; above 63, processors without 8-bit dot products overflow",
    )
    arguments = parser.parse_args()
    arrays, facts = load_weights(arguments.weights)
    arguments.out.mkdir(parents=True, exist_ok=True)
    config = facts["config"]
    tokenizer = Tokenizer.from_file(str(arguments.vocabulary / "tokenizer.json"))
    sentences = [words for gold in read_sets(arguments.sample) for words in (*gold.english, *gold.other)]
    ranges = measure_ranges(arrays, config, tokenizer, sentences)
    onnx.save(build_graph(arrays, config, arguments.levels, ranges), str(arguments.out / "model.onnx"))
    onnx.save(build_graph(arrays, config), str(arguments.out / "model.float.onnx"))
    shutil.copy(arguments.vocabulary / "tokenizer.json", arguments.out / "tokenizer.json")
    files = [arguments.out / "model.onnx", arguments.out / "tokenizer.json"]
    if arguments.report:
        chosen = json.loads(arguments.report.read_text())["chosen"]
        card = describe(facts, chosen, files, arguments.version)
        (arguments.out / "model.json").write_text(json.dumps(card, indent=1))
    for path in sorted(arguments.out.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
