"""Claims about the statistical aligners and their text: Table 9 and Figure 5."""

from __future__ import annotations

from dataclasses import replace

from reproduction.claims.finding import (
    AGREES,
    DIFFERS,
    ENGINES,
    LEVELS,
    NOT_RUN,
    PARTLY,
    Finding,
    Results,
    cells_of,
    judged,
    own_label,
)
from reproduction.lab.cells import pick, value
from reproduction.lab.paper import LABELS, read_paper
from reproduction.lab.tables import number, signed


def symmetrisation(results: Results) -> Finding:
    claim = (
        "Intersection has the higher precision, grow-diag-final-and the higher recall and mostly the higher "
        "F1 (11 wins, 4 losses, 3 ties; Table 9)."
    )
    cells = cells_of(results, "symmetrisation")
    expected = cases = wins = losses = 0
    for cell in pick(cells, heuristic="intersection"):
        same = {"system": cell["system"], "language": cell["language"]}
        few, many = cell["scores"], pick(cells, heuristic="grow-diag-final-and", **same)[0]["scores"]
        cases += 1
        expected += few["precision"] > many["precision"] and few["recall"] < many["recall"]
        # As the paper counted: on two digits.
        gap = round(many["f1"], 2) - round(few["f1"], 2)
        wins, losses = wins + (gap > 0), losses + (gap < 0)
    found = (
        f"Precision and recall are so in {expected} of {cases} cases (aligner and set); in F1 "
        f"grow-diag-final-and wins {wins} times, loses {losses} and ties {cases - wins - losses}."
    )
    finding = judged(expected, cases, claim, found)
    if finding.verdict == AGREES and wins <= losses:
        reason = (
            "With less text the two directions agree less, and what is added to them is more often wrong."
        )
        return replace(finding, verdict=PARTLY, reason=reason)
    return finding


def more_text(results: Results) -> Finding:
    claim = "Statistical aligners get better with more parallel text (Figure 5)."
    points = cells_of(results, "learning_curve", "points")
    hits = cases = 0
    said = []
    for engine in ENGINES:
        for level in LEVELS:
            curve = sorted(pick(points, system=engine, level=level), key=lambda cell: int(cell["pairs"]))
            if len(curve) < 2:
                continue
            first, last = curve[0], curve[-1]
            cases, hits = cases + 1, hits + (last["scores"]["f1"] > first["scores"]["f1"])
            said.append(
                f"{LABELS[engine]}, {level} level: {number(first['scores']['f1'])} with "
                f"{first['text_pairs']:,} pairs, {number(last['scores']['f1'])} with {last['text_pairs']:,}"
            )
    return judged(hits, cases, claim, "; ".join(said) + ".")


def line_above(results: Results) -> Finding:
    claim = "Contextual embeddings stay above the learning curves of the statistical aligners (Figure 5)."
    points = cells_of(results, "learning_curve", "points")
    line = value(cells_of(results, "learning_curve", "flat"), system="base", level="word")
    if line is None or not points:
        return Finding(NOT_RUN, claim)
    best = max(points, key=lambda cell: float(cell["scores"]["f1"]))
    found = (
        f"On ENG-DEU `base` with Argmax has {number(line)}; the best statistical aligner "
        f"({LABELS[best['system']]}, {best['level']} level, {best['text_pairs']:,} pairs) has "
        f"{number(best['scores']['f1'])}."
    )
    eflomal = pick(points, system="eflomal", level="word")
    if eflomal:
        said = read_paper()["figure5"]
        near = min(eflomal, key=lambda cell: abs(int(cell["text_pairs"]) - said["pairs"]))
        found += (
            f" In the paper's abstract mBERT is {signed(said['lead_of_mbert'])} from eflomal with "
            f"{said['pairs']:,} pairs; here `base` is {signed(line - near['scores']['f1'], 3)} from eflomal "
            f"with {near['text_pairs']:,}."
        )
    flat = cells_of(results, "learning_curve", "flat")
    own = value(flat, system="own", level="subword")
    if own is not None:
        below = [cell for cell in points if cell["scores"]["f1"] < own]
        found += f" Our {own_label(flat)} (subword level) has {number(own)}"
        if below:
            most = max(below, key=lambda cell: (int(cell["text_pairs"]), float(cell["scores"]["f1"])))
            found += (
                f", more than {LABELS[most['system']]} ({most['level']} level) with {most['text_pairs']:,} "
                f"pairs ({number(most['scores']['f1'])})"
            )
        found += "."
    return Finding(AGREES if line > best["scores"]["f1"] else DIFFERS, claim, found)
