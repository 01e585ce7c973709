"""The small mBERT of our own as it learned: F1 of its layers on development sets, from note to note.

    python -m reproduction.own_model --data DIR --model own=WORK/model

Reads WORK/training.json, which `reproduction/mlm/train.py` wrote. No test set is looked at: this is where the
layer was chosen.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean
from typing import Any

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.tables import number, table


def run(lab: Lab) -> Result:
    folder = lab.system("own").model
    path = Path(folder).parent / "training.json"
    if not folder or not path.is_file():
        return {"not_run": "no model given with the notes of its training (--model own=WORK/model)"}
    found: Result = json.loads(path.read_text("utf-8"))
    return found


def means(note: Result) -> list[float]:
    """Mean F1 over the sets, by layer."""
    return [mean(scores) for scores in zip(*note["f1"].values(), strict=True)]


def show(result: Result) -> str:
    if "not_run" in result:
        return f"Not run: {result['not_run']}."
    shape, notes = result["shape"], [note for note in result["log"] if "f1" in note]
    sets = [name.partition(".")[0].removeprefix("eng-") for name in notes[-1]["f1"]]
    rows = []
    for note in notes:
        best = max(range(shape["layers"] + 1), key=means(note).__getitem__)
        each = [number(scores[best]) for scores in note["f1"].values()]
        rows.append(
            [
                f"{note['tokens'] / 1e6:,.0f}",
                f"{note['loss']:.2f}",
                str(best),
                number(means(note)[best]),
                *each,
            ]
        )
    last = means(notes[-1])
    return "\n\n".join(
        [
            f"A BERT of {shape['layers']} layers, width {shape['width']} and {shape['vocabulary']:,} pieces "
            f"of words, trained for {result['settings']['seconds']:g} s on one {result['device']} from "
            "single sentences of nine languages, of which no two are translations of each other "
            "(`reproduction/mlm`). After so many million tokens: the loss, the layer with the highest mean "
            "F1 (Argmax, subword level) on eight development sets, and the F1 of that layer. None of them is "
            "a test set.",
            table(["million tokens", "loss", "best layer", "mean F1", *sets], rows),
            "Mean F1 of all layers at the end: "
            + ", ".join(f"{layer}: {number(score)}" for layer, score in enumerate(last))
            + ".",
            "![Mean F1 by layer, as the training went](own_model.png)",
        ]
    )


def draw(result: Result) -> dict[str, Any]:
    if "not_run" in result:
        return {}
    notes = [note for note in result["log"] if "f1" in note]
    figure, (axis,) = new_figure(width=6.4)
    for number_, note in enumerate(notes):
        # From light to dark as the training went.
        shade = str(0.8 * (1 - number_ / max(len(notes) - 1, 1)))
        label = f"{note['tokens'] / 1e6:,.0f} million tokens" if note in (notes[0], notes[-1]) else None
        axis.plot(range(len(means(note))), means(note), marker=".", color=shade, label=label)
    axis.set(xlabel="layer", ylabel="mean F1", title="development sets, as the training went")
    axis.set_xticks(range(len(means(notes[-1]))))
    axis.legend(fontsize=8, loc="lower center")
    return {"": figure}


EXPERIMENT = Experiment(
    name="own_model",
    title="A small mBERT of our own, as it learned",
    paper="beside Figure 4",
    uses=("models",),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
