"""Figure 5: F1 of the statistical aligners against the amount of parallel text, ENG-DEU; then all languages.

    python -m reproduction.learning_curve --data DIR

Embedding-based aligners need no parallel text: a horizontal line each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from reproduction.lab.cells import Cell, embedding_cells, judge, not_run_notes, pick, value
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import colour, new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, paper_scores, read_paper
from reproduction.lab.scores import Found
from reproduction.lab.statistical import ENGINES, ibm4_amount
from reproduction.lab.systems import System, sweep_systems
from reproduction.lab.tables import both, number, table

LANGUAGE = "deu"
LEVELS = ("word", "subword")
SYMMETRIZATION = "grow-diag-final-and"
PAPER_PAIRS = 1_920_000
# The table of all languages: what the paper does not have, for the two that are fast enough.
FAST = ("fast_align", "eflomal")
AMOUNTS = (10_000, 50_000, 200_000)
ALL = 1_000_000  # more than there is of any language


def run(lab: Lab) -> Result:
    points = [
        _point(lab, engine, level, pairs)
        for engine in ENGINES
        for level in LEVELS
        for pairs in sorted(
            {lab.training_size(engine, LANGUAGE, pairs, level) for pairs in lab.options.curve}
        )
    ]
    flat: list[Cell] = []
    for system in sweep_systems(lab.systems):
        for level in LEVELS:
            # Static vectors with distortion, as in the paper's figure.
            kappa = read_paper()["table10"]["chosen"]["kappa"] if system.kind == "static" else 0.0
            flat += embedding_cells(
                lab, system, level, ["argmax"], LANGUAGE, partial(_paper, system, level), kappa=kappa
            )
    paper = [
        {"system": engine, "level": level, "pairs": PAPER_PAIRS, "f1": _end(engine, level)}
        for engine in ENGINES
        for level in LEVELS
    ]
    most = max(lab.options.curve)
    amounts = [size for size in AMOUNTS if size <= most] + ([ALL] if most >= max(AMOUNTS) else [])
    return {
        "points": points,
        "flat": flat,
        "paper": paper,
        **lab.training_amounts,
        "languages": [
            cell
            for engine in FAST
            for language in lab.languages
            for cell in _amounts(lab, engine, language, amounts)
        ],
        "words": _without_text(lab),
    }


def _point(lab: Lab, engine: str, level: str, pairs: int, language: str = LANGUAGE) -> Cell:
    def find() -> dict[str, Found]:
        return {engine: lab.statistical(engine, level, language, pairs, SYMMETRIZATION)}

    cell = {"system": engine, "label": LABELS[engine], "level": level, "pairs": pairs}
    cell |= judge(lab, language, [engine], find)[engine]
    if "scores" in cell:
        cell["text_pairs"] = lab.trained(engine, level, language, pairs).text_pairs
    return cell


def _amounts(lab: Lab, engine: str, language: str, amounts: Sequence[int]) -> Iterator[Cell]:
    """A cell for each amount of text, up to the one that is all there is."""
    for pairs in amounts:
        cell = _point(lab, engine, "word", pairs, language)
        yield cell | {"language": language}
        if cell.get("text_pairs", pairs) < pairs:
            return


def _without_text(lab: Lab) -> list[Cell]:
    """Contextual encoders on all sets, for the same table: Argmax, word level."""
    return [
        cell
        for system in sweep_systems(lab.systems)
        if system.kind != "static"
        for language in lab.languages
        for cell in embedding_cells(lab, system, "word", ["argmax"], language, lambda _: None)
    ]


def _paper(system: System, level: str, _: str) -> dict[str, float] | None:
    if system.kind == "static":
        return paper_scores(
            "table5" if level == "word" else "table8", "fasttext", "argmax distortion", LANGUAGE
        )
    return paper_scores("table2", level, f"{system.paper} argmax", LANGUAGE)


def _end(engine: str, level: str) -> float | None:
    return (paper_scores("table2", level, engine, LANGUAGE) or {}).get("f1")


def show(result: Result) -> str:
    points, flat = result["points"], result["flat"]
    sizes = sorted({cell["pairs"] for cell in points})
    rows = []
    for engine in ENGINES:
        for level in LEVELS:
            found = [value(points, system=engine, level=level, pairs=pairs) for pairs in sizes]
            end = next(
                end["f1"] for end in result["paper"] if end["system"] == engine and end["level"] == level
            )
            rows.append([LABELS[engine], level, *map(number, found), number(end, 2)])
    header = ["F1", "level", *(f"{size:,} pairs" for size in sizes), f"paper, {PAPER_PAIRS:,} pairs"]
    lines = [
        [
            f"{cell['label']} – Argmax",
            cell["level"],
            both(cell.get("scores", {}).get("f1"), (cell["paper"] or {}).get("f1")),
        ]
        for cell in flat
        if "scores" in cell or cell["paper"]
    ]
    capped = [size for size in sizes if size > result["ibm4_pairs"]]
    notes = not_run_notes([*points, *flat], lambda cell: cell["label"])
    if capped:
        notes.append(
            f"IBM 4 is trained on at most {ibm4_amount(result)} pairs (`--ibm4-pairs`, `--ibm4-subwords`), "
            "because it takes many times as long as the others."
        )
    return "\n\n".join(
        [
            "ENG-DEU. Pairs are beside the sentences of the gold set, which are always trained on. The "
            "paper's curves have no printed numbers but their ends, which are those of Table 2.",
            table(header, rows),
            "Without parallel text (static vectors with distortion):",
            table(["F1", "level", "ours (paper, difference)"], lines),
            "![F1 against the amount of parallel text](learning_curve.png)",
            *notes,
            *_languages_table(result),
        ]
    )


def _languages_table(result: Result) -> list[str]:
    """All languages: a row an amount, and the encoders below."""
    cells = result.get("languages", [])
    languages = list(dict.fromkeys(cell["language"] for cell in cells))
    rows = []
    for engine in FAST:
        for pairs in sorted({cell["pairs"] for cell in cells}):
            found = [pick(cells, system=engine, language=language, pairs=pairs) for language in languages]
            shown = [
                f"{number(cell[0]['scores']['f1'])}"
                + (f" ({cell[0]['text_pairs']:,})" if pairs == ALL else "")
                if cell and "scores" in cell[0]
                else "–"
                for cell in found
            ]
            if set(shown) != {"–"}:
                rows.append([LABELS[engine], "all" if pairs == ALL else f"{pairs:,} pairs", *shown])
    for cell in dict.fromkeys(cell["label"] for cell in result.get("words", []) if "scores" in cell):
        found_f1 = [value(result["words"], label=cell, language=language) for language in languages]
        rows.append([f"{cell} – Argmax", "", *map(number, found_f1)])
    if not rows:
        return []
    return [
        "### All languages",
        "F1 at the word level by the amount of text. Of German and Hindi there are fewer than 200,000 pairs, "
        "and all of them are in that row. A dash: not trained.",
        table(["", "text", *languages], rows),
    ]


def draw(result: Result) -> dict[str, Any]:
    figure, axes = new_figure(len(LEVELS), width=10, height=4.4)
    for axis, level in zip(axes, LEVELS, strict=True):
        for number_, engine in enumerate(ENGINES):
            found = [cell for cell in pick(result["points"], system=engine, level=level) if "scores" in cell]
            axis.plot(
                [cell["text_pairs"] for cell in found],
                [cell["scores"]["f1"] for cell in found],
                marker="o",
                markersize=4,
                color=colour(engine, number_),
                label=LABELS[engine],
            )
        for end in result["paper"]:
            if end["level"] == level:
                axis.plot(
                    [end["pairs"]],
                    [end["f1"]],
                    marker="D",
                    linestyle="none",
                    markerfacecolor="none",
                    color=colour(end["system"]),
                    label=f"{LABELS[end['system']]} (paper)",
                )
        for number_, cell in enumerate(pick(result["flat"], level=level)):
            if "scores" in cell:
                axis.axhline(
                    cell["scores"]["f1"],
                    color=colour(cell["system"], number_),
                    label=f"{cell['label']}, Argmax",
                )
            if cell["paper"]:
                axis.axhline(
                    cell["paper"]["f1"],
                    color=colour(cell["system"], number_),
                    linestyle="--",
                    label=f"{cell['label']}, Argmax (paper)",
                )
        axis.set_xscale("log")
        axis.set(xlabel="pairs of parallel text", ylabel="F1", title=f"ENG-DEU, {level} level")
        axis.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    return {"": figure}


EXPERIMENT = Experiment(
    name="learning_curve",
    title="Amount of parallel text",
    paper="Figure 5",
    uses=("bundled", "models", "vectors", "engines", "text", "curve", "ibm4_pairs"),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
