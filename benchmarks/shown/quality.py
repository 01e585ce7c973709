"""AER and F1 of the bundled models, beside the paper and newer systems."""

from __future__ import annotations

import tomllib
from typing import Any

from shown.results import ROOT, load

LANGUAGES = ("ces", "deu", "fra", "hin", "ron")

# Jalili Sabet et al. 2020, Table 2: F1 and AER.
PAPER = {
    "eflomal, word level (the paper)": ".85 (.15) | .77 (.23) | .93 (.08) | .51 (.49) | .71 (.29)",
    "mBERT[8] argmax, subword level (the paper)": ".86 (.14) | .81 (.19) | .94 (.06) | .55 (.45) | .65 (.35)",
    "XLM-R[8] argmax, subword level (the paper)": ".87 (.13) | .81 (.19) | .93 (.07) | .61 (.39) | .71 (.29)",
}


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


def unseen() -> str:
    """AER on XL-WA: the test parts for other systems, the development parts for ours."""
    systems = read_published()["xlwa"]
    languages = sorted(systems[0]["aer"])
    rows = [
        [system["name"], *(f"{system['aer'][language]:.3f}"[1:] for language in languages)]
        for system in systems
    ]
    for model in ("base", "tiny"):
        dev = load(f"training/results/{model}/int8.json")["dev"]
        found = (dev[f"eng-{language}.xlwa-dev"]["calibrated"]["aer"] for language in languages)
        rows.append([f"wordalign, `{model}`, calibrated", *(f"{aer:.3f}"[1:] for aer in found)])
    return table(["AER", *languages], rows)


def read_published() -> dict[str, Any]:
    return tomllib.loads((ROOT / "benchmarks/published.toml").read_text("utf-8"))


def table(header: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def published() -> str:
    """AER of other systems and of ours; a star: another set, or a part of this one."""
    systems = read_published()["systems"]
    rows = []
    for system in systems:
        figures = [
            f"{system['aer'][language]:.{system.get('digits', 3)}f}"[1:]
            + ("\\*" if language in system.get("other", ()) else "")
            if language in system["aer"]
            else "–"
            for language in LANGUAGES
        ]
        rows.append([f"{system['name']} ({system['note']})", *figures, system["learned_from"]])
    for model in ("base", "tiny"):
        test = load(f"training/results/{model}/int8.json")["test"]
        for method in ("argmax", "calibrated"):
            figures = [f"{test[f'eng-{language}'][method]['aer']:.3f}"[1:] for language in LANGUAGES]
            rows.append([f"wordalign, `{model}`, {method}", *figures, "parallel text, some hand-made links"])
    own = [
        f"{cell['scores']['aer']:.3f}"[1:]
        for language in LANGUAGES
        for cell in load("reproduction/results/main_comparison.json")["result"]["cells"]
        if (cell["system"], cell["level"], cell["method"], cell["language"])
        == ("own", "subword", "argmax", language)
    ]
    rows.append(["wordalign, the small mBERT of `reproduction/mlm`, argmax", *own, "single sentences alone"])
    return table(["AER", *LANGUAGES, "has learned to align from"], rows)
