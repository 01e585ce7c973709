"""F1 of static vectors by the amount of text that they were learned from: fastText, Argmax, word level.

    python -m reproduction.vector_text --data DIR --vectors-by-text FOLDER

FOLDER has a work folder of `static_vectors.py` for each amount, named by its sentences:

    for n in 20000 40000 80000 160000; do
        python -m reproduction.static_vectors text train heads --text TEXT --work FOLDER/$n --sentences $n \\
            --levels word --languages deu --epochs 5 --ngrams 5 5 --buckets 100000 --threads 1
        python -m reproduction.static_vectors learn apply score --work FOLDER/$n --levels word \\
            --languages deu --cutoff 4000 --random-cutoff 3000 --identical
    done

All else is the same for every amount, so that a gain is the text's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from reproduction.lab.cells import Cell, embedding_cells, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import LANGUAGE_COLOURS, new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.paper import paper_scores
from reproduction.lab.systems import map_qualities
from reproduction.lab.tables import number, table

NONE_GIVEN = "no mapped vectors given (--vectors-by-text)"


def run(lab: Lab) -> Result:
    folder = lab.options.vectors_by_text
    if folder is None:
        return {"not_run": NONE_GIVEN}
    works = sorted(
        (path for path in folder.iterdir() if path.name.isdecimal()), key=lambda path: int(path.name)
    )
    return {"cells": [cell for work in works for cell in _cells(lab, work)]}


def _cells(lab: Lab, work: Path) -> list[Cell]:
    """Those of all languages that were trained on this amount of text."""
    options = replace(lab.options, vectors=work / "mapped")
    small = Lab(options)  # one lab loads the vectors of one folder
    qualities = map_qualities(options.vectors)
    cells = []
    for language in lab.languages:
        quality = qualities.get(f"word/eng-{language}")
        if quality is None:
            continue
        facts = {
            "sentences": int(work.name),
            "words": {side: made["words"] for side, made in quality["made"].items()},
            "recovered": quality["recovered"],
        }
        cells += embedding_cells(
            small, small.system("fasttext"), "word", ["argmax"], language, _paper(language), **facts
        )
    return cells


def _paper(language: str) -> Any:
    return lambda method: paper_scores("table2", "word", f"fasttext {method}", language)


def show(result: Result) -> str:
    if "not_run" in result:
        return f"Not run: {result['not_run']}."
    cells = result["cells"]
    sizes = sorted({cell["sentences"] for cell in cells})
    rows = []
    for language in dict.fromkeys(cell["language"] for cell in cells):
        found = [pick(cells, language=language, sentences=size) for size in sizes]
        paper = next((cell["paper"] for cell in pick(cells, language=language)), None)
        row = [_shown(cell[0]) if cell else "–" for cell in found]
        rows.append([f"ENG-{language.upper()}", *row, number((paper or {}).get("f1"), 2)])
    return "\n\n".join(
        [
            "fastText, Argmax, word level, by the sentences of each language that the vectors were learned "
            "from. In brackets are the words of text in the other language, and the check of the map: the "
            "share of mutually nearest words that a second map, learned from a few of them, finds again. "
            "Text, training and map have the same settings throughout.",
            table(["F1", *(f"{size:,} sentences" for size in sizes), "the paper, all of Wikipedia"], rows),
            "![F1 against the number of words](vector_text.png)",
            *not_run_notes(cells, lambda cell: f"{cell['sentences']:,} sentences of {cell['language']}"),
        ]
    )


def _shown(cell: Cell) -> str:
    words = f"{cell['words'][cell['language']] / 1e6:.1f} million"
    score = number(cell["scores"]["f1"]) if "scores" in cell else "–"
    return f"{score} ({words}, {cell['recovered']:.0%})"


def draw(result: Result) -> dict[str, Any]:
    if "not_run" in result:
        return {}
    figure, (axis,) = new_figure(width=6, height=4)
    cells = [cell for cell in result["cells"] if "scores" in cell]
    for language in dict.fromkeys(cell["language"] for cell in cells):
        curve, colour = pick(cells, language=language), LANGUAGE_COLOURS[language]
        axis.plot(
            [cell["words"][language] for cell in curve],
            [cell["scores"]["f1"] for cell in curve],
            marker="o",
            color=colour,
            label=f"ENG-{language.upper()}",
        )
        paper = curve[0]["paper"]
        if paper:
            axis.axhline(paper["f1"], color=colour, linestyle="--", label=f"ENG-{language.upper()} (paper)")
    axis.set_xscale("log")
    axis.set(xlabel="words of the other language", ylabel="F1", title="fastText, Argmax, word level")
    axis.legend(fontsize=7)
    return {"": figure}


EXPERIMENT = Experiment(
    name="vector_text",
    title="Static vectors by the amount of text",
    paper="beside Table 2",
    uses=("vectors_by_text",),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
