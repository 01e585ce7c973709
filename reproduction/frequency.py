"""Figures 6 and 8: F1 by the frequency of the rarer word of a link, ENG-DEU, word and subword level.

    python -m reproduction.frequency --data DIR

Frequencies are those of the text that eflomal is trained on, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.figures import colour, new_figure
from reproduction.lab.lab import Lab
from reproduction.lab.scores import Found, scores_of
from reproduction.lab.systems import NotRunError, sweep_systems
from reproduction.lab.tables import number, table
from wordalign.evaluate import BINS, by_frequency, word_counts

LANGUAGE = "deu"
LEVELS = ("word", "subword")
SYMMETRIZATION = "grow-diag-final-and"


def run(lab: Lab) -> Result:
    pairs = lab.options.analysis_pairs
    try:
        text = lab.text(LANGUAGE, pairs)
        gold = lab.gold(LANGUAGE)
    except NotRunError as error:
        return {"not_run": str(error), "curves": []}
    frequencies = word_counts(pair[0] for pair in text), word_counts(pair[1] for pair in text)
    curves = []
    for level in LEVELS:
        finders: dict[str, tuple[str, Callable[[], Found]]] = {
            "eflomal": (
                "eflomal",
                lambda level=level: lab.statistical("eflomal", level, LANGUAGE, pairs, SYMMETRIZATION),
            )
        }
        for system in sweep_systems(lab.systems):
            finders[system.key] = (
                f"{system.label}, Argmax",
                lambda system=system, level=level: lab.links(system, level, ["argmax"], LANGUAGE)["argmax"],
            )
        for key, (label, find) in finders.items():
            curve: Result = {"system": key, "label": label, "level": level}
            try:
                found = find()
            except NotRunError as error:
                curves.append(curve | {"not_run": str(error)})
                continue
            bins = by_frequency(gold.golds, found.links, gold.pairs, frequencies)
            scores = {name: scores_of(counts) for name, counts in bins.items() if counts.sure}
            curves.append(curve | {"signature": found.signature, "bins": scores})
    return {"text_pairs": len(text), "lower_ends": list(BINS), "curves": curves}


def show(result: Result) -> str:
    if "not_run" in result:
        return f"Not run: {result['not_run']}."
    ran = [curve for curve in result["curves"] if "bins" in curve]
    names = list(ran[0]["bins"]) if ran else []
    sizes = [ran[0]["bins"][name]["counts"][3] for name in names] if ran else []
    rows = [
        [curve["label"], curve["level"], *(number(curve["bins"][name]["f1"]) for name in names)]
        for curve in ran
    ]
    reasons: dict[str, str] = {}
    for curve in result["curves"]:
        if "not_run" in curve:
            reasons[curve["label"].partition(",")[0]] = curve["not_run"]
    return "\n\n".join(
        [
            f"F1 on ENG-DEU by how often the rarer word of a link stands in {result['text_pairs']:,} pairs "
            "of parallel text (the paper: 1,920,000), with the number of sure links in each bin; eflomal is "
            "trained on the same text. The paper prints no numbers of its figure.",
            table(
                ["F1", "level", *(f"{name} ({size:,})" for name, size in zip(names, sizes, strict=True))],
                rows,
            ),
            "![F1 by frequency](frequency.png)",
            *(f"{label} not run: {reason}." for label, reason in reasons.items()),
        ]
    )


def draw(result: Result) -> dict[str, Any]:
    ran = [curve for curve in result["curves"] if "bins" in curve]
    if not ran:
        return {}
    figure, (axis,) = new_figure(width=7.2, height=4.2)
    systems = list(dict.fromkeys(curve["system"] for curve in ran))
    for curve in ran:
        names = list(curve["bins"])
        axis.plot(
            range(len(names)),
            [curve["bins"][name]["f1"] for name in names],
            "-" if curve["level"] == "subword" else "--",
            marker="o",
            markersize=4,
            color=colour(curve["system"], systems.index(curve["system"])),
            label=f"{curve['label']}, {curve['level']}",
        )
    bins = ran[0]["bins"]
    axis.set_xticks(range(len(bins)), [f"{name}\n({found['counts'][3]:,})" for name, found in bins.items()])
    axis.set(
        xlabel="frequency of the rarer word of a link (number of sure links)", ylabel="F1", title="ENG-DEU"
    )
    axis.legend(fontsize=8, handlelength=3.5)
    return {"": figure}


EXPERIMENT = Experiment(
    name="frequency",
    title="Rare words",
    paper="Figures 6 and 8",
    uses=("bundled", "models", "vectors", "engines", "text", "analysis_pairs"),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
