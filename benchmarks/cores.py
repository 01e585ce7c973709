"""The bundled models on the cores of this machine: beside SimAlign 0.4, and beside the limit of the hardware.

    taskset -c 0,1 python benchmarks/cores.py PAIRS.tsv.xz
    python benchmarks/cores.py PAIRS.tsv.xz --processor --no-simalign \\
        -o benchmarks/results/cores-processor.json

SimAlign aligns with a model of mBERT's shape (random weights, which are as fast as trained ones), pair by
pair; the bundled models align raw text in one process with a thread for each core, and in a process for each
core. All take turns, so that a busy minute hits all. The limit is the time of the model's own matrix products
at the rate of one large product of int8 matrices on as many cores, measured in the same minute.
Where the time of one core goes comes from onnxruntime's own profile. With `--processor`, all have one thread,
and what counts is its processor time, which hardly depends on what else the machine does.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gpu import read_lines
from machine import describe

from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS
from wordalign.encoders.int8_rate import int8_operations_per_second
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.encoders.onnx_file import read_weights
from wordalign.encoders.runtime import onnxruntime
from wordalign.machine import available_cores

HERE = Path(__file__).parent
Lines = list[tuple[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, help="pairs of raw text, 'source TAB target' a line, plain or .xz")
    parser.add_argument("--pairs", type=int, default=60, help="for SimAlign; the bundled models get more")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-simalign", action="store_true", help="only the limit and the profile")
    parser.add_argument(
        "--processor",
        action="store_true",
        help="one thread, and its processor seconds instead of the clock's",
    )
    parser.add_argument("--no-processes", action="store_true", help="only one process with all cores")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "cores.json")
    arguments = parser.parse_args()
    lines = [tuple(line.split("\t")) for line in read_lines(arguments.text)[:4096]]
    cores = 1 if arguments.processor else available_cores()
    result: dict[str, Any] = {"machine": describe(), "cores": cores}

    def keep() -> None:
        arguments.output.write_text(json.dumps(result, indent=2) + "\n")

    result["int8_operations_per_s"] = {
        "one_core": int8_operations_per_second(1),
        "all_cores": int8_operations_per_second(cores),
    }
    models = {known.name: known.folder for known in BUNDLED_MODELS}
    result["models"] = {name: facts(folder, lines[:512]) for name, folder in models.items()}
    result["profile"] = {name: profile(folder) for name, folder in models.items()}
    keep()
    aligners = {name: Aligner(OnnxEncoder(folder, threads=cores)) for name, folder in models.items()}
    works: dict[str, tuple[Callable[[Lines], object], int]] = {
        **{name: (one.align_batch, 1024 if name == "base" else 2048) for name, one in aligners.items()},
        **{
            f"{name}_processes": (
                lambda pairs, name=name: list(Aligner(name).stream(pairs, workers=cores)),
                12_288,
            )
            for name in models
            if not arguments.no_processes and not arguments.processor
        },
    }
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.no_simalign:
            works = {"simalign": (simaligns(Path(folder), lines, cores), arguments.pairs), **works}
        clock = time.process_time if arguments.processor else time.perf_counter
        rates = turns(works, lines, arguments.rounds, clock)
        result["clock"] = "processor" if arguments.processor else "wall"
    for name, found in rates.items():
        entry: dict[str, Any] = {"pairs": works[name][1], "pairs_per_s": round(statistics.median(found), 2)}
        if "simalign" in rates and name != "simalign":
            ratios = [ours / theirs for ours, theirs in zip(found, rates["simalign"], strict=True)]
            entry["ratio"] = round(statistics.median(ratios), 2)
        model = name.removesuffix("_processes")
        if model in result["models"]:
            limit = result["int8_operations_per_s"]["all_cores"]
            limit /= result["models"][model]["operations_per_pair"]
            entry["limit_pairs_per_s"] = round(limit, 1)
            entry["share_of_limit"] = round(statistics.median(found) / limit, 3)
        result[name] = entry
    keep()
    print(json.dumps(result, indent=2))


def simaligns(folder: Path, lines: Lines, cores: int) -> Callable[[Lines], object]:
    import simalign
    import torch
    from mbert_shaped import mbert_shaped_model

    torch.set_num_threads(cores)
    model = str(mbert_shaped_model(folder, itertools.chain.from_iterable(lines)))
    aligner = simalign.SentenceAligner(model, matching_methods="a", layer=8, device="cpu")
    return lambda pairs: [aligner.get_word_aligns(left.split(), right.split()) for left, right in pairs]


def turns(
    works: dict[str, tuple[Callable[[Lines], object], int]],
    lines: Lines,
    rounds: int,
    clock: Callable[[], float],
) -> dict[str, list[float]]:
    """Pairs a second of each, round by round."""
    for work, _ in works.values():
        work(lines[:2])
    rates: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, (work, number) in works.items():
            pairs = list(itertools.islice(itertools.cycle(lines), number))
            start = clock()
            work(pairs)
            rates[name].append(number / (clock() - start))
    return rates


def facts(folder: Path, lines: Lines) -> dict[str, float]:
    """Tokens of a pair, and the operations of the model's matrix products for them."""
    from wordalign.text import find_words

    weights = read_weights(folder / "model.onnx")
    products = sum(
        array.size for name, array in weights.items() if name.endswith(".weight") and array.ndim == 2
    )
    encoder = OnnxEncoder(folder, threads=1)
    words = [find_words(side).words for pair in lines for side in pair]
    tokens = float(encoder._subwords(words).lengths.sum()) / len(lines)
    return {"tokens_per_pair": round(tokens, 2), "operations_per_pair": 2.0 * products * tokens}


def profile(folder: Path, sentences: int = 16, length: int = 32, rounds: int = 12) -> dict[str, Any]:
    """The share of each operator in the time of one core for a batch of this shape."""
    with tempfile.TemporaryDirectory() as name:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(name) / "profile")
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        ids = np.random.default_rng(0).integers(300, 40_000, (sentences, length))
        for _ in range(rounds):
            session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        events = json.loads(Path(session.end_profiling()).read_text())
    spent: collections.Counter[str] = collections.Counter()
    for event in events:
        if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
            spent[event["args"]["op_name"]] += event["dur"]
    total = sum(spent.values())
    return {
        "sentences": sentences,
        "tokens_of_a_sentence": length,
        "us_per_token": round(total / rounds / sentences / length, 2),
        "shares": {name: round(taken / total, 3) for name, taken in spent.most_common()},
    }


if __name__ == "__main__":
    main()
