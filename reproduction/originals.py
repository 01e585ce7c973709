"""Are our fast_align and our IBM 4 the original ones? Ours and the programs on the same text.

    python -m reproduction.originals --data DIR --programs FOLDER

FOLDER has the programs, built from their authors' sources: `fast_align` (github.com/clab/fast_align), and
`GIZA++`, `mkcls`, `plain2snt.out` and `snt2cooc.out` (github.com/moses-smt/giza-pp). Both directions are
symmetrised by this package. What differs then is the program alone; what is left of the distance to the
paper's numbers is the text's.
"""

from __future__ import annotations

from reproduction.lab.cells import Cell, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, paper_scores
from reproduction.lab.programs import ORIGINALS, Original
from reproduction.lab.scores import scores_of
from reproduction.lab.systems import NotRunError
from reproduction.lab.tables import number, table
from wordalign.evaluate import evaluate

OURS = "ours"


def run(lab: Lab) -> Result:
    cells = [
        cell
        for original in ORIGINALS
        for language in lab.languages
        for cell in _compare(lab, original, language)
    ]
    return {"cells": cells, "pairs": {original.engine: original.pairs for original in ORIGINALS}}


def _compare(lab: Lab, original: Original, language: str) -> list[Cell]:
    """One engine on one set: ours, then the program in each of its ways."""
    engine, pairs = original.engine, original.pairs
    paper = paper_scores("table2", "word", engine, language)
    facts: Cell = {"engine": engine, "language": language, "paper": paper, "pairs": pairs}
    cells: list[Cell] = []
    try:
        ours = lab.statistical(engine, "word", language, pairs, original.symmetrization)
        scores = scores_of(ours.against(lab.gold(language).golds).counts)
        cells.append(facts | {"program": OURS, "scores": scores, "signature": ours.signature})
    except NotRunError as error:
        cells.append(facts | {"program": OURS, "not_run": str(error)})
    for way in original.ways:
        try:
            gold = lab.gold(language)
            folder = original.find(lab.options.programs)
            lab.say(f"{way}, {gold.name}")
            text = [*gold.pairs, *lab.text(language, pairs)]
            links = original.link(folder, way, text)[: len(gold.pairs)]
            cells.append(facts | {"program": way, "scores": scores_of(evaluate(gold.golds, links).counts)})
        except NotRunError as error:
            cells.append(facts | {"program": way, "not_run": str(error)})
    return cells


def show(result: Result) -> str:
    parts = []
    for original in ORIGINALS:
        cells = [cell for cell in pick(result["cells"], engine=original.engine) if "scores" in cell]
        if any(cell["program"] != OURS for cell in cells):
            pairs = result["pairs"][original.engine]
            parts.append(f"{LABELS[original.engine]}, {pairs:,} pairs of text:\n\n{_table(cells)}")
    if not parts:
        return "Not run: it takes the original programs (`--programs FOLDER`)."
    intro = (
        "F1 at the word level with grow-diag-final-and: the library that this package calls, and the program "
        "of the aligner's authors on the same text. fast_align with the paper's flags (`-d -o -v`) and with "
        "others; GIZA++ with the paper's settings (5 iterations each of IBM 1, the HMM, IBM 3 and IBM 4, "
        "p0 = 0.98), with word classes and without."
    )
    return "\n\n".join([intro, *parts])


def _table(cells: list[Cell]) -> str:
    languages = list(dict.fromkeys(cell["language"] for cell in cells))
    rows = []
    for program in dict.fromkeys(cell["program"] for cell in cells):
        found = {cell["language"]: cell["scores"]["f1"] for cell in pick(cells, program=program)}
        label = "ours (sil-thot)" if program == OURS else program
        rows.append([label, *(number(found.get(language)) for language in languages)])
    paper = {cell["language"]: (cell["paper"] or {}).get("f1") for cell in cells}
    rows.append(["the paper, on its own text", *(number(paper[language], 2) for language in languages)])
    return table(["", *languages], rows)


EXPERIMENT = Experiment(
    name="originals",
    title="The original fast_align and GIZA++",
    paper="beside Table 2",
    uses=("engines", "text", "programs"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
