"""Figures 1, 7 and 10 to 13: alignments of single sentences, as grids and as two rows of words.

    python -m reproduction.examples --data DIR

Grids: dark and light green cells are sure and possible gold links, circles the first method's links, boxes
the second's. Sentences are not picked by hand: each figure says which is the first that fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.gold import GoldSet
from reproduction.lab.lab import Lab
from reproduction.lab.scores import Found
from reproduction.lab.systems import NotRunError
from wordalign.render import grid_svg, rows_svg
from wordalign.types import Alignment, GoldAlignment, Link, Sentence

WORDS = range(8, 16)
SYMMETRIZATION = "grow-diag-final-and"


@dataclass(frozen=True)
class Example:
    """`first` and `second` name what is compared (see `_find`); `fits` says of a sentence whether it shows "
    "it."""

    name: str
    paper: str
    language: str
    first: str
    second: str
    shape: str
    rule: str
    fits: Callable[[GoldSet, int, frozenset[Link], frozenset[Link]], bool]


def _differ(gold: GoldSet, number: int, first: frozenset[Link], second: frozenset[Link]) -> bool:
    return len(first ^ second) >= 2


def _auxiliary(gold: GoldSet, number: int, first: frozenset[Link], second: frozenset[Link]) -> bool:
    """The first method has a sure link of an auxiliary, and the second links it elsewhere."""
    if gold.tags is None:
        return False
    right = {i for i, j in first & gold.golds[number].sure if gold.tags[number][i] == "AUX"}
    wrong = {i for i, j in second - gold.golds[number].possible}
    kept = {i for i, j in second & gold.golds[number].possible}
    return bool((right & wrong) - kept)


DIFFER = "of 8 to 15 words in which the two differ in at least two links"
EXAMPLES = (
    Example(
        "argmax-itermax", "Figures 10 to 13", "deu", "base argmax", "base itermax", "grid", DIFFER, _differ
    ),
    Example("argmax-match", "Figures 10 to 13", "hin", "base argmax", "base match", "grid", DIFFER, _differ),
    Example("null", "Figures 10 to 13", "fra", "base match", "base match null", "grid", DIFFER, _differ),
    Example("eflomal", "Figures 10 to 13", "ces", "base argmax", "eflomal", "grid", DIFFER, _differ),
    Example(
        "auxiliary",
        "Figure 7",
        "deu",
        "base argmax",
        "eflomal",
        "rows",
        "of 8 to 15 words in which the first links an auxiliary as the gold standard does and the second "
        "does not",
        _auxiliary,
    ),
    Example("rows", "Figure 1", "ron", "base itermax", "", "rows", "of 8 to 15 words", lambda *_: True),
)


def run(lab: Lab) -> Result:
    return {"examples": [_example(lab, example) for example in EXAMPLES]}


def _example(lab: Lab, example: Example) -> Result:
    facts: Result = {
        "name": example.name,
        "paper": example.paper,
        "language": example.language,
        "shape": example.shape,
        "labels": [example.first, example.second],
        "rule": f"the first sentence {example.rule}",
    }
    try:
        gold = lab.gold(example.language)
        first = _find(lab, example.first, example.language)
        facts["first_signature"] = first.signature
        second = _find(lab, example.second, example.language) if example.second else None
    except NotRunError as error:
        return facts | {"not_run": str(error)}
    for number, (english, other) in enumerate(gold.pairs):
        theirs = second.links[number] if second else frozenset()
        if not (len(english) in WORDS and len(other) in WORDS):
            continue
        if example.fits(gold, number, first.links[number], theirs):
            return facts | {
                "sentence": number + 1,
                "source": list(english),
                "target": list(other),
                "sure": sorted(gold.golds[number].sure),
                "possible": sorted(gold.golds[number].possible),
                "first": sorted(first.links[number]),
                "second": sorted(theirs) if second else None,
                "signature": second.signature if second else "",
            }
    return facts | {"not_run": "no sentence fits"}


def _find(lab: Lab, name: str, language: str) -> Found:
    """`base argmax`, `base match null`, or a statistical aligner as in the main comparison; word level."""
    key, *rest = name.split()
    if not rest:
        return lab.statistical(key, "word", language, lab.training_size(key, language), SYMMETRIZATION)
    percentile = 95.0 if "null" in rest else None
    return lab.links(lab.system(key), "word", rest[:1], language, percentile=percentile)[rest[0]]


def show(result: Result) -> str:
    parts = []
    for example in result["examples"]:
        parts.append(f"#### {_title(example)} ({example['paper']})")
        if "not_run" in example:
            parts.append(f"Not run: {example['not_run']}.")
            continue
        parts.append(
            f"ENG-{example['language'].upper()}, sentence {example['sentence']}: {example['rule']}. Found by "
            + "; ".join(f"`{example[key]}`" for key in ("first_signature", "signature") if example[key])
            + "."
        )
        parts.append(f"![{_title(example)}](examples-{example['name']}.svg)")
    return "\n\n".join(parts)


def _title(example: Result) -> str:
    return " and ".join(filter(None, example["labels"]))


def draw(result: Result) -> dict[str, Any]:
    return {example["name"]: _picture(example) for example in result["examples"] if "source" in example}


def _picture(example: Result) -> str:
    sure, possible, first, second = (
        frozenset((i, j) for i, j in example[key] or ()) for key in ("sure", "possible", "first", "second")
    )
    gold = GoldAlignment(sure, possible)
    source, target = example["source"], example["target"]
    labels = (example["labels"][0], example["labels"][1])
    if example["shape"] == "grid":
        return grid_svg(source, target, gold=gold, first=first, second=second, labels=labels)
    alignments = [
        Alignment(tuple(sorted(links)), (1.0,) * len(links), Sentence(tuple(source)), Sentence(tuple(target)))
        for links in (first, second)
    ]
    if example["second"] is None:
        return rows_svg(alignments[0])
    return rows_svg(alignments[0], second=alignments[1], gold=gold, labels=labels)


EXPERIMENT = Experiment(
    name="examples",
    title="Alignments of single sentences",
    paper="Figures 1, 7 and 10 to 13",
    uses=("bundled", "engines", "text", "train_pairs"),
    run=run,
    show=show,
    draw=draw,
)

if __name__ == "__main__":
    main(EXPERIMENT)
