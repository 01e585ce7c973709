"""Table 6: F1 by part of speech, and how far the links of auxiliaries reach, ENG-DEU.

    python -m reproduction.parts_of_speech --data DIR

Tags are those of the English words (`eng.upos.txt` beside the gold links); the paper tagged both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.gold import GoldSet
from reproduction.lab.lab import Lab
from reproduction.lab.paper import paper_scores, read_paper
from reproduction.lab.scores import Found, scores_of
from reproduction.lab.systems import NotRunError, System, sweep_systems
from reproduction.lab.tables import both, number, table
from wordalign.evaluate import by_pos
from wordalign.types import Link

LANGUAGE = "deu"
LEVELS = ("word", "subword")
TAGS = ("ADJ", "ADP", "ADV", "AUX", "NOUN", "PRON", "VERB")
SYMMETRIZATION = "grow-diag-final-and"


def run(lab: Lab) -> Result:
    try:
        gold = lab.gold(LANGUAGE)
    except NotRunError as error:
        return {"not_run": str(error), "rows": []}
    if gold.tags is None:
        return {"not_run": f"no tags beside the gold links (eng.upos.txt of {gold.name})", "rows": []}
    pairs = lab.options.analysis_pairs
    rows = []
    for level in LEVELS:
        rows.append(
            _row(
                gold,
                {"system": "eflomal", "label": "eflomal", "level": level, "beside": "eflomal"},
                lambda level=level: lab.statistical("eflomal", level, LANGUAGE, pairs, SYMMETRIZATION),
            )
        )
        for system in sweep_systems(lab.systems):
            rows.append(_embedding(lab, gold, system, level))
    return {"rows": rows, "text_pairs": pairs}


def _embedding(lab: Lab, gold: GoldSet, system: System, level: str) -> Result:
    facts = {"system": system.key, "label": f"{system.label}, Argmax", "level": level}
    # The paper has mBERT alone; its numbers stand beside every contextual encoder's.
    facts["beside"] = "" if system.kind == "static" else "mbert"
    return _row(gold, facts, lambda: lab.links(system, level, ["argmax"], LANGUAGE)["argmax"])


def _row(gold: GoldSet, facts: Result, find: Callable[[], Found]) -> Result:
    row = facts | {"paper": {tag: _paper(facts, tag) for tag in TAGS}}
    distance = read_paper()["table6"]["auxiliary_distance"]
    row["paper_auxiliary_distance"] = distance.get(facts["beside"]) if facts["level"] == "word" else None
    try:
        found = find()
    except NotRunError as error:
        return row | {"not_run": str(error)}
    assert gold.tags is not None
    counts = by_pos(gold.golds, found.links, gold.tags)
    return row | {
        "signature": found.signature,
        "tags": {tag: scores_of(counts[tag]) for tag in TAGS if tag in counts},
        "auxiliary_distance": auxiliary_distance(found.links, gold.tags),
    }


def _paper(facts: Result, tag: str) -> float | None:
    return (paper_scores("table6", facts["level"], facts["beside"], tag) or {}).get("f1")


def auxiliary_distance(links: Sequence[frozenset[Link]], tags: Sequence[Sequence[str]]) -> float | None:
    """The mean |i - j| of the links of auxiliaries: how far an aligner dares to reach."""
    distances = [
        abs(i - j) for found, words in zip(links, tags, strict=True) for i, j in found if words[i] == "AUX"
    ]
    return round(sum(distances) / len(distances), 3) if distances else None


def show(result: Result) -> str:
    if "not_run" in result:
        return f"Not run: {result['not_run']}."
    rows = [
        [
            row["label"],
            row["level"],
            *(both(row.get("tags", {}).get(tag, {}).get("f1"), row["paper"][tag]) for tag in TAGS),
        ]
        for row in result["rows"]
    ]
    distances = [
        [
            row["label"],
            row["level"],
            number(row["auxiliary_distance"], 2) + _bracket(row["paper_auxiliary_distance"]),
        ]
        for row in result["rows"]
        if "auxiliary_distance" in row
    ]
    reasons = {row["label"].partition(",")[0]: row["not_run"] for row in result["rows"] if "not_run" in row}
    return "\n\n".join(
        [
            f"F1 on ENG-DEU over the links whose English word has the tag; eflomal is trained on at most "
            f"{result['text_pairs']:,} pairs of text (the paper: 1,920,000, and tags of both sides). In "
            "brackets the paper's number and the difference; beside other contextual encoders than mBERT it "
            "is mBERT[8]'s.",
            table(["", "level", *TAGS], rows),
            "Mean distance |i − j| of the links of auxiliaries:",
            table(["", "level", "ours (paper)"], distances),
            *(f"{label} not run: {reason}." for label, reason in reasons.items()),
        ]
    )


def _bracket(paper: float | None) -> str:
    return "" if paper is None else f" ({number(paper, 2)})"


EXPERIMENT = Experiment(
    name="parts_of_speech",
    title="Parts of speech",
    paper="Table 6",
    uses=("bundled", "models", "vectors", "engines", "text", "analysis_pairs"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
