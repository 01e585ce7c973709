"""Table 9: the two directions of the statistical aligners, by intersection and by grow-diag-final-and.

python -m reproduction.symmetrisation --data DIR
"""

from __future__ import annotations

from reproduction.lab.cells import Cell, judge, metric_table, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, LANGUAGES, METRICS, paper_scores
from reproduction.lab.scores import Found
from reproduction.lab.statistical import ENGINES, SYMMETRIZATIONS, ibm4_amount

LEVEL = "word"


def run(lab: Lab) -> Result:
    cells = [cell for engine in ENGINES for language in LANGUAGES for cell in _cells(lab, engine, language)]
    return {**lab.training_amounts, "cells": cells}


def _cells(lab: Lab, engine: str, language: str) -> list[Cell]:
    def find() -> dict[str, Found]:
        trained = lab.trained(engine, LEVEL, language, lab.training_size(engine, language))
        return {heuristic: trained.symmetrized(heuristic) for heuristic in SYMMETRIZATIONS}

    found = judge(lab, language, SYMMETRIZATIONS, find)
    return [
        {
            "system": engine,
            "label": LABELS[engine],
            "level": LEVEL,
            "heuristic": heuristic,
            "language": language,
            "paper": paper_scores("table9", LEVEL, f"{engine} {heuristic}", language),
            **found[heuristic],
        }
        for heuristic in SYMMETRIZATIONS
    ]


def show(result: Result) -> str:
    cells = result["cells"]
    parts = [
        f"Word level; trained as in the main comparison (at most {result['train_pairs']:,} pairs of text, "
        f"IBM 4 {ibm4_amount(result)}). In brackets the paper's numbers and the difference."
    ]
    for language in LANGUAGES:
        missing = {cell.get("not_run") for cell in pick(cells, language=language)}
        note = ": not run, gold not available" if missing == {"gold not available"} else ""
        parts += [
            f"#### ENG-{language.upper()}{note}",
            metric_table(
                pick(cells, language=language), METRICS, lambda cell: f"{cell['label']}, {cell['heuristic']}"
            ),
        ]
    others = [cell for cell in cells if cell.get("not_run") != "gold not available"]
    return "\n\n".join([*parts, *not_run_notes(others, lambda cell: cell["label"])])


EXPERIMENT = Experiment(
    name="symmetrisation",
    title="Symmetrisation of the statistical aligners",
    paper="Table 9",
    uses=("engines", "text", "train_pairs", "ibm4_pairs"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
