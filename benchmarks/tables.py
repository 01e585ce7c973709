"""Writes the tables of README.md and docs/ from the results: `python benchmarks/tables.py [--check]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
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


def service() -> str:
    result = load("benchmarks/results/serve.json")
    machine, at_64 = result["machine"], result["at_64_clients"]
    rounds = [found["service"] for found in at_64["rounds"]]
    loads = sorted([*result["others"], rounds[len(rounds) // 2]], key=lambda found: found["clients"])
    rows = [
        [
            found["clients"],
            f"{found['pairs_per_s']:.0f}",
            f"{found['p50_ms']:.0f}",
            f"{found['p99_ms']:.0f}",
            ", ".join(f"{count} × {code}" for code, count in found["answers"].items()),
            found["failed"],
            f"{found['healthz_max_ms']:.0f}",
        ]
        for found in loads
    ]
    return "\n".join(
        [
            f"`{result['model']}` on {machine['cores']} cores ({machine['processor']}), shared by server and",
            f"clients, one pair a request. With 64 clients the service does {at_64['ratio']:.0%} of what the",
            f"library does in one batch after another (median of {len(rounds)} rounds in turn).",
            "",
            "| clients | pairs/s | p50 ms | p99 ms | answers | failed | `/healthz` at most, ms |",
            "|---|---|---|---|---|---|---|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows),
        ]
    )


TABLES = {"README.md": {"quality": quality, "speed": speed}, "docs/service.md": {"load": service}}


def filled(text: str, tables: dict[str, Callable[[], str]]) -> str:
    for name, make in tables.items():
        start, end = f"<!-- {name}: made by benchmarks/tables.py -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{make()}\n\n{end}{after}"
    return text


def main() -> None:
    for name, tables in TABLES.items():
        path = ROOT / name
        old = path.read_text("utf-8")
        new = filled(old, tables)
        if "--check" not in sys.argv:
            path.write_text(new, "utf-8")
        elif new != old:
            sys.exit(f"{name} is stale: run python benchmarks/tables.py")


if __name__ == "__main__":
    main()
