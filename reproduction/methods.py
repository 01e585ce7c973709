"""Table 3: Argmax, Itermax and Match on every set.

python -m reproduction.methods --data DIR
"""

from __future__ import annotations

from functools import partial

from reproduction.lab.cells import Cell, embedding_cells, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LANGUAGES, paper_scores
from reproduction.lab.tables import both, table

METHODS = ("argmax", "itermax", "match")
LEVELS = ("subword", "word")


def run(lab: Lab) -> Result:
    cells: list[Cell] = []
    for system in lab.systems:
        for level in LEVELS:
            for language in LANGUAGES:
                paper = partial(_paper, system.paper, level, language)
                cells += embedding_cells(lab, system, level, METHODS, language, paper)
    return {"cells": cells}


def _paper(system: str | None, level: str, language: str, method: str) -> dict[str, float] | None:
    return paper_scores("table3", level, f"{system} {method}", language)


def show(result: Result) -> str:
    cells = result["cells"]
    rows = []
    for system in dict.fromkeys(cell["system"] for cell in cells):
        for level in LEVELS:
            for method in METHODS:
                found = pick(cells, system=system, level=level, method=method)
                if any("scores" in cell or cell["paper"] for cell in found):
                    rows.append([found[0]["label"], level, method.capitalize(), *_by_language(found)])
    reasons = not_run_notes(
        [cell for cell in cells if cell.get("not_run") != "gold not available"], lambda cell: cell["label"]
    )
    return "\n\n".join(
        [
            "F1; in brackets the paper's (which has the subword level alone) and the difference.",
            table(["Emb.", "level", "Method", *LANGUAGES], rows),
            *reasons,
        ]
    )


def _by_language(row: list[Cell]) -> list[str]:
    return [both(cell.get("scores", {}).get("f1"), (cell["paper"] or {}).get("f1")) for cell in row]


EXPERIMENT = Experiment(
    name="methods",
    title="Argmax, Itermax and Match",
    paper="Table 3",
    uses=("bundled", "models", "vectors"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
