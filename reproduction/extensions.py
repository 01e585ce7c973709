"""Tables 5 and 8: the methods plain, with distortion, and with null; word and subword level.

python -m reproduction.extensions --data DIR
"""

from __future__ import annotations

from functools import partial
from typing import Any

from reproduction.lab.cells import Cell, embedding_cells, metric_table, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import METRICS, paper_scores, read_paper
from reproduction.lab.systems import sweep_systems

LANGUAGES = ("deu", "ces", "hin")
METHODS = ("argmax", "itermax", "match")
TABLES = {"word": "table5", "subword": "table8"}
NAMES = {"plain": "", "distortion": " +Dist", "null": " +Null"}


def run(lab: Lab) -> Result:
    chosen = read_paper()["table10"]["chosen"]
    settings: dict[str, dict[str, Any]] = {
        "plain": {},
        "distortion": {"kappa": chosen["kappa"]},
        "null": {"percentile": chosen["tau_percentile"]},
    }
    cells: list[Cell] = []
    for system in sweep_systems(lab.systems):
        for level in TABLES:
            for language in LANGUAGES:
                for setting, arguments in settings.items():
                    paper = partial(_paper, system.stands_beside, level, setting, language)
                    cells += embedding_cells(
                        lab, system, level, METHODS, language, paper, setting=setting, **arguments
                    )
    return {"kappa": chosen["kappa"], "percentile": chosen["tau_percentile"], "cells": cells}


def _paper(
    system: str | None, level: str, setting: str, language: str, method: str
) -> dict[str, float] | None:
    return paper_scores(TABLES[level], str(system), f"{method} {setting}", language)


def show(result: Result) -> str:
    cells = result["cells"]
    parts = [
        f"+Dist: κ = {result['kappa']:g}; +Null: τ is the {result['percentile']:g}th percentile of the "
        "entropies of the links of the set. In brackets the paper's numbers and the difference; those beside "
        "other contextual encoders than mBERT are mBERT[8]'s, so that the difference is one between encoders."
    ]
    for level, name in TABLES.items():
        for language in LANGUAGES:
            parts.append(f"#### Table {name[5:]}: ENG-{language.upper()}, {level} level")
            found = sorted(
                pick(cells, level=level, language=language),
                key=lambda cell: (_order(cells, cell["system"]), METHODS.index(cell["method"])),
            )
            parts.append(metric_table(found, METRICS, _title))
    return "\n\n".join([*parts, *not_run_notes(cells, lambda cell: cell["label"])])


def _order(cells: list[Cell], system: str) -> int:
    return list(dict.fromkeys(cell["system"] for cell in cells)).index(system)


def _title(cell: Cell) -> str:
    return f"{cell['label']}, {cell['method'].capitalize()}{NAMES[cell['setting']]}"


EXPERIMENT = Experiment(
    name="extensions",
    title="Distortion and Null",
    paper="Tables 5 and 8",
    uses=("bundled", "models", "vectors"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
