"""Scores of many systems and settings on many sets, as a flat list that tables and figures pick from.

A cell says what it is of (system, level, method, language …), and has either `scores` and `signature`, or
`not_run`; `paper` is what the paper has in its place, None where it has nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reproduction.lab.lab import Lab
from reproduction.lab.scores import Found, scores_of
from reproduction.lab.systems import NotRunError, System
from reproduction.lab.tables import both, table

Cell = dict[str, Any]

METRIC_TITLES = {"precision": "Prec.", "recall": "Rec.", "f1": "F1", "aer": "AER"}


def judge(
    lab: Lab, language: str, names: Sequence[str], find: Callable[[], Mapping[str, Found]]
) -> dict[str, Cell]:
    """By name: the scores of what was found, or why nothing was."""
    try:
        golds = lab.gold(language).golds
        found = find()
    except NotRunError as error:
        return {name: {"not_run": str(error)} for name in names}
    return {
        name: {
            "scores": scores_of(found[name].against(golds).counts),
            "signature": found[name].signature,
        }
        for name in names
    }


def embedding_cells(
    lab: Lab,
    system: System,
    level: str,
    methods: Sequence[str],
    language: str,
    paper: Callable[[str], dict[str, float] | None],
    *,
    kappa: float = 0.0,
    percentile: float | None = None,
    **more: object,
) -> list[Cell]:
    """A cell for each method; `paper` finds the paper's scores of one, `more` goes into every cell."""
    names = [spec.partition(":")[0] for spec in methods]
    found = judge(
        lab,
        language,
        names,
        lambda: lab.links(
            system, level, lab.methods(system, methods), language, kappa=kappa, percentile=percentile
        ),
    )
    return [
        {
            "system": system.key,
            "label": system.label,
            "kind": system.kind,
            "level": level,
            "method": name,
            "language": language,
            **more,
            "paper": paper(name),
            **found[name],
        }
        for name in names
    ]


def pick(cells: Iterable[Cell], **wanted: object) -> list[Cell]:
    """Those of these system, level, language …"""
    return [cell for cell in cells if all(cell.get(key) == value for key, value in wanted.items())]


def value(cells: Iterable[Cell], metric: str = "f1", **wanted: object) -> float | None:
    """One score of the one cell that is picked; None where it was not run or is not there."""
    found = pick(cells, **wanted)
    if not found or "scores" not in found[0]:
        return None
    number: float = found[0]["scores"][metric]
    return number


def metric_rows(
    cells: Sequence[Cell], metrics: Sequence[str], title: Callable[[Cell], str]
) -> list[list[str]]:
    """A row a cell, a column a metric; rows that nobody filled are left out."""
    return [
        [
            title(cell),
            *(
                both(cell.get("scores", {}).get(metric), (cell.get("paper") or {}).get(metric))
                for metric in metrics
            ),
        ]
        for cell in cells
        if "scores" in cell or cell.get("paper")
    ]


def metric_table(cells: Sequence[Cell], metrics: Sequence[str], title: Callable[[Cell], str]) -> str:
    header = ["", *(METRIC_TITLES[metric] for metric in metrics)]
    return table(header, metric_rows(cells, metrics, title))


def not_run_notes(cells: Sequence[Cell], name: Callable[[Cell], str]) -> list[str]:
    """A sentence for each reason why something was not run, with all that it holds for."""
    reasons: dict[str, dict[str, None]] = {}
    for cell in cells:
        if "not_run" in cell:
            reasons.setdefault(cell["not_run"], {})[name(cell)] = None
    return [f"{', '.join(names)} not run: {reason}." for reason, names in reasons.items()]
