"""Stage 6, export: weights and vocabulary -> the files that ship.

    python -m training.export --weights WEIGHTS --vocabulary VOCABULARY --sample GOLD-DEV --data data.json \\
        --version 3 --out MODEL

Writes MODEL/model.onnx (int8), MODEL/tokenizer.json and MODEL/model.json, as `wordalign.tuning.export` says.
What is chosen on development sets is put there by `evaluate --write`.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from training.calibration import UNMEASURED
from training.metrics import read_sets
from training.weights import load_weights
from wordalign.encoders.torch_module import EncoderShape
from wordalign.tuning.export import LEVELS, export_model, score_facts

LANGUAGES = Path(__file__).parent / "configs" / "languages.toml"


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
        default=LEVELS,
        help=f"largest integer of a weight; above {LEVELS}, processors without 8-bit dot products overflow",
    )
    parser.add_argument("--float", action="store_true", help="float32 instead of int8, to compare with")
    arguments = parser.parse_args()
    arrays, facts = load_weights(arguments.weights)
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = coverage(json.loads(arguments.data.read_text()))
    curve = {"scores": UNMEASURED[0], "log_odds": UNMEASURED[1]}
    export_model(
        arguments.out,
        arrays,
        EncoderShape(**facts["config"]),
        Tokenizer.from_file(str(arguments.vocabulary / "tokenizer.json")),
        {
            "version": arguments.version,
            "languages": ["eng", *sorted(row["language"] for row in rows)],
            "coverage": rows,
            "calibration": {**score_facts(arrays), **curve},
            "thresholds": {"always": 0.5, "mutual": 0.5},
        },
        [words for gold in read_sets(arguments.sample) for words in (*gold.english, *gold.other)],
        levels=None if arguments.float else arguments.levels,
    )
    for path in sorted(arguments.out.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
