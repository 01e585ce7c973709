"""Statistical aligners on a gold set and N pairs of text: how right, how long, how much longer than raw.

    python benchmarks/statistical.py GOLD/eng-deu TEXT/eng-deu.tsv.xz --source europarl-direct \\
        --aligners eflomal fast_align ibm4 --pairs 1000 10000 50000

GOLD holds `eng.txt`, `deu.txt` (tokenised) and `gold.txt`; TEXT is English, TAB, the other language, TAB, the
name of its source. The aligner learns from both together and is judged on the gold set. Beside it, in the
same run and after it, the engine does the same work by its own interface: eflomal through its Python
wrapper, Thot's models one direction after the other in this process. Both find the links of all pairs; ours
also symmetrises them, in two ways. `overhead` compares processor seconds, which a busy machine distorts less
than the clock. Results are added to benchmarks/results/statistical.json, one entry an aligner and size.
"""

from __future__ import annotations

import argparse
import json
import lzma
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from machine import describe

from wordalign.evaluate import evaluate
from wordalign.formats import tokenized
from wordalign.formats.gold import read_gold
from wordalign.statistical import StatisticalAligner
from wordalign.text import split_words

WordPair = tuple[list[str], list[str]]
HERE = Path(__file__).parent
HEURISTICS = ("grow-diag-final-and", "intersection")


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


def raw_eflomal(pairs: list[WordPair]) -> None:
    import eflomal

    with tempfile.TemporaryDirectory() as folder:
        eflomal.Aligner().align(
            *([" ".join(pair[side]) + "\n" for pair in pairs] for side in (0, 1)),
            links_filename_fwd=f"{folder}/forward",
            links_filename_rev=f"{folder}/backward",
        )


def raw_thot(name: str) -> Callable[[list[WordPair]], None]:
    def run(pairs: list[WordPair]) -> None:
        import thot.alignment as thot

        kinds = {
            "fast_align": [thot.FastAlignModel],
            "hmm": [thot.Ibm1AlignmentModel, thot.HmmAlignmentModel],
            "ibm4": [
                thot.Ibm1AlignmentModel,
                thot.HmmAlignmentModel,
                thot.Ibm3AlignmentModel,
                thot.Ibm4AlignmentModel,
            ],
        }
        for one, other in ((0, 1), (1, 0)):
            chain: list[object] = []
            for kind in kinds[name]:
                chain.append(kind(*chain[-1:]))
            for pair in pairs:
                chain[-1].add_sentence_pair(pair[one], pair[other], 1)
            for model in chain:
                model.start_training()
                for _ in range(5):
                    model.train()
                model.end_training()
            chain[-1].get_best_alignments([pair[one] for pair in pairs], [pair[other] for pair in pairs])

    return run


def timed(work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock, and of the processors: the second is fair on a machine that others use too."""

    def processor() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(use.ru_utime + use.ru_stime for use in used)

    start, before = time.perf_counter(), processor()
    work()
    return {
        "wall_s": round(time.perf_counter() - start, 1),
        "processor_s": round(processor() - before, 1),
    }


def measure(
    name: str, gold: Path, sentences: list[WordPair], text: list[WordPair], raw: bool
) -> dict[str, object]:
    aligner = StatisticalAligner(name, symmetrize=HEURISTICS, lowercase=True)
    found: list[object] = []
    everything = [*sentences, *text]
    result: dict[str, object] = {"aligner": name, "pairs": len(text)}
    result["ours"] = ours = timed(lambda: found.extend(aligner.align_corpus_methods(everything)))
    if raw:
        theirs = raw_eflomal if name == "eflomal" else raw_thot(name)
        result["raw"] = timed(lambda: theirs(everything))
        result["overhead"] = round(ours["processor_s"] / result["raw"]["processor_s"] - 1, 4)
    answers = list(read_gold(gold / "gold.txt"))
    result["scores"] = {}
    for heuristic in HEURISTICS:
        links = [by_method[heuristic] for by_method in found[: len(sentences)]]
        scores = evaluate(answers, links).scores
        result["scores"][heuristic] = {
            key: round(getattr(scores, key), 4) for key in ("precision", "recall", "f1", "aer")
        }
    result["signature"] = aligner.signature("grow-diag-final-and")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--source", help="only lines of this source")
    parser.add_argument("--aligners", nargs="+", default=["eflomal", "fast_align"])
    parser.add_argument("--pairs", nargs="+", type=int, default=[1000])
    parser.add_argument("--no-raw", action="store_true", help="do not time the engine by itself")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results/statistical.json")
    arguments = parser.parse_args()
    sentences, text = load_pairs(arguments.gold, arguments.text, arguments.source, max(arguments.pairs))
    for count in arguments.pairs:
        for name in arguments.aligners:
            machine = describe()
            result = measure(name, arguments.gold, sentences, text[:count], not arguments.no_raw)
            stored = (
                json.loads(arguments.output.read_text()) if arguments.output.exists() else {"results": []}
            )
            kept = [old for old in stored["results"] if (old["aligner"], old["pairs"]) != (name, count)]
            merged = {"machine": machine, "results": [*kept, result]}
            arguments.output.write_text(json.dumps(merged, indent=2) + "\n")
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
