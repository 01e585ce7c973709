"""Claims about the methods, and about distortion and null: Tables 3, 4, 5 and 8, Figure 9."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from reproduction.claims.finding import (
    AGREES,
    DIFFERS,
    NOT_RUN,
    PARTLY,
    Finding,
    Results,
    cells_of,
    each,
    judged,
    mean,
    shown,
)
from reproduction.lab.cells import Cell, pick, value
from reproduction.lab.tables import listed, number, signed


def itermax_trade(results: Results) -> Finding:
    claim = "More iterations of Itermax cost precision and gain recall (Table 4)."
    cells = cells_of(results, "itermax")
    hits = cases = 0
    for system in each(cells, "system"):
        for language in each(pick(cells, system=system), "language"):
            chosen = {
                cell["setting"]: cell["scores"] for cell in pick(cells, system=system, language=language)
            }
            steps = [chosen[setting] for setting in ("1", "2 0.9", "3 0.9")]
            cases += 1
            hits += all(
                one["precision"] > two["precision"] and one["recall"] < two["recall"]
                for one, two in pairwise(steps)
            )
    return judged(hits, cases, claim, f"So it is in {hits} of {cases} cases (encoder and set).")


def itermax_better(results: Results) -> Finding:
    claim = "Itermax (two iterations, α = .9) has an F1 as high as Argmax or higher (Table 4)."
    cells = cells_of(results, "itermax")
    gaps: dict[str, list[float]] = {}
    for cell in pick(cells, setting="1"):
        other = value(cells, system=cell["system"], language=cell["language"], setting="2 0.9")
        if other is not None:
            gaps.setdefault(shown(cell["label"]), []).append(other - cell["scores"]["f1"])
    every = [gap for found in gaps.values() for gap in found]
    hits = sum(gap > -0.005 for gap in every)
    said = "; ".join(f"{name} {', '.join(signed(gap, 3) for gap in found)}" for name, found in gaps.items())
    reason = ""
    if mean(gaps.get("`base`", [0.0])) < 0:
        reason = (
            "`base` was trained to make linked words each other's best, so that Argmax already finds most "
            "links and what Itermax adds is mostly wrong; mBERT was not, and its Argmax leaves more to find."
        )
        own = [gap for name, found in gaps.items() if name.startswith("own") for gap in found]
        if own:
            said_own = "gains" if mean(own) > 0 else "loses"
            reason += (
                f" The test of that is the mBERT of our own, which was not trained to align either: it "
                f"{said_own} {number(abs(mean(own)))} on average."
            )
    found = f"Itermax minus Argmax on {listed(each(cells, 'language'))}: {said}."
    return judged(hits, len(every), claim, found, reason)


def match_last(results: Results) -> Finding:
    claim = "Match has the lowest F1 of the three methods, but a higher recall than Argmax (Table 3)."
    cells = pick(cells_of(results, "methods"), level="subword")
    hits = cases = 0
    missed = []
    for system in each(cells, "system"):
        for language in each(pick(cells, system=system), "language"):
            found = pick(cells, system=system, language=language)
            scores = {cell["method"]: cell["scores"] for cell in found}
            lowest = scores["match"]["f1"] <= min(scores["argmax"]["f1"], scores["itermax"]["f1"])
            good = lowest and scores["match"]["recall"] > scores["argmax"]["recall"]
            cases, hits = cases + 1, hits + good
            if not good:
                missed.append(f"{shown(found[0]['label'])} on {language}")
    said = f"So it is in {hits} of {cases} cases (encoder and set, subword level)."
    return judged(hits, cases, claim, said + (f" Not so: {listed(missed)}." if missed else ""))


def null_precision(results: Results) -> Finding:
    claim = "Null raises precision, costs recall, and mostly lowers F1 (Tables 5 and 8)."
    cells = cells_of(results, "extensions")
    hits = lower = cases = 0
    for cell in pick(cells, setting="null"):
        plain, mine = _plain(cells, cell)["scores"], cell["scores"]
        cases += 1
        hits += mine["precision"] >= plain["precision"] and mine["recall"] <= plain["recall"]
        lower += mine["f1"] <= plain["f1"]
    found = (
        f"Precision is no lower and recall no higher in {hits} of {cases} cases (encoder, level, method and "
        f"set); F1 is no higher in {lower}."
    )
    return judged(hits, cases, claim, found)


def distortion(results: Results) -> Finding:
    claim = (
        "A distortion prior helps static embeddings, but not for Hindi, and has little or a harmful effect "
        "on contextual ones (Tables 5 and 8)."
    )
    cells = cells_of(results, "extensions")
    gaps: dict[str, list[float]] = {}
    hits = cases = 0
    for cell in pick(cells, setting="distortion"):
        gap = cell["scores"]["f1"] - _plain(cells, cell)["scores"]["f1"]
        gaps.setdefault(f"{shown(cell['label'])} {cell['language']}", []).append(gap)
        helps = cell["kind"] == "static" and cell["language"] != "hin"
        cases, hits = cases + 1, hits + (gap > 0 if helps else gap < 0.005)
    said = ", ".join(f"{name} {signed(mean(found), 3)}" for name, found in gaps.items())
    said = f"Mean change of F1: {said}; {hits} of {cases} cases are as the paper says."
    finding = judged(hits, cases, claim, said)
    if finding.verdict == AGREES and not pick(cells, kind="static"):
        return replace(finding, verdict=PARTLY, reason="There were no static vectors.")
    return finding


def _plain(cells: list[Cell], cell: Cell) -> Cell:
    same = ("system", "level", "method", "language")
    return pick(cells, setting="plain", **{key: cell[key] for key in same})[0]


def kappa(results: Results) -> Finding:
    claim = "With static embeddings κ > 0 helps, and which value hardly matters (Figure 9)."
    cells = pick(cells_of(results, "corrections", "kappa"), kind="static", method="argmax")
    none = value(cells, kappa_value=0.0)
    if none is None:
        return Finding(NOT_RUN, claim, "There were no static vectors.")
    others = [cell["scores"]["f1"] for cell in cells if cell["kappa_value"] >= 0.2]
    helps, flat = min(others) > none, max(others) - min(others) < 0.03
    found = (
        f"fastText with Argmax: {number(none)} without, from {number(min(others))} to {number(max(others))} "
        "with κ from .2 to 1."
    )
    return Finding(AGREES if helps and flat else PARTLY if helps or flat else DIFFERS, claim, found)


def tau(results: Results) -> Finding:
    claim = "A smaller τ of null raises precision and lowers recall, while F1 stays stable (Figure 9)."
    cells = cells_of(results, "corrections", "tau")
    hits = cases = 0
    said = []
    for system in each(cells, "system"):
        found = {cell["percentile_value"]: cell for cell in pick(cells, system=system)}
        low, high = found[90.0]["scores"], found[100.0]["scores"]
        change = {metric: low[metric] - high[metric] for metric in ("precision", "recall", "f1")}
        cases += 1
        hits += change["precision"] > 0 > change["recall"] and change["f1"] > -0.03
        changes = ", ".join(f"{metric} {signed(gap, 3)}" for metric, gap in change.items())
        said.append(f"{shown(found[90.0]['label'])} {changes}")
    reason = ""
    if hits < cases:
        reason = (
            "Null drops a fixed share of all links, here a tenth: the better the links, the more of the "
            "dropped ones were right."
        )
    return judged(
        hits, cases, claim, f"From the 100th to the 90th percentile, Match: {'; '.join(said)}.", reason
    )
