"""Tables 2 and 7: every system on every set, word and subword level.

    python -m reproduction.main_comparison --data DIR

The statistical aligners are symmetrised by grow-diag-final-and, as in the paper.
"""

from __future__ import annotations

from typing import Any

from reproduction.lab.cells import Cell, embedding_cells, judge, metric_table, not_run_notes, pick
from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, LANGUAGES, METRICS, paper_scores, read_paper
from reproduction.lab.statistical import ENGINES, ibm4_amount
from reproduction.lab.systems import NotRunError, System, map_failed, map_qualities
from reproduction.lab.tables import both, listed, number, table
from wordalign.evaluate import compare

LEVELS = ("word", "subword")
SYMMETRIZATION = "grow-diag-final-and"


def run(lab: Lab) -> Result:
    cells: list[Cell] = []
    for level in LEVELS:
        for engine in ENGINES:
            cells += [_statistical(lab, engine, level, language) for language in LANGUAGES]
        for system in lab.systems:
            for language in LANGUAGES:
                cells += _embedding(lab, system, level, language)
    for row, by_language in read_paper()["table7"]["prior"].items():
        for language in by_language:
            paper = paper_scores("table7", "prior", row, language)
            cells.append(
                {
                    "system": row,
                    "label": row,
                    "kind": "prior",
                    "level": "prior",
                    "method": None,
                    "language": language,
                    "paper": paper,
                    "not_run": "the paper cites it from earlier work",
                }
            )
    return {
        **lab.training_amounts,
        "maps": map_qualities(lab.options.vectors),
        "cells": cells,
        "significance": list(_significance(lab)),
    }


def _statistical(lab: Lab, engine: str, level: str, language: str) -> Cell:
    pairs = lab.training_size(engine, language, level=level)
    found = judge(
        lab,
        language,
        [engine],
        lambda: {engine: lab.statistical(engine, level, language, pairs, SYMMETRIZATION)},
    )[engine]
    if "scores" in found:
        found["text_pairs"] = lab.trained(engine, level, language, pairs).text_pairs
    return {
        "system": engine,
        "label": LABELS[engine],
        "kind": "statistical",
        "level": level,
        "method": None,
        "language": language,
        "paper": paper_scores("table7", level, engine, language),
        **found,
    }


def _embedding(lab: Lab, system: System, level: str, language: str) -> list[Cell]:
    methods = ["argmax", "itermax"]
    if system.kind == "bundled":
        methods.append("calibrated")
    if language in lab.languages:
        lab.say(f"{system.label}, {level} level, eng-{language}")
    return embedding_cells(
        lab,
        system,
        level,
        methods,
        language,
        lambda method: paper_scores("table7", level, f"{system.paper} {method}", language),
    )


def _significance(lab: Lab) -> Any:
    """Is `base` (Argmax, word level) better than eflomal by more than chance? Paired tests on F1."""
    base = lab.systems[0]
    for level in LEVELS:
        for language in lab.languages:
            golds = lab.gold(language).golds
            facts = {
                "first": f"{base.label}, argmax, word level",
                "second": f"eflomal, {level} level",
                "second_level": level,
                "language": language,
            }
            try:
                links = lab.links(base, "word", ["argmax"], language)["argmax"]
                facts["first_signature"] = links.signature
                first = links.against(golds)
                trained = lab.statistical(
                    "eflomal", level, language, lab.training_size("eflomal", language), SYMMETRIZATION
                )
            except NotRunError as error:
                yield facts | {"not_run": str(error)}
                continue
            found = compare(first, trained.against(golds)).differences["f1"]
            yield facts | {
                "signature": trained.signature,
                "difference": round(found.difference, 5),
                "low": round(found.low, 5),
                "high": round(found.high, 5),
                "p": round(max(found.p_bootstrap, found.p_randomisation), 4),
                "significant": bool(found.significant()),
            }


def title(cell: Cell) -> str:
    method = f" – {cell['method'].capitalize()}" if cell["method"] else ""
    return f"{cell['label']}{method}"


