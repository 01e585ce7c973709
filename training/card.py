"""Last stage, card: reports -> MODEL_CARD.md beside the model that ships.

    python -m training.card --model MODEL --results RESULTS/NAME

`RESULTS/NAME` holds int8.json, the report of `evaluate`, and recipe.md, a paragraph on this model;
`RESULTS` holds
data.json as `pack` wrote it.
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
    "libreoffice-help": "MPL-2.0",
    "libreoffice-ui": "MPL-2.0",
    "dynamics365-docs": "CC BY 4.0 (partly machine-translated)",
    "dynamics365smb-docs": "CC BY 4.0 (partly machine-translated)",
    "ms-beginners": "MIT (machine-translated)",
    "omw-wikt": "CC BY-SA",
    "omw-data": "open licences, per wordnet",
    "freedict": "GPL, CC BY-SA, per dictionary",
    "cldr": "Unicode licence",
    "cc-cedict": "CC BY-SA 4.0",
    "jmdict": "CC BY-SA 4.0 (EDRDG)",
    "python-docs": "PSF-2.0, translations CC0",
    "qgis-docs": "GNU FDL, CC BY-SA 3.0",
    "mdn": "CC BY-SA 2.5",
    "php-manual": "CC BY 3.0",
    "gimp-help": "GNU FDL 1.2",
    "kubernetes": "CC BY 4.0",
    "tensorflow-docs": "Apache-2.0, CC BY 4.0",
    "tanaka": "CC BY, public domain",
    "django-docs": "BSD-3-Clause",
    "react-docs": "CC BY 4.0",
    "godot-docs": "CC BY 3.0",
    "opensource-guide": "CC BY 4.0",
    "openstack-manuals": "Apache-2.0, CC BY 3.0",
    "freebsd-doc": "BSD-2-Clause",
    "huggingface-docs": "Apache-2.0",
    "istio-docs": "Apache-2.0",
    "tidb-docs": "CC BY-SA 3.0",
    "postgresql-ja": "PostgreSQL licence",
    "comprehensive-rust": "Apache-2.0, CC BY 4.0",
    "doris-docs": "Apache-2.0",
    "korean-news": "CC BY-SA 3.0",
    "fastapi-docs": "MIT",
    "electron-docs": "MIT",
    "angular-docs": "MIT, CC BY 4.0",
    "jsick": "CC BY-SA 4.0",
    "starrocks-docs": "Apache-2.0 (partly machine-translated)",
    "flink-docs": "Apache-2.0",
    "ami-meeting": "CC BY 4.0",
    "rails-guides": "CC BY-SA 4.0",
}


HEADER = """| set | P | R | F1 | AER | argmax F1 | links a word | calibration error |
|---|---|---|---|---|---|---|---|"""


def score_rows(sets: dict[str, Any]) -> list[str]:
    """One line a set: the default links' P, R, F1, AER and number, argmax's F1, and the calibration error.

    Where a set's error was measured with a curve fitted on other sets, that one.
    """
    rows = []
    for name, scores in sets.items():
        many = f"{scores['links_a_word']:.2f}"
        if "right" in scores["calibrated"]:
            found = [f"{scores[method]['right']:.3f}" for method in ("calibrated", "argmax")]
            rows.append(f"| {name} | | | {found[0]} right | | {found[1]} right | {many} | |")
            continue
        best = scores["calibrated"]
        error = scores.get("held_out_error", scores["calibration_error"])
        rows.append(
            f"| {name} | {best['precision']:.3f} | {best['recall']:.3f} | {best['f1']:.3f} "
            f"| {best['aer']:.3f} | {scores['argmax']['f1']:.3f} | {many} | {error:.3f} |"
        )
    return rows


def coverage_rows(coverage: list[dict[str, Any]]) -> list[str]:
    """One line a language: its name, code, pairs, and what was measured."""
    rows = []
    for row in coverage:
        found = row.get("measured")
        said = f"{found['f1']:.3f} | {found['aer']:.3f} | {found['set']}" if found else "not measured | |"
        rows.append(f"| {row['name']} | {row['language']} | {row['pairs']:,} | {said} |")
    return rows


def reliability_rows(sets: dict[str, Any]) -> list[str]:
    """Said and true probability in tenths, all sets together, each set counting the same."""
    rows = []
    known = [
        scores["reliability"] for name, scores in sets.items() if not name.endswith(("silver", "composed"))
    ]
    for tenth in range(10):
        bins = [b for bins in known for b in bins if round(b["from"] * 10) == tenth and b["cells"]]
        said, right = (sum(b[key] for b in bins) / len(bins) for key in ("said", "right"))
        lowest, highest = min(b["right"] for b in bins), max(b["right"] for b in bins)
        span = f"{tenth / 10:.1f}–{tenth / 10 + 0.1:.1f}"
        rows.append(f"| {span} | {said:.2f} | {right:.2f} | {lowest:.2f}–{highest:.2f} |")
    return rows


def situation_rows(sets: dict[str, Any]) -> list[str]:
    """One line a set that curves were fitted on: its situation and the errors of curves of the other sets."""
    rows = []
    for name, scores in sets.items():
        if "held_out_error" in scores:
            most = max(scores["situations"], key=scores["situations"].get)
            errors = (scores[key] for key in ("one_curve_error", "held_out_error", "finished_error"))
            rows.append(f"| {name} | {most} | {' | '.join(f'{error:.3f}' for error in errors)} |")
    return rows


def make_card(template: str, facts: dict[str, Any], results: Path, size: float) -> str:
    report = json.loads((results / "int8.json").read_text())
    data = json.loads((results.parent / "data.json").read_text())
    languages = data["languages"]
    return Template(template).substitute(
        name=facts["name"],
        version=facts["version"],
        size=f"{size:.1f}",
        languages=len(languages) + 1,
        pairs=f"{sum(found['packed'] for found in languages.values()):,}",
        prepared=f"{sum(found['prepared'] for found in languages.values()):,}",
        sources="\n".join(
            f"| {name} | {count:,} | {LICENCES[name]} |" for name, count in data["sources"].items()
        ),
        recipe=(results / "recipe.md").read_text("utf-8").strip(),
        always=facts["thresholds"]["always"],
        mutual=facts["thresholds"]["mutual"],
        coverage="\n".join(coverage_rows(facts["coverage"])),
        dev="\n".join([HEADER, *score_rows(report["dev"])]),
        test="\n".join([HEADER, *score_rows(report["test"])]),
        situations="\n".join(situation_rows(report["dev"])),
        reliability="\n".join(reliability_rows(report["dev"])),
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
