"""Stage 6, export: weights and vocabulary -> the files that ship.

    python -m training.export --weights WEIGHTS --vocabulary VOCABULARY --sample GOLD-DEV --data data.json \\
        --version 3 --out MODEL

Writes MODEL/model.onnx (int8), MODEL/tokenizer.json and MODEL/model.json: name, version, shape, languages,
how
similarities become probabilities, and the hashes of the files. What is chosen on development sets is put
there by
`evaluate --write`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import shutil
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from training.calibration import UNMEASURED
from training.graph import build_graph
from training.metrics import read_sets
from training.ranges import measure_ranges
from training.weights import load_weights

LANGUAGES = Path(__file__).parent / "configs" / "languages.toml"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def score_facts(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """How the trained encoder turns cosines into log odds, as `wordalign.encoders.calibration` computes
    it."""
    return {
        "scale": round(math.exp(float(arrays["link_scale"])), 4),
        "bias": round(float(arrays["link_bias"]), 4),
        "sharpness": round(math.exp(float(arrays["softmax_scale"][0])), 4),
        "larger": round(float(arrays["competition"][0]), 4),
        "smaller": round(float(arrays["competition"][1]), 4),
        "scores": UNMEASURED[0],
        "log_odds": UNMEASURED[1],
    }


def coverage(amounts: dict[str, Any]) -> list[dict[str, Any]]:
    """The languages, by name, with the number of pairs with English that each was trained on."""
    known = tomllib.loads(LANGUAGES.read_text("utf-8"))
    rows = [
        {"language": code, "name": known[code][0], "script": known[code][1], "pairs": found["packed"]}
        for code, found in amounts["languages"].items()
    ]
    return sorted(rows, key=lambda row: row["name"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument(
        "--sample", type=Path, required=True, help="sets whose sentences show how far values spread"
    )
    parser.add_argument("--data", type=Path, required=True, help="data.json as pack wrote it")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", default="1")
    parser.add_argument(
        "--levels",
        type=int,
        default=63,
        help="largest integer of a weight; above 63, processors without 8-bit dot products overflow",
    )
    parser.add_argument("--float", action="store_true", help="float32 instead of int8, to compare with")
    arguments = parser.parse_args()
    arrays, facts = load_weights(arguments.weights)
    arguments.out.mkdir(parents=True, exist_ok=True)
    config = facts["config"]
    tokenizer = Tokenizer.from_file(str(arguments.vocabulary / "tokenizer.json"))
    if arguments.float:
        graph = build_graph(arrays, config)
    else:
        sentences = [words for gold in read_sets(arguments.sample) for words in (*gold.english, *gold.other)]
        graph = build_graph(
            arrays, config, arguments.levels, measure_ranges(arrays, config, tokenizer, sentences)
        )
    onnx.save(graph, str(arguments.out / "model.onnx"))
    shutil.copy(arguments.vocabulary / "tokenizer.json", arguments.out / "tokenizer.json")
    rows = coverage(json.loads(arguments.data.read_text()))
    about = {
        "name": config["name"],
        "version": arguments.version,
        "dimension": config["dimension"],
        "max_positions": config["positions"],
        "languages": ["eng", *sorted(row["language"] for row in rows)],
        "coverage": rows,
        "calibration": score_facts(arrays),
        "thresholds": {"always": 0.5, "mutual": 0.5},
        "sha256": {name: sha256(arguments.out / name) for name in ("model.onnx", "tokenizer.json")},
    }
    (arguments.out / "model.json").write_text(json.dumps(about, indent=1, ensure_ascii=False))
    for path in sorted(arguments.out.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