def show(result: Result) -> str:
    cells = result["cells"]
    sizes = {language: found[-1] for language, found in read_paper()["table1"]["sets"].items()}
    parts = [
        "Our number, in brackets the paper's and the difference. The statistical aligners are symmetrised by "
        "grow-diag-final-and and trained on the sentences of the gold set and other parallel text: as much "
        f"as the paper's aligners had, but at most {result['train_pairs']:,} pairs (IBM 4, by far the "
        f"slowest, {ibm4_amount(result)}) and all that there are ({_amounts(cells)}); the paper used "
        f"{listed([f'{size:,} for {language}' for language, size in sizes.items()])}. Their subwords are "
        "those of the bundled model, the paper's those of mBERT. Persian's gold set is not available: its "
        "column is the paper's alone."
    ]
    if any(cell.get("kept") for cell in cells):
        parts.append(
            "What was neither trained nor given here stays as an earlier run left it (`--keep`); `kept` and "
            "the signatures in the JSON file say what that is."
        )
    if result["maps"]:
        parts += ["### The static vectors", _maps_table(result["maps"])]
    for metric, heading in (("f1", "F1"), ("aer", "AER")):
        rows = [
            [
                title(row[0]),
                row[0]["level"] if row[0]["kind"] != "prior" else "",
                *_by_language(row, metric),
                _note(row),
            ]
            for row in _rows(cells)
            if row[0]["method"] != "itermax" and _has(row, metric)
        ]
        header = [heading, "level", *LANGUAGES, ""]
        parts += [f"### Table 2: {heading}", table(header, rows)]
    parts.append("### Table 7: precision, recall, F1 and AER, Argmax and Itermax")
    for language in LANGUAGES:
        missing = {cell.get("not_run") for cell in pick(cells, language=language, level="word")}
        note = ": not run, gold not available" if missing == {"gold not available"} else ""
        parts.append(f"#### ENG-{language.upper()}{note}")
        found = pick(cells, language=language)
        parts.append(
            metric_table(
                found,
                METRICS,
                lambda cell: title(cell) + ("" if cell["kind"] == "prior" else f", {cell['level']}"),
            )
        )
    parts += ["### Is the difference to eflomal more than chance?", *_significances(result["significance"])]
    return "\n\n".join(parts)


def _amounts(cells: list[Cell]) -> str:
    """How much text eflomal had, by language."""
    found = {
        cell["language"]: cell["text_pairs"]
        for cell in pick(cells, system="eflomal", level="word")
        if "text_pairs" in cell
    }
    return ", ".join(f"{language} {pairs:,}" for language, pairs in found.items()) or "none was run"


def _rows(cells: list[Cell]) -> list[list[Cell]]:
    """Cells of one row of Table 2 together, prior work first."""
    rows: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in sorted(cells, key=lambda cell: cell["kind"] != "prior"):
        rows.setdefault((cell["system"], cell["level"], cell["method"]), []).append(cell)
    return list(rows.values())


def _by_language(row: list[Cell], metric: str) -> list[str]:
    found = {cell["language"]: cell for cell in row}
    return [
        both(
            found.get(language, {}).get("scores", {}).get(metric),
            (found.get(language, {}).get("paper") or {}).get(metric),
        )
        for language in LANGUAGES
    ]


def _has(row: list[Cell], metric: str) -> bool:
    return any(metric in cell.get("scores", {}) or metric in (cell.get("paper") or {}) for cell in row)


def _note(row: list[Cell]) -> str:
    reasons = {cell["not_run"] for cell in row if "not_run" in cell} - {"gold not available"}
    return "; ".join(f"not run: {reason}" for reason in sorted(reasons))


def _maps_table(maps: dict[str, Any]) -> str:
    rows = []
    for name, found in maps.items():
        level, _, pair = name.partition("/")
        made = found.get("made", {})
        english_first = sorted(made, key=lambda side: side != "eng")
        text = " and ".join(f"{made[side]['words'] / 1e6:.1f}" for side in english_first)
        translation = found.get("translation")
        rows.append(
            [
                pair.upper(),
                level,
                text or "–",
                found.get("start", ""),
                f"{found['mutual']:.0%}",
                f"{found['recovered']:.0%}" + (": failed" if map_failed(found) else ""),
                number(translation["precision_at_1_csls"]) if translation else "–",
                f"{translation['dictionary']}, {translation['test_words']:,} words" if translation else "",
            ]
        )
    header = ["", "level", "million words", "start", "mutually nearest", "recovered", "P@1", "of"]
    return (
        "fastText vectors of the two sides of a text, shuffled, each pair mapped into one space, from "
        "similarity distributions or from words spelled the same (docs/static.md). Recovered: the share of "
        "mutually nearest words that a few of them lead back to; from 30 % on a map is certainly good, below "
        "2 % it has failed, and its vectors are not used. P@1: how often the nearest word (CSLS) of an "
        "English word is one of its translations in a dictionary.\n\n" + table(header, rows)
    )


def _significances(tests: list[Result]) -> list[str]:
    rows = [
        [
            f"{test['first']} − {test['second']}",
            test["language"],
            f"{test['difference']:+.3f}",
            f"{test['low']:+.3f} to {test['high']:+.3f}",
            number(test["p"]),
        ]
        for test in tests
        if "not_run" not in test
    ]
    parts = not_run_notes(tests, lambda test: f"{test['second']}, {test['language']}")
    if rows:
        parts = [
            table(["F1", "", "difference", "95 % interval", "p"], rows),
            "Paired bootstrap and approximate randomisation over sentences; p is the larger of the two.",
            *parts,
        ]
    return parts


EXPERIMENT = Experiment(
    name="main_comparison",
    title="Comparison of embedding-based and statistical aligners",
    paper="Tables 2 and 7",
    uses=("bundled", "models", "vectors", "engines", "text", "train_pairs", "ibm4_pairs"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
