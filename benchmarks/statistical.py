"""Statistical aligners on a gold set and N pairs of text: how right, how long, how much longer than raw.

    python benchmarks/statistical.py GOLD/eng-deu TEXT/eng-deu.tsv.xz --source europarl-direct \\
        --aligners eflomal eflomal_gpl fast_align ibm4 --pairs 1000 10000 50000

GOLD holds `eng.txt`, `deu.txt` (tokenised) and `gold.txt`; TEXT is English, TAB, the other language, TAB, the
name of its source. The aligner learns from both together and is judged on the gold set. Beside it, in the
same run and at the same time, each in a process and on a core of its own, the engine does the same work by
its own interface: Thot's models one direction after the other, then its own symmetrisation; eflomal_gpl by
its Python wrapper, then reading the links of both directions, for it symmetrises nothing. Both give the
links of all pairs, without scores. `overhead` compares processor seconds and `overhead_wall` the clock, the
median of several rounds: others use the machine too, and what slows the one then slows the other as well.
Results are added to benchmarks/results/statistical.json, one entry an aligner and size. An entry names the
machine that it was measured on, where that is not the machine of the file.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from machine import describe

from wordalign.aligners.statistical import StatisticalAligner
from wordalign.evaluate import evaluate
from wordalign.io import tokenized
from wordalign.io.gold import read_gold
from wordalign.text import split_words
from wordalign.types import Alignment, Link

WordPair = tuple[list[str], list[str]]
HERE = Path(__file__).parent
RESULTS = HERE / "results/statistical.json"


def load_pairs(
    gold: Path, text: Path, source: str | None, count: int
) -> tuple[list[WordPair], list[WordPair]]:
    """The sentences of a gold set, and so many pairs of text in its tokenisation; all lower-cased."""
    other = next(path for path in sorted(gold.glob("???.txt")) if path.name != "eng.txt")
    lines = [path.read_text("utf-8").lower().splitlines() for path in (gold / "eng.txt", other)]
    sentences = [
        (list(tokenized(left).words), list(tokenized(right).words))
        for left, right in zip(*lines, strict=True)
    ]
    return sentences, list(islice(_text(text, source), count))


def _text(path: Path, source: str | None) -> Iterator[WordPair]:
    with (
        lzma.open(path, "rt", encoding="utf-8")
        if path.suffix == ".xz"
        else path.open(encoding="utf-8") as file
    ):
        for line in file:
            english, other, *names = line.rstrip("\n").split("\t")
            if source is None or source in names:
                left, right = split_words(english.lower()), split_words(other.lower())
                yield list(left.words), list(right.words)


def raw_eflomal(pairs: list[WordPair]) -> list[tuple[list[Link], list[Link]]]:
    import eflomal

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("forward", "backward")]
        eflomal.Aligner().align(
            *([" ".join(pair[side]) + "\n" for pair in pairs] for side in (0, 1)),
            links_filename_fwd=str(files[0]),
            links_filename_rev=str(files[1]),
        )
        forward, backward = (
            [
                [(int(i), int(j)) for i, j in (link.split("-") for link in line.split())]
                for line in file.read_text().splitlines()
            ]
            for file in files
        )
        return list(zip(forward, backward, strict=True))


def raw_thot(name: str) -> Callable[[list[WordPair]], list[list[Link]]]:
    def run(pairs: list[WordPair]) -> list[list[Link]]:
        import thot.alignment as thot

        kinds = {
            "eflomal": [thot.EflomalAlignmentModel],
            "fast_align": [thot.FastAlignModel],
            "hmm": [thot.Ibm1AlignmentModel, thot.HmmAlignmentModel],
            "ibm4": [
                thot.Ibm1AlignmentModel,
                thot.HmmAlignmentModel,
                thot.Ibm3AlignmentModel,
                thot.Ibm4AlignmentModel,
            ],
        }
        found: list[list[Any]] = []
        for one, other in ((0, 1), (1, 0)):
            chain: list[Any] = []
            for kind in kinds[name]:
                chain.append(kind(*chain[-1:]))
            if name == "eflomal":
                chain[0].num_samplers, chain[0].emit_training_alignments = 3, True
            for pair in pairs:
                chain[-1].add_sentence_pair(pair[one], pair[other], 1)
            for model in chain:
                model.start_training()
                for _ in range(5 if name != "eflomal" else model.scheduled_iterations):
                    model.train()
                model.end_training()
            if name == "eflomal":
                best = [model.get_training_alignment(number) for number in range(len(pairs))]
            else:
                best = chain[-1].get_best_alignments(
                    [pair[one] for pair in pairs], [pair[other] for pair in pairs]
                )
            found.append([matrix for _, matrix in best])
        for forward, backward in zip(*found, strict=True):
            backward.transpose()
            forward.grow_diag_final_and(backward)
        places = ((axis.tolist() for axis in matrix.to_numpy().nonzero()) for matrix in found[0])
        return [list(zip(*axes, strict=True)) for axes in places]

    return run


def timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    """Seconds by the clock and of the processors, children included, and what the work gave."""

    def processor() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(use.ru_utime + use.ru_stime for use in used)

    start, before = time.perf_counter(), processor()
    found = work()
    return {"wall_s": time.perf_counter() - start, "processor_s": processor() - before}, found


def run_ours(name: str, pairs: list[WordPair]) -> tuple[dict[str, float], list[Alignment], str]:
    aligner = StatisticalAligner(name, scores=False)
    seconds, found = timed(lambda: aligner.align_corpus(pairs))
    return seconds, found, aligner.signature()


def run_raw(name: str, pairs: list[WordPair]) -> dict[str, float]:
    work = raw_eflomal if name == "eflomal_gpl" else raw_thot(name)
    return timed(lambda: work(pairs))[0]


def middle(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(median(seconds[key] for seconds in rounds), 2) for key in rounds[0]}


def measure(
    name: str, gold: Path, sentences: list[WordPair], text: list[WordPair], rounds: int, raw: bool
) -> dict[str, object]:
    everything = [*sentences, *text]
    ours, theirs = [], []
    for _ in range(rounds):
        with ProcessPoolExecutor(2) as pool:
            one = pool.submit(run_ours, name, everything)
            other = pool.submit(run_raw, name, everything) if raw else None
            seconds, found, signature = one.result()
            ours.append(seconds)
            if other:
                theirs.append(other.result())
    result: dict[str, object] = {"aligner": name, "pairs": len(text), "rounds": rounds, "ours": middle(ours)}
    if raw:
        result["raw"] = middle(theirs)
        for overhead, clock in (("overhead", "processor_s"), ("overhead_wall", "wall_s")):
            ratios = [mine[clock] / its[clock] for mine, its in zip(ours, theirs, strict=True)]
            result[overhead] = round(median(ratios) - 1, 4)
    answers = list(read_gold(gold / "gold.txt"))
    scores = evaluate(answers, found[: len(sentences)]).scores
    result["scores"] = {key: round(getattr(scores, key), 4) for key in ("precision", "recall", "f1", "aer")}
    result["signature"] = signature
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--source", help="only lines of this source")
    parser.add_argument("--aligners", nargs="+", default=["eflomal", "eflomal_gpl", "fast_align"])
    parser.add_argument("--pairs", nargs="+", type=int, default=[1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-raw", action="store_true", help="do not time the engine by itself")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # waiting threads would count as work
    sentences, text = load_pairs(arguments.gold, arguments.text, arguments.source, max(arguments.pairs))
    for count in arguments.pairs:
        for name in arguments.aligners:
            machine = describe()
            result = measure(
                name, arguments.gold, sentences, text[:count], arguments.rounds, not arguments.no_raw
            )
            stored = (
                json.loads(arguments.output.read_text()) if arguments.output.exists() else {"results": []}
            )
            kept = [old for old in stored["results"] if (old["aligner"], old["pairs"]) != (name, count)]
            of_file = stored.setdefault("machine", machine)
            if machine != of_file:
                result["machine"] = machine
            merged = {"machine": of_file, "results": [*kept, result]}
            arguments.output.write_text(json.dumps(merged, indent=2) + "\n")
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
