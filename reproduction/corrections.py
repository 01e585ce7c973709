"""Figure 9: F1 against kappa of the distortion, and precision, recall and F1 against tau of null, ENG-DEU.

python -m reproduction.corrections --data DIR
"""

from __future__ import annotations

from typing import Any

from reproduction.lab.cells import Cell, embedding_cells, metric_table, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import colour, new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, METRICS, paper_scores, read_paper
from reproduction.lab.systems import sweep_systems
from reproduction.lab.tables import both, table

LANGUAGE = "deu"
LEVEL = "word"
METHODS = ("argmax", "itermax", "match")
# Table 5 prints two points of each curve.
KAPPA_POINTS = {0.0: "plain", 0.5: "distortion"}
TAU_POINTS = {95.0: "null", 100.0: "plain"}
LINES = {"precision": "--", "recall": ":", "f1": "-"}


def run(lab: Lab) -> Result:
    grid = read_paper()["table10"]["grid"]
    kappa: list[Cell] = []
    tau: list[Cell] = []
    for system in sweep_systems(lab.systems):
        lab.say(f"{system.label}: kappa and tau")

        def paper(method: str, setting: str | None, beside: str = system.stands_beside) -> Any:
            return paper_scores("table5", beside, f"{method} {setting}", LANGUAGE) if setting else None

        for value in grid["kappa"]:
            point = KAPPA_POINTS.get(value)
            kappa += embedding_cells(
                lab,
                system,
                LEVEL,
                METHODS,
                LANGUAGE,
                lambda method, point=point, paper=paper: paper(method, point),
                kappa=value,
                kappa_value=value,
            )
        for percentile in [*map(float, grid["tau_percentile"]), 100.0]:
            point = TAU_POINTS.get(percentile)
            tau += embedding_cells(
                lab,
                system,
                LEVEL,
                ["match"],
                LANGUAGE,
                lambda method, point=point, paper=paper: paper(method, point),
                percentile=percentile,
                percentile_value=percentile,
            )
    return {"kappa": kappa, "tau": tau}


def show(result: Result) -> str:
    kappa, tau = result["kappa"], result["tau"]
    rows = [
        [cell["label"], f"{cell['kappa_value']:g}", *_methods(kappa, cell)]
        for cell in pick(kappa, method=METHODS[0])
        if "scores" in cell
    ]
    return "\n\n".join(
        [
            "ENG-DEU, word level. Of each curve the paper prints two points (in brackets, with the "
            "difference; beside other contextual encoders than mBERT they are mBERT[8]'s).",
            "#### κ: F1",
            table(["", "κ", *(method.capitalize() for method in METHODS)], rows),
            "#### τ, as a percentile of the entropies of all links: Match",
            metric_table(
                [cell for cell in tau if "scores" in cell],
                METRICS,
                lambda cell: f"{cell['label']}, {cell['percentile_value']:g}",
            ),
            "![F1 against κ, and precision, recall and F1 against τ](corrections.png)",
            *not_run_notes(tau, lambda cell: cell["label"]),
        ]
    )


def _methods(cells: list[Cell], row: Cell) -> list[str]:
    found = pick(cells, system=row["system"], kappa_value=row["kappa_value"])
    return [both(cell["scores"]["f1"], (cell["paper"] or {}).get("f1")) for cell in found]


def draw(result: Result) -> dict[str, Any]:
    figure, (left, right) = new_figure(2, width=10)
    markers = {"argmax": "o", "itermax": "s", "match": "^"}
    ran = dict.fromkeys(cell["system"] for cell in result["kappa"] if "scores" in cell)
    for number, system in enumerate(ran):
        for method in METHODS:
            cells = pick(result["kappa"], system=system, method=method)
            left.plot(
                [cell["kappa_value"] for cell in cells],
                [cell["scores"]["f1"] for cell in cells],
                color=colour(system, number),
                marker=markers[method],
                markersize=4,
                label=f"{cells[0]['label']}, {method.capitalize()}",
            )
        cells = pick(result["tau"], system=system)
        for metric, line in LINES.items():
            right.plot(
                [cell["percentile_value"] for cell in cells],
                [cell["scores"][metric] for cell in cells],
                line,
                marker=".",
                color=colour(system, number),
                label=f"{cells[0]['label']}, {metric}",
            )
    _paper_points(left, right, markers)
    left.set(xlabel="κ of the distortion", ylabel="F1", title="Distortion, ENG-DEU, word level")
    right.set(xlabel="τ as a percentile of entropies", title="Null, ENG-DEU, Match, word level")
    for axis in (left, right):
        axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    return {"": figure}


def _paper_points(left: Any, right: Any, markers: dict[str, str]) -> None:
    """What Table 5 prints: fastText's F1 for kappa, mBERT's precision, recall and F1 for tau."""
    for method in METHODS:
        points = [
            (value, (paper_scores("table5", "fasttext", f"{method} {setting}", LANGUAGE) or {})["f1"])
            for value, setting in KAPPA_POINTS.items()
        ]
        left.plot(
            *zip(*points, strict=True),
            linestyle="none",
            marker=markers[method],
            markersize=7,
            markerfacecolor="none",
            color=colour("fasttext"),
            label=f"{LABELS['fasttext']}, {method.capitalize()} (paper)",
        )
    for metric in LINES:
        points = [
            (value, (paper_scores("table5", "mbert", f"match {setting}", LANGUAGE) or {})[metric])
            for value, setting in TAU_POINTS.items()
        ]
        right.plot(
            *zip(*points, strict=True),
            linestyle="none",
            marker={"precision": "v", "recall": "^", "f1": "D"}[metric],
            markersize=6,
            markerfacecolor="none",
            color=colour("mbert"),
            label=f"{LABELS['mbert']}, {metric} (paper)",
        )


EXPERIMENT = Experiment(
    name="corrections",
    title="κ of the distortion and τ of null",
    paper="Figure 9",
    uses=("bundled", "models", "vectors"),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
