"""Pairs per second beside SimAlign 0.4, on the same model and sentences, in one run.

    python benchmarks/speed.py ENG.txt DEU.txt            # e.g. the 508 gold pairs of Europarl

The model has mBERT's shape (12 layers of 768, 119,547 subwords) and random weights, which are as fast as
trained ones; the bundled models are measured beside it, from raw text to links. All take turns, so that a
busy minute of the machine hits all. Results go to benchmarks/results/speed.json and are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import simalign
import torch
from machine import describe
from mbert_shaped import mbert_shaped_model

from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS
from wordalign.links import argmax, itermax, match

Pairs = list[tuple[list[str], list[str]]]
Work = Callable[[Pairs], object]
HERE = Path(__file__).parent


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(theirs: Work, ours: dict[str, Work], pairs: Pairs, rounds: int) -> dict[str, object]:
    """Pairs per second of all, and the ratios: medians over rounds in which they take turns."""
    for work in (theirs, *ours.values()):
        work(pairs[:2])
    times = {"simalign": [], **{name: [] for name in ours}}
    for _ in range(rounds):
        for name, work in {"simalign": theirs, **ours}.items():
            times[name].append(seconds(lambda work=work: work(pairs)))
    result: dict[str, object] = {
        "pairs": len(pairs),
        "simalign_pairs_per_s": round(len(pairs) / statistics.median(times["simalign"]), 2),
    }
    for name in ours:
        ratios = [them / us for them, us in zip(times["simalign"], times[name], strict=True)]
        result[name] = {
            "pairs_per_s": round(len(pairs) / statistics.median(times[name]), 1),
            "ratio": round(statistics.median(ratios), 2),
            "ratios": [round(ratio, 2) for ratio in ratios],
        }
    return result


def long_pairs(pairs: Pairs, words: int, number: int) -> Pairs:
    """Consecutive sentences joined until both sides have that many words."""
    joined: Pairs = []
    source: list[str] = []
    target: list[str] = []
    for left, right in pairs:
        source, target = source + left, target + right
        if min(len(source), len(target)) >= words:
            joined.append((source, target))
            source, target = [], []
    return joined[:number]


def extraction(size: int = 25, number: int = 2000) -> dict[str, dict[str, float]]:
    """Matrices per second, from matrix to links, one by one and in stacks of 32."""
    matrices = np.random.default_rng(0).random((number, size, size)).astype(np.float32)
    results = {}
    for method in (argmax, itermax, match):
        method(matrices[0])

        def singly(method=method):
            return [np.argwhere(method(matrix)).tolist() for matrix in matrices]

        def stacked(method=method):
            return [
                np.argwhere(links).tolist()
                for start in range(0, number, 32)
                for links in method(matrices[start : start + 32])
            ]

        results[method.__name__] = {
            "one_by_one_per_s": round(number / min(seconds(singly) for _ in range(3))),
            "stacked_per_s": round(number / min(seconds(stacked) for _ in range(3))),
        }
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "speed.json")
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    sides = [path.read_text("utf-8").split("\n") for path in (arguments.source, arguments.target)]
    every = [(left.split(), right.split()) for left, right in zip(*sides, strict=True) if left and right]
    pairs = every[: arguments.pairs]
    result: dict[str, object] = {"machine": describe(), "extraction_25x25": extraction()}

    with tempfile.TemporaryDirectory() as folder:
        model = str(mbert_shaped_model(Path(folder), (" ".join(side) for pair in every for side in pair)))

        def theirs(letters: str) -> Work:
            aligner = simalign.SentenceAligner(model, matching_methods=letters, layer=8)
            return lambda pairs: [aligner.get_word_aligns(*pair) for pair in pairs]

        def ours(*methods: str) -> Work:
            aligner = Aligner(model, layer=8, method=methods, device="cpu")
            return lambda pairs: list(aligner.stream_methods(pairs))

        def bundled(name: str) -> Work:
            """From raw text to links, the words found on the way."""
            aligner = Aligner(name)
            return lambda pairs: aligner.align_batch(
                [(" ".join(left), " ".join(right)) for left, right in pairs]
            )

        def bundled_singly(name: str) -> Work:
            aligner = Aligner(name)
            return lambda pairs: [aligner.align(" ".join(left), " ".join(right)) for left, right in pairs]

        rounds = arguments.rounds
        result["argmax"] = compare(
            theirs("a"),
            {
                "same_model": ours("argmax"),
                **{f"bundled_{known.name}": bundled(known.name) for known in BUNDLED_MODELS},
                "bundled_base_one_pair_a_call": bundled_singly("base"),
            },
            pairs,
            rounds,
        )
        result["argmax_itermax_match"] = compare(
            theirs("mai"), {"same_model": ours("argmax", "itermax", "match")}, pairs, rounds
        )
        result["match_120_words"] = compare(
            theirs("m"), {"same_model": ours("match")}, long_pairs(every, words=120, number=6), 1
        )
    result["load_base_s"] = round(min(seconds(lambda: Aligner("base")) for _ in range(3)), 2)
    print(json.dumps(result, indent=2))
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
