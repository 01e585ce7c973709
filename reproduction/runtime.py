"""Table 12: the time to align 500 pairs of ENG-DEU.

    python -m reproduction.runtime --data DIR

As in the paper the statistical aligners are trained on those pairs alone, and a model that is loaded once
is not loaded again. All take turns, so that a busy minute of the machine hits all; the ratio to eflomal is
what can be compared between machines. Where a model's weights cannot be had, one of its shape with random
weights stands in for it: what the weights are does not matter to the time. The programs of the authors of
fast_align and GIZA++ take part where they are given (`--programs FOLDER`, as `originals.py` says).
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LABELS, read_paper
from reproduction.lab.programs import ORIGINALS
from reproduction.lab.statistical import ENGINES, train
from reproduction.lab.systems import NotRunError, System
from reproduction.lab.tables import table
from reproduction.lab.text import WordPair
from wordalign import Aligner

LANGUAGE = "deu"
PAIRS = 500
YARDSTICK = "eflomal"
# Vocabulary, and what of mBERT's sizes is another.
SHAPES = {
    "mbert": {"vocabulary": 119_547},
    "xlmr": {"vocabulary": 250_002},
    "own": {"vocabulary": 30_000, "hidden_size": 384, "num_attention_heads": 6, "intermediate_size": 1536},
}


def run(lab: Lab) -> Result:
    try:
        pairs = lab.gold(LANGUAGE).pairs[:PAIRS]
    except NotRunError as error:
        return {"not_run": str(error), "rows": []}
    works: dict[str, tuple[str, Callable[[], object]]] = {
        engine: (LABELS[engine], lambda engine=engine: train(engine, "word", pairs, [])) for engine in ENGINES
    }
    rows: list[Result] = []
    for original in ORIGINALS:
        try:
            folder = original.find(lab.options.programs)
        except NotRunError:
            continue  # a row that the paper does not have need not say so
        link = partial(original.link, folder, original.papers_way, pairs)
        works[f"{original.engine} program"] = (f"{original.papers_way} (the program itself)", link)
    with ExitStack() as stack:
        for system in lab.systems:
            label = f"{system.label} – Argmax"
            try:
                aligner = _aligner(lab, system)
            except NotRunError as error:
                if system.key not in SHAPES or find_spec("transformers") is None:
                    rows.append({"system": system.key, "label": label, "not_run": str(error)})
                    continue
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                label = f"{system.label} with random weights – Argmax"
                aligner = _untrained(folder, SHAPES[system.key], pairs)
            works[system.key] = (label, lambda aligner=aligner: aligner.align_batch(pairs))
        seconds = _take_turns(lab, works, rows)
    yardstick = statistics.median(seconds[YARDSTICK]) if YARDSTICK in seconds else None
    for key, (label, _) in works.items():
        median = statistics.median(seconds[key])
        rows.append(
            {
                "system": key,
                "label": label,
                "seconds": round(median, 3),
                "of_yardstick": round(median / yardstick, 4) if yardstick else None,
            }
        )
    paper = read_paper()["table12"]["seconds"]
    for row in rows:
        row["paper_seconds"] = paper.get(row["system"])
    programs_of = [f"{original.engine} program" for original in ORIGINALS]
    order = [*ENGINES, *programs_of, *(system.key for system in lab.systems)]
    rows.sort(key=lambda row: order.index(row["system"]))
    return {"pairs": len(pairs), "rounds": lab.options.rounds, "rows": rows, "machine": _machine()}


def _aligner(lab: Lab, system: System) -> Aligner:
    # The encoder itself: what the lab remembers would be no work at all.
    remembering = lab.encoder(system, "word", LANGUAGE)
    return Aligner(getattr(remembering, "inner", remembering), method="argmax")


def _untrained(folder: Path, shape: dict[str, int], pairs: Sequence[WordPair]) -> Aligner:
    from benchmarks.mbert_shaped import mbert_shaped_model

    lines = (" ".join(side) for side in itertools.chain.from_iterable(pairs))
    return Aligner(str(mbert_shaped_model(folder, lines, **shape)), method="argmax")


def _take_turns(
    lab: Lab, works: dict[str, tuple[str, Callable[[], object]]], rows: list[Result]
) -> dict[str, list[float]]:
    """The seconds of each, round by round; what cannot be run leaves `works` and is a row at once."""
    seconds: dict[str, list[float]] = {}
    for round_number in range(lab.options.rounds):
        lab.say(f"round {round_number + 1} of {lab.options.rounds}")
        for key, (label, work) in list(works.items()):
            start = time.perf_counter()
            try:
                work()
            except NotRunError as error:
                rows.append({"system": key, "label": label, "not_run": str(error)})
                del works[key]
                continue
            seconds.setdefault(key, []).append(time.perf_counter() - start)
    return seconds


def _machine() -> str:
    from benchmarks.machine import describe

    facts = describe()
    return f"{facts['cores']} cores, {facts['processor']}"


def show(result: Result) -> str:
    if "not_run" in result:
        return f"Not run: {result['not_run']}."
    yardstick = read_paper()["table12"]["seconds"][YARDSTICK]
    rows = []
    for row in result["rows"]:
        theirs = row["paper_seconds"]
        rows.append(
            [
                row["label"],
                f"{row['seconds']:.2f}" if "seconds" in row else f"not run: {row['not_run']}",
                f"{row['of_yardstick']:.2f}" if row.get("of_yardstick") else "–",
                str(theirs) if theirs else "–",
                f"{theirs / yardstick:.2f}" if theirs else "–",
            ]
        )
    return "\n\n".join(
        [
            f"Seconds to align {result['pairs']} pairs of ENG-DEU, median of {result['rounds']} rounds, on "
            f"{result['machine']}; the paper's on up to 48 cores of an Intel Xeon E7-8857 v2, mBERT and "
            "XLM-R on a GeForce GTX 1080. Loading a model is not counted; the statistical aligners train on "
            "the same pairs. With random weights: a model of the same shape, in place of one whose weights "
            "were not there; that of XLM-R has XLM-R's size and mBERT's way to cut words. Between machines "
            "only the ratios mean something.",
            table(["", "seconds", "times eflomal", "paper: seconds", "paper: times eflomal"], rows),
        ]
    )


EXPERIMENT = Experiment(
    name="runtime",
    title="Runtime",
    paper="Table 12",
    uses=("bundled", "models", "vectors", "engines", "programs", "rounds"),
    run=run,
    show=show,
)

if __name__ == "__main__":
    main(EXPERIMENT)
