"""Writes the tables of README.md from the results: `python benchmarks/readme.py [--check]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LANGUAGES = ("ces", "deu", "fra", "hin", "ron")

# Jalili Sabet et al. 2020, Table 2: F1 and AER.
PAPER = {
    "eflomal, word level (the paper)": ".85 (.15) | .77 (.23) | .93 (.08) | .51 (.49) | .71 (.29)",
    "mBERT[8] argmax, subword level (the paper)": ".86 (.14) | .81 (.19) | .94 (.06) | .55 (.45) | .65 (.35)",
    "XLM-R[8] argmax, subword level (the paper)": ".87 (.13) | .81 (.19) | .93 (.07) | .61 (.39) | .71 (.29)",
}


def load(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))


def quality() -> str:
    rows = [f"| | {' | '.join(LANGUAGES)} |", "|---" * 6 + "|"]
    rows += [f"| {name} | {figures} |" for name, figures in PAPER.items()]
    for model in ("base", "tiny"):
        test = load(f"training/results/{model}/int8.json")["test"]
        for method in ("argmax", "calibrated"):
            scores = [test[f"eng-{language}"][method] for language in LANGUAGES]
            figures = " | ".join(
                f"{found['f1']:.3f} ({found['aer']:.3f})"[1:].replace("(0", "(") for found in scores
            )
            rows.append(f"| {model}, {method} | {figures} |")
    return "\n".join(rows)


def speed() -> str:
    result = load("benchmarks/results/speed.json")
    machine, argmax = result["machine"], result["argmax"]
    three, long = result["argmax_itermax_match"], result["match_120_words"]
    rows = [
        ("SimAlign 0.4, an mBERT-shaped model, argmax", argmax["simalign_pairs_per_s"], 1),
        ("the same model, argmax", *pace(argmax["same_model"])),
        ("the same model; argmax, itermax and match together", *pace(three["same_model"])),
        ("the same model; match, sentences of 120 words and more", *pace(long["same_model"])),
        ("`base`, bundled, raw text", *pace(argmax["bundled_base"])),
        ("`base`, one pair a call", *pace(argmax["bundled_base_one_pair_a_call"])),
        ("`tiny`, bundled, raw text", *pace(argmax["bundled_tiny"])),
    ]
    extraction = ", ".join(
        f"{method} {found['stacked_per_s']:,}" for method, found in result["extraction_25x25"].items()
    )
    return "\n".join(
        [
            f"Pairs per second on {machine['cores']} cores ({machine['processor']}), {argmax['pairs']}",
            "Europarl sentences, float32; each ratio is to SimAlign doing the same work in the same run",
            "(`benchmarks/speed.py`, median of rounds in turn).",
            "",
            "| | pairs/s | times SimAlign |",
            "|---|---|---|",
            *(f"| {name} | {figure:g} | {ratio:g} |" for name, figure, ratio in rows),
            "",
            f"Extraction alone, 25×25 matrices a second: {extraction}. Loading `base` takes "
            f"{result['load_base_s']:g} s.",
        ]
    )


def pace(found: dict[str, Any]) -> tuple[float, float]:
    return found["pairs_per_s"], found["ratio"]


def filled(text: str) -> str:
    for name, make in (("quality", quality), ("speed", speed)):
        start, end = f"<!-- {name}: made by benchmarks/readme.py -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{make()}\n\n{end}{after}"
    return text


def main() -> None:
    path = ROOT / "README.md"
    old = path.read_text("utf-8")
    new = filled(old)
    if "--check" in sys.argv:
        sys.exit(0 if new == old else "README.md is stale: run python benchmarks/readme.py")
    path.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
