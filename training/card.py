"""Last stage, card: reports -> MODEL_CARD.md beside the model that ships.

    python -m training.card --model MODEL --results RESULTS/NAME

`RESULTS/NAME` holds int8.json and float.json, the reports of `evaluate` on the two graphs, data.json as
`pack` wrote it, and recipe.md, a paragraph on this model's labels.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from string import Template
from typing import Any

LICENCES = {
    "europarl-direct": "Parliament's reuse policy, with acknowledgement",
    "tatoeba": "CC BY 2.0 FR",
    "wmt-newstest": "published for research, no explicit licence",
    "canada-laws": "Open Government Licence – Canada",
    "ebible": "public domain, CC BY, CC BY-SA",
    "suttacentral": "CC0",
    "flores200": "CC BY-SA 4.0",
    "sib200-flores": "CC BY-SA 4.0",
    "ntrex128": "CC BY-SA 4.0",
    "xquad": "CC BY-SA 4.0",
    "tico19": "CC0",
    "ro-sts": "CC BY-SA 4.0",
    "indian-parallel-corpora": "CC BY-SA 3.0",
    "wesnoth-po": "GPL-2.0-or-later",
    "gnome-help": "CC BY-SA 3.0",
    "debian-handbook": "GPL-2.0-or-later or CC BY-SA 3.0",
    "debian-installer-guide": "GPL-2.0-or-later",
    "debian-descriptions": "metadata of a free distribution, none stated",
    "debian-src-po": "free software licences, per program",
    "manpages": "GPL, BSD, verbatim, per page",
    "libreoffice-po": "MPL-2.0",
    "firefox-l10n": "MPL-2.0",
    "mediawiki-i18n": "GPL-2.0-or-later",
    "web-i18n": "GPL-2.0, Apache-2.0, ISC",
    "github-docs-po": "CC BY 3.0, GPL-3.0, Apache-2.0, CC0, per project",
    "ethereum-org": "MIT",
    "tldr": "CC BY 4.0",
}


HEADER = """| set | P | R | F1 | AER | argmax F1 | itermax F1 | calibration error |
|---|---|---|---|---|---|---|---|"""


def score_rows(sets: dict[str, Any]) -> list[str]:
    """One line a set: the calibrated links' P, R, F1, AER, and the other methods' F1."""
    rows = []
    for name, scores in sets.items():
        if "right" in scores["calibrated"]:
            found = [f"{scores[method]['right']:.3f}" for method in ("calibrated", "argmax", "itermax")]
            rows.append(f"| {name} | | | {found[0]} right | | {found[1]} right | {found[2]} right | |")
            continue
        best = scores["calibrated"]
        rows.append(
            f"| {name} | {best['precision']:.3f} | {best['recall']:.3f} "
            f"| {best['f1']:.3f} | {best['aer']:.3f} | {scores['argmax']['f1']:.3f} "
            f"| {scores['itermax']['f1']:.3f} | {scores['calibration_error']:.3f} |"
        )
    return rows


def reliability_rows(sets: dict[str, Any]) -> list[str]:
    """Said and true probability in tenths, all sets together, each set counting the same."""
    rows = []
    known = [scores["reliability"] for scores in sets.values() if "reliability" in scores]
    for tenth in range(10):
        bins = [b for bins in known for b in bins if round(b["from"] * 10) == tenth and b["cells"]]
        said, right = (sum(b[key] for b in bins) / len(bins) for key in ("said", "right"))
        lowest, highest = min(b["right"] for b in bins), max(b["right"] for b in bins)
        span = f"{tenth / 10:.1f}–{tenth / 10 + 0.1:.1f}"
        rows.append(f"| {span} | {said:.2f} | {right:.2f} | {lowest:.2f}–{highest:.2f} |")
    return rows


def largest_difference(int8: dict[str, Any], float32: dict[str, Any]) -> float:
    return max(
        abs(int8["test"][name][method]["f1"] - float32["test"][name][method]["f1"])
        for name in int8["test"]
        for method in ("argmax", "itermax")
    )


def make_card(template: str, facts: dict[str, Any], results: Path, size: float) -> str:
    int8, float32, data = (
        json.loads((results / f"{kind}.json").read_text()) for kind in ("int8", "float", "data")
    )
    languages = data["languages"]
    return Template(template).substitute(
        name=facts["name"],
        version=facts["version"],
        size=f"{size:.1f}",
        languages=", ".join(f"{name} {found['packed']:,}" for name, found in languages.items()),
        pairs=f"{sum(found['packed'] for found in languages.values()):,}",
        prepared=f"{sum(found['prepared'] for found in languages.values()):,}",
        sources="\n".join(
            f"| {name} | {count:,} | {LICENCES[name]} |" for name, count in data["sources"].items()
        ),
        recipe=(results / "recipe.md").read_text("utf-8").strip(),
        seconds=f"{facts['training']['seconds']:.0f}",
        steps=f"{facts['training']['steps']:,}",
        always=facts["thresholds"]["always"],
        mutual=facts["thresholds"]["mutual"],
        dev="\n".join([HEADER, *score_rows(int8["dev"])]),
        test="\n".join([HEADER, *score_rows(int8["test"])]),
        reliability="\n".join(reliability_rows(int8["dev"])),
        difference=f"{largest_difference(int8, float32):.4f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="folder with model.json and model.onnx")
    parser.add_argument("--results", type=Path, required=True)
    arguments = parser.parse_args()
    template = (Path(__file__).parent / "card.md").read_text("utf-8")
    facts = json.loads((arguments.model / "model.json").read_text())
    size = (arguments.model / "model.onnx").stat().st_size / 1e6
    card = make_card(template, facts, arguments.results, size)
    (arguments.model / "MODEL_CARD.md").write_text(card, "utf-8")


if __name__ == "__main__":
    main()
