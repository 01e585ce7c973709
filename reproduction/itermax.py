"""Table 4: Itermax with different numbers of iterations and different alpha, word level.

python -m reproduction.itermax --data DIR
"""

from __future__ import annotations

from functools import partial

from reproduction.lab.cells import Cell, embedding_cells, metric_table, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import METRICS, paper_scores, read_paper
from reproduction.lab.systems import sweep_systems

LANGUAGES = ("deu", "ces", "hin")
LEVEL = "word"


def run(lab: Lab) -> Result:
    cells: list[Cell] = []
    for system in sweep_systems(lab.systems):
        for language in LANGUAGES:
            for setting in settings():
                n_max, _, alpha = setting.partition(" ")
                spec = f"itermax:n_max={n_max}" + (f",alpha={alpha}" if alpha else "")
                paper = partial(_paper, system.stands_beside, setting, language)
                cells += embedding_cells(lab, system, LEVEL, [spec], language, paper, setting=setting)
    return {"cells": cells}


def settings() -> list[str]:
    """`1`, which is Argmax, and `n_max alpha` for the paper's grid."""
    grid = read_paper()["table10"]["grid"]
    return ["1", *(f"{n} {alpha}" for n in grid["n_max"] if n > 1 for alpha in grid["alpha"])]


def _paper(system: str | None, setting: str, language: str, _: str) -> dict[str, float] | None:
    return paper_scores("table4", str(system), setting, language)


def show(result: Result) -> str:
    cells = result["cells"]
    parts = [
        "In brackets the paper's numbers and the difference; those beside other contextual encoders than "
        "mBERT are mBERT[8]'s, so that the difference is one between encoders."
    ]
    for language in LANGUAGES:
        parts += [
            f"#### ENG-{language.upper()}",
            metric_table(pick(cells, language=language), METRICS, _title),
        ]
    return "\n\n".join([*parts, *not_run_notes(cells, lambda cell: cell["label"])])


def _title(cell: Cell) -> str:
    n_max, _, alpha = cell["setting"].partition(" ")
    return f"{cell['label']}, n_max={n_max}" + (f", α={alpha}" if alpha else " (Argmax)")


EXPERIMENT = Experiment(
    name="itermax",
    title="Itermax: iterations and α",
    paper="Table 4",
    uses=("bundled", "models", "vectors"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
