"""Pairs per second on a GPU, from lines of text to lines of links, and where the time goes.

    python benchmarks/gpu.py PAIRS.tsv.xz --gold GOLD-DEV.tsv.xz -o benchmarks/results/gpu.json

For each bundled model, and for a Hugging Face model of mBERT's shape (12 layers of 768, 119,547 subwords,
read at layer 8; random weights are as fast as trained ones), each in one run:

    files      `align_files` from a file of raw text to a file of links, with a process for the GPU and one
               for each core: the rate between the first lines and the last
    kernels    what the GPU does for prepared chunks, one after the other: microseconds a pair in matrix
               products, attention and all else. Times the rate, that is the share of all time in products
    host       what each of the host's steps costs, in microseconds a pair of one core
    compiled   the kernels of the Hugging Face model again, with the steps between its products fused by torch
    links      how many links are those of the processor (int8 there), for each kind of numbers

SimAlign 0.4 aligns some of the pairs with the same mBERT-shaped model beside it. Results are kept after each
step, so that a run that is cut short leaves what it has found.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import itertools
import json
import lzma
import os
import re
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from machine import describe
from mbert_shaped import mbert_shaped_model

from wordalign import AlignConfig, Aligner, align_files
from wordalign.encoders import BUNDLED_MODELS, Encoder
from wordalign.encoders.device.bundled import DeviceEncoder
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.io.links import line_writer
from wordalign.io.records import Parser, Record
from wordalign.links.device import DeviceQueue
from wordalign.links.prepared import PreparedLinker, PreparedPairs
from wordalign.run.chunks import LinkedChunk, RunConfig, format_chunk, parse_chunk

HERE = Path(__file__).parent
MBERT = "mbert_shaped"
LAYER, WIDTH, WIDE = 8, 768, 3072
DATASHEET = 989e12  # dense bfloat16 of an H100 or H200, operations a second
KINDS = {
    "attention": re.compile("flash|fmha|attention|_attend", re.I),
    "similarity": re.compile("sgemm|simt|f32f32_f32f32|gemmsn", re.I),
    "matrix_products": re.compile("gemm|cutlass|nvjet|xmma|cublas|splitk", re.I),
    "copies": re.compile("memcpy|memset", re.I),
}


class Bench:
    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments, self.folder = arguments, folder
        self.device: str = arguments.device
        self.lines = read_lines(arguments.text)[: arguments.distinct]
        self.start = time.perf_counter()
        self.result: dict[str, Any] = {"machine": {**describe(), **device_facts(self.device)}}
        self.mbert = str(folder / "mbert")

    def run(self) -> None:
        steps: dict[str, Callable[[], Any]] = {"ceilings": lambda: ceilings(self.device)}
        for model in self.arguments.models:
            for step in (self.text, self.kernels, self.files):
                steps[f"{step.__name__} {model}"] = partial(step, model)
        steps |= {"links": self.links, "host": self.host}
        steps |= {"two_processes": self.two_processes, "workers": self.workers}
        if MBERT in self.arguments.models:
            steps |= {"compiled": partial(self.kernels, MBERT, compiled=True), "simalign": self.simalign}
        for name, work in steps.items():
            if self.arguments.only and not any(name.startswith(wanted) for wanted in self.arguments.only):
                continue
            if time.perf_counter() - self.start > self.arguments.seconds:
                self.say(f"no time for {name}")
                continue
            step, _, model = name.partition(" ")
            try:
                found = work()
            except Exception:
                found = {"failed": traceback.format_exc()}
                traceback.print_exc()
            if model:
                self.result.setdefault(step, {})[model] = found
            else:
                self.result[step] = found
            self.say(f"{name}: {json.dumps(found)[:600]}")

    def say(self, text: str) -> None:
        print(f"[{time.perf_counter() - self.start:5.0f} s] {text}", file=sys.stderr, flush=True)
        if self.arguments.output:
            self.arguments.output.write_text(json.dumps(self.result, indent=2) + "\n")

    def text(self, model: str) -> dict[str, Any]:
        """What the sentences are, and the operations in matrix products that the model needs for a pair."""
        if model == MBERT and not Path(self.mbert).exists():
            mbert_shaped_model(Path(self.mbert), (line.replace("\t", " ") for line in self.lines))
        prepared, _, _ = self.prepared(model, 4096)
        lengths = prepared.tokens.windows[1:] - prepared.tokens.windows[:-1]
        linear, layers, width = products(model)
        attention = 4 * layers * width * float((lengths.astype(float) ** 2).sum())
        tokens = float(lengths.sum())
        return {
            "distinct_pairs": len(self.lines),
            "words_per_pair": round(self.words / len(prepared), 1),
            "tokens_per_pair": round(tokens / len(prepared), 1),
            "gigaflop_per_pair": round((2 * linear * tokens + attention) / len(prepared) / 1e9, 4),
        }

    def encoder(self, model: str, dtype: str | None = None, **settings: Any) -> Encoder:
        if model == MBERT:
            return HuggingFaceEncoder(
                self.mbert,
                layer=LAYER,
                device=self.device,
                dtype=dtype or "bfloat16",
                on_device=True,
                **settings,
            )
        folder = next(known.folder for known in BUNDLED_MODELS if known.name == model)
        return DeviceEncoder(folder, device=self.device, dtype=dtype, **settings)

    def config(self, model: str) -> AlignConfig:
        if model == MBERT:
            return AlignConfig(self.mbert, layer=LAYER, device=self.device, dtype="bfloat16", method="argmax")
        return AlignConfig(model, device=self.device)

    def prepared(self, model: str, number: int, **settings: Any) -> tuple[PreparedPairs, Any, Any]:
        """A chunk of that many pairs as the GPU is given it, what queues it, and how links are to be made."""
        encoder = self.encoder(model, **settings)
        aligner = Aligner(encoder, method="argmax" if model == MBERT else None)
        rows, kept = encoder.on_device, []
        linker = PreparedLinker(
            lambda pairs, _: lambda: kept.append(pairs) or {},
            rows.subwords,
            rows.frame,
            aligner.level,
            number,
        )
        pairs = self.pairs(number)
        self.words = sum(len(pair.source) + len(pair.target) for pair in pairs)
        extraction = aligner._extraction()
        list(linker.start(pairs, extraction)())
        return kept[0], DeviceQueue(rows), extraction

    def pairs(self, number: int) -> Sequence[Any]:
        return parse_chunk(self.records(number), self.run_config()).pairs

    def records(self, number: int) -> list[Record]:
        lines = itertools.islice(itertools.cycle(self.lines), number)
        return [Record(place, (line.encode(),)) for place, line in enumerate(lines, start=1)]

    def run_config(self) -> RunConfig:
        return RunConfig(Parser(("pairs",), "tsv", raw=True, places=False))

    def links(self) -> dict[str, Any]:
        """The share of links, and of pairs with all links, that are those of the processor."""
        if self.arguments.gold is None:
            return {}
        pairs = [
            tuple(side.split() for side in line.split("\t")) for line in read_lines(self.arguments.gold)
        ][: self.arguments.checked]
        found: dict[str, Any] = {"pairs": len(pairs)}
        for model in (name for name in self.arguments.models if name != MBERT):
            here = Aligner(model).align_batch(pairs)
            for dtype in self.arguments.dtypes:
                there = Aligner(self.encoder(model, dtype)).align_batch(pairs)
                found[f"{model}_{dtype}"] = agreement(here, there)
        return found

    def kernels(self, model: str, **settings: Any) -> dict[str, Any]:
        """The GPU's time by kind of kernel, for chunks that are prepared already."""
        chunk = self.arguments.chunk
        prepared, queue, extraction = self.prepared(model, chunk, **settings)
        start = time.perf_counter()
        for _ in range(3):
            queue(prepared, extraction)()
        warm = time.perf_counter() - start
        rounds = self.arguments.rounds

        def work() -> float:
            synchronize(self.device)
            start = time.perf_counter()
            waiting: list[Any] = []
            for _ in range(rounds):
                waiting.append(queue(prepared, extraction))
                if len(waiting) > 2:
                    waiting.pop(0)()
            for finish in waiting:
                finish()
            synchronize(self.device)
            return time.perf_counter() - start

        seconds = min(work() for _ in range(3))
        queued = time.perf_counter()
        started = queue(prepared, extraction)
        queued = time.perf_counter() - queued
        started()
        found: dict[str, Any] = {
            "pairs_per_s": round(rounds * chunk / seconds),
            "us_per_pair": round(seconds / rounds / chunk * 1e6, 3),
            "us_per_pair_to_queue": round(queued / chunk * 1e6, 3),
            "warm_up_s": round(warm, 1),
        }
        if self.device != "cpu":
            found |= profiled(
                work,
                rounds * chunk,
                self.arguments.profile and self.arguments.profile / f"{model}{'-'.join(['', *settings])}.txt",
            )
            flop = self.result["text"][model]["gigaflop_per_pair"] * 1e9
            products = (
                found["us_per_pair_by_kind"]["matrix_products"] + found["us_per_pair_by_kind"]["attention"]
            ) / 1e6
            found["products_flop_per_s"] = round(flop / products) if products else None
        return found

    def host(self) -> dict[str, float]:
        """Microseconds a pair of one core for each step that a worker does."""
        config, number = self.run_config(), self.arguments.chunk
        records = self.records(number)
        aligner = Aligner(self.encoder("base"))
        rows, extraction = aligner.encoder.on_device, aligner._extraction()
        found: list[Any] = []
        queue = DeviceQueue(rows)

        def once(pairs: Any, extraction: Any) -> Any:
            if not found:
                found.append(queue(pairs, extraction)())
            return lambda: found[0]

        linker = PreparedLinker(once, rows.subwords, rows.frame, aligner.level, number)
        writer = line_writer("pharaoh", False, aligner.signature and {})
        steps: dict[str, list[float]] = {}

        def step(name: str, work: Callable[[], Any]) -> Any:
            start = time.process_time()
            value = work()
            steps.setdefault(name, []).append((time.process_time() - start) / number * 1e6)
            return value

        for _ in range(4):
            pairs = step("parse", lambda: parse_chunk(records, config).pairs)
            finish = step("prepare", lambda pairs=pairs: linker.start(pairs, extraction))
            links = step("links", lambda finish=finish: list(finish()))
            step("lines", lambda links=links: format_chunk(LinkedChunk(links), writer))
        return {name: round(min(times), 2) for name, times in steps.items()}

    def files(self, model: str) -> dict[str, Any]:
        """From file to file: the rate between the first lines and the last, of several runs."""
        runs = [
            self._file(self.config(model), self.arguments.lines[model]) for _ in range(self.arguments.runs)
        ]
        rate = statistics.median(run["pairs_per_s"] for run in runs)
        found: dict[str, Any] = {"pairs": self.arguments.lines[model], "pairs_per_s": rate, "runs": runs}
        if "ceilings" in self.result and "text" in self.result:
            flop = self.result["text"][model]["gigaflop_per_pair"] * 1e9
            floor = self.result["ceilings"]["bfloat16_matmul_flop_per_s"] / flop
            found |= {"floor_pairs_per_s": round(floor), "share_of_floor": round(rate / floor, 4)}
        kernels = self.result.get("kernels", {}).get(model, {})
        if "us_per_pair_by_kind" in kernels:
            kinds = kernels["us_per_pair_by_kind"]
            found["share_of_time_in_products"] = round(
                (kinds["matrix_products"] + kinds["attention"]) * rate / 1e6, 3
            )
            found["share_of_time_gpu_is_busy"] = round(kernels["us_per_pair_busy"] * rate / 1e6, 3)
        return found

    def _file(self, config: AlignConfig, number: int, workers: int = 0) -> dict[str, Any]:
        text = self.folder / f"pairs-{number}.tsv"
        if not text.exists():
            with text.open("w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in itertools.islice(itertools.cycle(self.lines), number))
        times: list[tuple[float, int]] = []
        output = self.folder / "links.txt"
        before = os.times()
        start = time.perf_counter()
        align_files(
            text,
            output,
            config,
            raw=True,
            workers=workers,
            progress=lambda done: times.append((time.perf_counter(), done.lines)),
        )
        whole = time.perf_counter() - start
        after = os.times()
        cpu = sum(after[:4]) - sum(before[:4])
        done = [(when, lines) for when, lines in times if lines]
        # Workers fill their tables of words in the first tenth.
        first = next(place for place, (_, lines) in enumerate(done) if lines >= number // 10)
        if done[first][1] == done[-1][1]:  # all in one chunk
            first, done = 0, [(start, 0), *done]
        rate = (done[-1][1] - done[first][1]) / (done[-1][0] - done[first][0])
        digest = hashlib.sha256(output.read_bytes()).hexdigest()
        return {
            "pairs_per_s": round(rate),
            "seconds_with_start": round(whole, 1),
            "core_seconds": round(cpu, 1),
            "sha256": digest[:16],
        }

    def workers(self) -> dict[str, Any]:
        """The same lines for any number of workers, and what each number does."""
        number = self.arguments.lines["base"] // 4
        found = {}
        for count in self.arguments.worker_counts:
            found[str(count)] = self._file(self.config("base"), number, count)
        found["equal"] = len({run["sha256"] for run in found.values()}) == 1
        return found

    def two_processes(self) -> dict[str, Any]:
        """Two processes on the one GPU, as on a machine with two: the same lines."""
        import wordalign.run.devices as devices

        number = self.arguments.lines["base"] // 4
        one = self._file(self.config("base"), number)
        plain = devices.devices_of
        devices.devices_of = lambda config: (self.device, self.device)
        try:
            two = self._file(self.config("base"), number)
        finally:
            devices.devices_of = plain
        return {"one": one, "two": two, "equal": one["sha256"] == two["sha256"]}

    def simalign(self) -> dict[str, Any]:
        """SimAlign on the same model, pair by pair, and in one process what `Aligner.stream` does."""
        import simalign

        theirs = simalign.SentenceAligner(
            self.mbert, token_type="bpe", matching_methods="a", device=self.device, layer=LAYER
        )
        pairs = [
            (list(pair.source.words), list(pair.target.words)) for pair in self.pairs(self.arguments.simalign)
        ]
        theirs.get_word_aligns(*pairs[0])
        rates = []
        for _ in range(3):
            start = time.perf_counter()
            for pair in pairs:
                theirs.get_word_aligns(*pair)
            rates.append(len(pairs) / (time.perf_counter() - start))
        rate = statistics.median(rates)
        ours = self.result.get("files", {}).get(MBERT, {}).get("pairs_per_s")
        return {
            "pairs": len(pairs),
            "pairs_per_s": round(rate, 1),
            "ratio": None if ours is None else round(ours / rate, 1),
        }


def products(model: str) -> tuple[float, int, int]:
    """Weights in the matrix products of all layers that are computed, the layers, and their width."""
    if model == MBERT:
        return LAYER * (4 * WIDTH**2 + 2 * WIDTH * WIDE), LAYER, WIDTH
    from wordalign.encoders.dequantise import load_module

    folder = next(known.folder for known in BUNDLED_MODELS if known.name == model)
    module = load_module(folder)
    weights = sum(
        part.weight.numel()
        for name, part in module.named_modules()
        if isinstance(part, torch.nn.Linear) and name != "predict"
    )
    return float(weights), module.shape.layers, module.shape.width


def agreement(here: Sequence[Any], there: Sequence[Any]) -> dict[str, float]:
    both = sum(len(set(one.links) & set(two.links)) for one, two in zip(here, there, strict=True))
    links = sum(len(one.links) + len(two.links) for one, two in zip(here, there, strict=True))
    equal = sum(one.links == two.links for one, two in zip(here, there, strict=True))
    return {"share_of_links": round(2 * both / links, 5), "share_of_pairs": round(equal / len(here), 4)}


def profiled(work: Callable[[], float], pairs: int, table: Path | None) -> dict[str, Any]:
    """Microseconds a pair that the GPU is busy, by kind of kernel."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        work()
    sums: dict[str, float] = dict.fromkeys([*KINDS, "other"], 0.0)
    spans = []
    for event in profiler.events():
        if not str(event.device_type).endswith("CUDA"):
            continue
        kind = next((kind for kind, known in KINDS.items() if known.search(event.name)), "other")
        sums[kind] += event.time_range.elapsed_us()
        spans.append((event.time_range.start, event.time_range.end))
    if table:
        table.write_text(profiler.key_averages().table(sort_by="self_device_time_total", row_limit=60))
    return {
        "us_per_pair_busy": round(covered(spans) / pairs, 3),
        "us_per_pair_by_kind": {kind: round(total / pairs, 4) for kind, total in sums.items()},
    }


def covered(spans: list[tuple[float, float]]) -> float:
    """The length of the union of intervals."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def ceilings(device: str) -> dict[str, float]:
    """What the device does at most: matrix products, and bytes copied (read and written)."""
    size = 8192 if device != "cpu" else 256

    def product(dtype: torch.dtype) -> float:
        left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        return 2 * size**3 / timed(lambda: left @ right, device)

    block = torch.empty(2**30 if device != "cpu" else 2**20, dtype=torch.uint8, device=device).random_()
    other = torch.empty_like(block)
    return {
        "bfloat16_matmul_flop_per_s": product(torch.bfloat16),
        "float16_matmul_flop_per_s": product(torch.float16),
        "bfloat16_datasheet_flop_per_s": DATASHEET,
        "copy_bytes_per_s": 2 * block.numel() / timed(lambda: other.copy_(block), device),
    }


def timed(work: Callable[[], Any], device: str, rounds: int = 10) -> float:
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        synchronize(device)
        start = time.perf_counter()
        work()
        synchronize(device)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def synchronize(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def device_facts(device: str) -> dict[str, Any]:
    if device == "cpu":
        return {"device": "cpu"}
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "device_memory_gib": round(properties.total_memory / 2**30, 1),
        "cuda": torch.version.cuda,
    }


def read_lines(path: Path) -> list[str]:
    reader = lzma.open if path.suffix == ".xz" else open
    with reader(path, "rt", encoding="utf-8") as lines:
        columns = (line.rstrip("\n").split("\t") for line in lines)
        return [f"{left}\t{right}" for left, right, *_ in columns if left and right]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, help="pairs of raw text, 'source TAB target' a line, plain or .xz")
    parser.add_argument(
        "--gold", type=Path, help="pairs of words whose links are compared, in the same format"
    )
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="torch's tables of kernels go here")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--models", nargs="+", default=["base", "tiny", MBERT])
    parser.add_argument("--only", nargs="+", metavar="STEP", help="only steps whose names begin so")
    parser.add_argument("--seconds", type=float, default=420.0, help="begin no step later than that")
    parser.add_argument("--rounds", type=int, default=20, help="chunks whose kernels are timed")
    parser.add_argument("--chunk", type=int, default=4096, help="pairs of a chunk")
    parser.add_argument("--distinct", type=int, default=40_000, help="lines that are read again and again")
    parser.add_argument("--pairs", type=int, default=2_000_000, help="lines of a file for `base`")
    parser.add_argument("--runs", type=int, default=2, help="of each model from file to file")
    parser.add_argument("--dtypes", nargs="+", default=["float16", "bfloat16", "float32"])
    parser.add_argument("--checked", type=int, default=4000, help="pairs whose links are compared")
    parser.add_argument("--simalign", type=int, default=200, help="pairs for SimAlign")
    parser.add_argument("--worker-counts", type=int, nargs="+", default=[4, 8, 14])
    arguments = parser.parse_args()
    pairs = arguments.pairs
    arguments.lines = {"base": pairs, "tiny": pairs * 3 // 2, MBERT: pairs * 2 // 5}
    return arguments


def main() -> None:
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, Path(folder))
        gc.freeze()
        bench.run()
        bench.result["seconds"] = round(time.perf_counter() - bench.start, 1)
        bench.say("done")
    print(json.dumps(bench.result, indent=2))


if __name__ == "__main__":
    main()
