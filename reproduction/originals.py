"""Is our fast_align the original one? The two on the same text, with the same flags and with others.

    python -m reproduction.originals --data DIR --programs FOLDER

FOLDER has the program `fast_align`, built from its authors' sources (github.com/clab/fast_align). Both
directions are symmetrised by this package. What differs then is the program alone; what is left of the
distance to the paper's numbers is the text's.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from reproduction.lab.cells import Cell
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.gold import GoldSet
from reproduction.lab.lab import Lab
from reproduction.lab.paper import paper_scores
from reproduction.lab.scores import scores_of
from reproduction.lab.systems import NotRunError
from reproduction.lab.tables import number, table
from reproduction.lab.text import WordPair
from wordalign.evaluate import evaluate
from wordalign.io import parse_pharaoh
from wordalign.links.symmetrize import symmetrize

PAIRS = 10_000
SYMMETRIZATION = "grow-diag-final-and"
# The paper's flags; without variational Bayes; with a fixed diagonal; with twice the iterations.
FLAGS = ("-d -o -v", "-d -o", "-d -v", "-d -o -v -I 10")


def run(lab: Lab) -> Result:
    cells: list[Cell] = []
    for language in lab.languages:
        facts = {"language": language, "paper": paper_scores("table2", "word", "fast_align", language)}
        try:
            gold, text = lab.gold(language), lab.text(language, PAIRS)
            ours = lab.statistical("fast_align", "word", language, PAIRS, SYMMETRIZATION)
        except NotRunError as error:
            cells.append(facts | {"program": "ours", "not_run": str(error)})
            continue
        scores = scores_of(ours.against(gold.golds).counts)
        cells.append(facts | {"program": "ours", "scores": scores, "signature": ours.signature})
        for flags in FLAGS if lab.options.programs else ():
            lab.say(f"fast_align {flags}, {gold.name}")
            found = _original(lab.options.programs, flags, gold, text)
            cells.append(facts | {"program": f"fast_align {flags}", "scores": found})
    return {"cells": cells, "pairs": PAIRS}


def _original(programs: Path | None, flags: str, gold: GoldSet, text: list[WordPair]) -> Result:
    """The scores of the program itself; in lower case, as ours."""
    assert programs is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        lines = [" ||| ".join(" ".join(side).lower() for side in pair) for pair in (*gold.pairs, *text)]
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        both = []
        for direction in ([], ["-r"]):
            command = [str(programs / "fast_align"), "-i", str(path), *flags.split(), *direction]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            lines = done.stdout.splitlines()[: len(gold.pairs)]
            both.append([frozenset(parse_pharaoh(line).links) for line in lines])
    links = [symmetrize(forward, backward, SYMMETRIZATION) for forward, backward in zip(*both, strict=True)]
    return scores_of(evaluate(gold.golds, links).counts)


def show(result: Result) -> str:
    cells = [cell for cell in result["cells"] if "scores" in cell]
    if not any(cell["program"] != "ours" for cell in cells):
        return "Not run: it takes the original program (`--programs FOLDER`)."
    languages = list(dict.fromkeys(cell["language"] for cell in cells))
    rows = []
    for program in dict.fromkeys(cell["program"] for cell in cells):
        found = {cell["language"]: cell["scores"]["f1"] for cell in cells if cell["program"] == program}
        label = "ours (sil-thot)" if program == "ours" else f"`{program}`"
        rows.append([label, *(number(found.get(language)) for language in languages)])
    paper = {cell["language"]: (cell["paper"] or {}).get("f1") for cell in cells}
    rows.append(["the paper, on more text", *(number(paper[language], 2) for language in languages)])
    return (
        f"F1 at the word level, {result['pairs']:,} pairs of text and {SYMMETRIZATION}: the library that "
        "this package calls, and the program of fast_align's authors on the same files, with the paper's "
        "flags (`-d -o -v`) and with others.\n\n" + table(["", *languages], rows)
    )


EXPERIMENT = Experiment(
    name="originals",
    title="The original fast_align",
    paper="beside Table 2",
    uses=("engines", "text", "programs"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
