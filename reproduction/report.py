"""Writes docs/results.md from the results: `python -m reproduction.report [--check]`.

`--check` writes nothing and fails when the page, or a Markdown file beside a result, is not what the JSON
files say.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

from reproduction.claims import summary
from reproduction.experiments import EXPERIMENTS
from reproduction.lab.experiment import Result
from reproduction.lab.files import write_whole
from reproduction.lab.options import ROOT, Options

PAGE = ROOT / "docs/results.md"


def read_results(folder: Path) -> dict[str, Result]:
    """The finished results, by the names of their experiments."""
    paths = {experiment.name: folder / f"{experiment.name}.json" for experiment in EXPERIMENTS}
    return {name: json.loads(path.read_text("utf-8")) for name, path in paths.items() if path.exists()}


def render(documents: dict[str, Result], folder: Path, page: Path) -> str:
    where = Path(os.path.relpath(folder, page.parent)).as_posix()
    shown = folder.relative_to(ROOT).as_posix() if folder.is_relative_to(ROOT) else folder.name
    parts = [
        "# The paper's tables and figures, ours beside them",
        "<!-- made by python -m reproduction.report: do not edit -->",
        "The paper is Jalili Sabet, Dufter, Yvon and Schütze, *SimAlign: High Quality Word Alignments "
        "Without Parallel Training Data Using Static and Contextualized Embeddings* (Findings of EMNLP "
        "2020). All of this page is made from the JSON files that its tables name; `python -m reproduction "
        "--data DIR` makes those ([how](../reproduction/README.md)). Nothing was chosen on these test sets: "
        "methods and parameters are the paper's, the thresholds of `calibrated` came with the model. "
        "The time that is given with each table is that of its last run, which computed only what was not "
        "there yet: trainings take hours.",
        bundled_models(documents),
        summary({name: document["result"] for name, document in documents.items()}),
    ]
    for experiment in EXPERIMENTS:
        parts.append(f"## {experiment.title} ({experiment.paper})")
        if experiment.name not in documents:
            parts.append(f"Not run yet: `{experiment.command} --data DIR`.")
            continue
        document = documents[experiment.name]
        made = document["made"]
        parts.append(
            f"From `{shown}/{experiment.name}.json`, written by `{experiment.command}` in "
            f"{made['seconds']:g} s on {made['machine']['cores']} cores ({made['machine']['processor']})."
        )
        text = experiment.show(document["result"])
        parts.append(re.sub(r"(!\[[^\]]*\]\()", rf"\g<1>{where}/", text))
    return "\n\n".join(parts) + "\n"


def bundled_models(documents: dict[str, Result]) -> str:
    """Which versions of the bundled models were measured: the package may carry newer ones by now."""
    found = sorted(set(re.findall(r"\b(?:base|tiny)@[\d.]*\d", json.dumps(documents))))
    return (
        f"The bundled models of this page are {' and '.join(f'`{name}`' for name in found)}, as the "
        "signatures in the JSON files say. The scores of the models that the package carries now are in "
        "their model cards (`src/wordalign/models/base/MODEL_CARD.md`)."
    )


def write_report(folder: Path = Options.out, page: Path = PAGE) -> Path:
    write_whole(page, render(read_results(folder), folder, page))
    return page


def stale(folder: Path = Options.out, page: Path = PAGE) -> list[Path]:
    """The Markdown files that do not say what the results say."""
    documents = read_results(folder)
    expected = {page: render(documents, folder, page)}
    for experiment in EXPERIMENTS:
        if experiment.name in documents:
            expected[folder / f"{experiment.name}.md"] = experiment.page(documents[experiment.name])
    return [path for path, text in expected.items() if not path.exists() or path.read_text("utf-8") != text]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m reproduction.report", description=__doc__)
    parser.add_argument("--results", type=Path, default=Options.out, help="folder of the results")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--figures", action="store_true", help="draw the figures again too")
    arguments = parser.parse_args()
    folder, page = arguments.results.absolute(), arguments.page.absolute()
    if arguments.check:
        old = stale(folder, page)
        names = ", ".join(os.path.relpath(path) for path in old)
        sys.exit(f"Not what the results say: {names}. Run python -m reproduction.report." if old else 0)
    for experiment in EXPERIMENTS:
        document = read_results(folder).get(experiment.name)
        if document is not None:
            experiment.publish(document, folder, figures=arguments.figures)
    print(write_report(folder, page))


if __name__ == "__main__":
    main()
