"""Pairs per second on a GPU beside SimAlign 0.4, on the same weights and sentences, in one run.

    python benchmarks/gpu.py PAIRS.tsv.xz -o benchmarks/results/gpu.json

The model has mBERT's shape (12 layers of 768, 119,547 subwords, read at layer 8) and random weights, which
are as fast as trained ones. From lines of text to lines of links, all taking turns; few lines are read again
and again, so the words' subwords are soon known (`first_pass` says what they cost). Beside the rates stand
the floor that the model's matrix products set, the share of the time that the GPU spent in them, and where
the host's time goes. `--profile` keeps torch's table of kernels.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import lzma
import re
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from machine import describe
from speed import mbert_shaped_model

from wordalign import Aligner
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.links import Method
from wordalign.links.device import DeviceUnits
from wordalign.links.tensors import on_tensors

LAYER, LAYERS, WIDTH, WIDE = 8, 12, 768, 3072
DATASHEET = 989e12  # dense bfloat16 of an H100 or H200, operations a second
SHARES = {
    "attention": re.compile("flash|fmha|attention", re.I),
    "similarity": re.compile("sgemm|simt|f32f32_f32f32|gemmsn", re.I),
    "matrix_products": re.compile("gemm|cutlass|nvjet|xmma|cublas|splitk", re.I),
    "copies": re.compile("memcpy|memset", re.I),
}
Lines = list[tuple[str, str]]
Work = Callable[[Iterable[tuple[str, str]]], int]


def main() -> None:
    arguments = _arguments()
    start = time.perf_counter()
    lines = _read(arguments.text)
    result: dict[str, Any] = {"machine": {**describe(), **_device(arguments.device)}}
    bench = Bench(arguments, lines, result, deadline=start + arguments.seconds)
    try:
        bench.run()
    except Exception:
        # Whatever was measured before is kept.
        result["failed"] = traceback.format_exc()
        traceback.print_exc()
    result["seconds"] = round(time.perf_counter() - start, 1)
    print(json.dumps(result, indent=2))
    arguments.save(result)
    if "failed" in result:
        sys.exit(1)


class Bench:
    def __init__(
        self, arguments: argparse.Namespace, lines: Lines, result: dict[str, Any], deadline: float
    ) -> None:
        self.arguments = arguments
        self.device = arguments.device
        self.lines = lines
        self.result = result
        self.deadline = deadline
        self.folder = ""

    def run(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.folder = str(mbert_shaped_model(Path(folder), itertools.chain.from_iterable(self.lines)))
            # What stays for the whole run need not be looked through again and again.
            gc.collect()
            gc.freeze()
            self.say("model saved")
            self.result["ceilings"] = _ceilings(self.device)
            self.result["extraction_equals_numpy"] = _check_extraction(self.device)
            self.say(str(self.result["ceilings"]))
            exact, half = self.aligner("float32"), self.aligner("bfloat16")
            self.result["text"] = self.text(half)
            self.result["equal_links"] = self.equal_links(exact, half)
            self.say(f"links {self.result['equal_links']}")
            self.result["first_pass_pairs_per_s"] = self.rate(
                _ours(self.aligner("bfloat16")), min(self.arguments.trial, len(self.lines))
            )
            self.result["variants"] = self.variants()
            best = max(self.result["variants"].values(), key=lambda found: found.get("pairs_per_s", 0))
            if "settings" in best:
                half = self.aligner("bfloat16", **best["settings"])
            self.result["settings"] = best.get("settings")
            self.result["rates"] = self.rates(exact, half)
            self.result["host_us_per_pair"] = self.host(half)
            self.result["time"] = self.profile(half)
            self.say(f"time {self.result['time']}")
            if self.arguments.compiled:
                self.result["compiled"] = self.compiled(half)
                self.say(f"compiled {self.result['compiled']}")

    def say(self, text: str) -> None:
        left = self.deadline - time.perf_counter()
        print(f"[{left:5.0f} s left] {text}", file=sys.stderr, flush=True)
        self.arguments.save(self.result)

    def aligner(self, dtype: str, method: str = "argmax", **settings: Any) -> Aligner:
        settings = {"batch_tokens": self.arguments.batch_tokens, **settings}
        encoder = HuggingFaceEncoder(
            self.folder, layer=LAYER, device=self.device, dtype=dtype, on_device=True, **settings
        )
        return Aligner(encoder, method=method)

    def some(self, number: int) -> Iterator[tuple[str, str]]:
        return itertools.islice(itertools.cycle(self.lines), number)

    def seconds(self, work: Work, number: int) -> float:
        _synchronize(self.device)
        start = time.perf_counter()
        assert work(self.some(number)) == number
        _synchronize(self.device)
        return time.perf_counter() - start

    def rate(self, work: Work, number: int) -> float:
        return round(number / self.seconds(work, number), 1)

    def text(self, aligner: Aligner) -> dict[str, Any]:
        """What the sentences cost at least, in operations of the model's matrix products."""
        words = [side.split() for pair in self.lines for side in pair]
        lengths = aligner._rows.subwords(words).lengths
        tokens = lengths + 2
        pairs = len(self.lines)

        def operations(layers: int) -> float:
            linear = 2 * (4 * WIDTH**2 + 2 * WIDTH * WIDE) * tokens.sum()
            attention = 4 * WIDTH * (tokens.astype(float) ** 2).sum()
            return layers * float(linear + attention) / pairs

        return {
            "distinct_pairs": pairs,
            "words_per_pair": round(sum(map(len, words)) / pairs, 1),
            "subwords_per_pair": round(float(lengths.sum()) / pairs, 1),
            "tokens_per_pair": round(float(tokens.sum()) / pairs, 1),
            "gigaflop_per_pair": operations(LAYER) / 1e9,
            "gigaflop_per_pair_all_layers": operations(LAYERS) / 1e9,
        }

    def equal_links(self, exact: Aligner, half: Aligner) -> dict[str, float]:
        """The share of pairs with the very same links as through vectors on the host."""
        pairs = [(left.split(), right.split()) for left, right in self.some(self.arguments.checked)]

        hosts = {
            dtype: HuggingFaceEncoder(
                self.folder, layer=LAYER, device=self.device, dtype=dtype, on_device=False
            )
            for dtype in ("float32", "bfloat16")
        }

        def share(one: Aligner, dtype: str, **options: Any) -> float:
            options = {"method": "argmax", **options}
            there = Aligner(one.encoder, **options).stream_methods(pairs)
            here = Aligner(hosts[dtype], **options).stream_methods(pairs)
            equal = [
                found[name].links == wanted[name].links
                for found, wanted in zip(there, here, strict=True)
                for name in wanted
            ]
            return round(sum(equal) / len(equal), 4)

        return {
            "pairs": len(pairs),
            "float32": share(exact, "float32"),
            "float32_words_distortion_all_methods": share(
                exact,
                "float32",
                level="word",
                distortion=0.5,
                method=["itermax", "argmax", "match", "forward"],
            ),
            "bfloat16": share(half, "bfloat16"),
            "bfloat16_beside_float32": share(half, "float32"),
            "bfloat16_beside_itself_in_other_batches": round(
                sum(
                    one.links == two.links
                    for one, two in zip(half.stream(pairs), half.stream(pairs[:-7]), strict=False)
                )
                / max(len(pairs) - 7, 1),
                4,
            ),
        }

    def variants(self) -> dict[str, Any]:
        """One short pass of each way of doing it: which pays?"""
        tried = {
            "flat": {},
            "padded": {"flat": False},
            "flat_32k": {"batch_tokens": 32768},
            "flat_128k": {"batch_tokens": 131072},
        }
        if self.arguments.batch_tokens:
            tried = {name: made for name, made in tried.items() if "k" not in name[-1]}
        wanted = self.arguments.variants
        found: dict[str, Any] = {}
        for name, settings in tried.items():
            if wanted and name not in wanted:
                continue
            try:
                start = time.perf_counter()
                work = _ours(self.aligner("bfloat16", **settings))
                work(self.some(self.arguments.warm))
                prepared = time.perf_counter() - start
                times = [self.seconds(work, self.arguments.trial) for _ in range(2)]
                found[name] = {
                    "settings": settings,
                    "pairs_per_s": round(self.arguments.trial / min(times), 1),
                    "prepared_in_s": round(prepared, 1),
                }
            except Exception as error:
                found[name] = {"failed": f"{type(error).__name__}: {error}"[:500]}
                traceback.print_exc()
            self.say(f"{name}: {found[name]}")
        return found

    def compiled(self, half: Aligner) -> dict[str, Any]:
        """Does it pay to let torch compile what lies between the products?"""
        start = time.perf_counter()
        work, plain = _ours(self.aligner("bfloat16", **self.result["settings"], compiled=True)), _ours(half)
        work(self.some(self.arguments.warm))
        prepared = time.perf_counter() - start
        number = self.arguments.trial
        ratios = [self.seconds(plain, number) / self.seconds(work, number) for _ in range(3)]
        return {
            "times_as_fast": round(statistics.median(ratios), 3),
            "ratios": [round(ratio, 3) for ratio in ratios],
            "prepared_in_s": round(prepared, 1),
        }

    def rates(self, exact: Aligner, half: Aligner) -> dict[str, Any]:
        """Pairs per second, all taking turns, and the ratios to SimAlign of the same round."""
        import simalign

        theirs = simalign.SentenceAligner(
            self.folder, token_type="bpe", matching_methods="a", device=self.device, layer=LAYER
        )

        def simaligns(pairs: Iterable[tuple[str, str]]) -> int:
            found = (theirs.get_word_aligns(left.split(), right.split())["inter"] for left, right in pairs)
            return sum(1 for links in found if " ".join(f"{i}-{j}" for i, j in links) is not None)

        share = self.arguments.round_seconds
        works: dict[str, tuple[Work, float]] = {
            "simalign": (simaligns, 0.5 * share),
            "argmax_float32": (_ours(exact), 0.5 * share),
            "argmax_bfloat16": (_ours(half), share),
            "itermax_bfloat16": (_ours(_with(half, "itermax")), 0.4 * share),
            "match_bfloat16": (_ours(_with(half, "match")), 0.4 * share),
        }
        numbers = {}
        for name, (work, wanted) in works.items():
            sample = {"simalign": 40, "argmax_float32": self.arguments.trial // 8 + 1}.get(
                name, self.arguments.trial
            )
            work(self.some(sample))
            numbers[name] = max(8, int(wanted * sample / self.seconds(work, sample)))
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(self.arguments.rounds):
            if time.perf_counter() > self.deadline - 2.5 * share - 15 and times["simalign"]:
                break
            for name, (work, _) in works.items():
                times[name].append(self.seconds(work, numbers[name]))
        per_s = {name: [numbers[name] / taken for taken in took] for name, took in times.items()}
        floor = self.result["text"]["gigaflop_per_pair"] * 1e9
        measured = self.result["ceilings"]["bfloat16_matmul_flop_per_s"]
        found: dict[str, Any] = {}
        for name, rates in per_s.items():
            rate = statistics.median(rates)
            ratios = [ours / theirs for ours, theirs in zip(rates, per_s["simalign"], strict=True)]
            found[name] = {
                "pairs": numbers[name],
                "seconds": [round(taken, 2) for taken in times[name]],
                "pairs_per_s": round(rate, 1),
                "tokens_per_s": round(rate * self.result["text"]["tokens_per_pair"]),
                "ratio_to_simalign": round(statistics.median(ratios), 1),
                "ratios": [round(ratio, 1) for ratio in ratios],
                "times_the_floor_measured": round(measured / floor / rate, 2),
                "times_the_floor_datasheet": round(DATASHEET / floor / rate, 2),
            }
            self.say(f"{name}: {found[name]}")
        found["floor"] = {
            "pairs_per_s_at_measured_bfloat16_rate": round(measured / floor),
            "pairs_per_s_at_datasheet_bfloat16_rate": round(DATASHEET / floor),
        }
        return found

    def host(self, aligner: Aligner) -> dict[str, float]:
        """What each step of a chunk costs the host, the device's own work left out."""
        linker, rows = aligner._linker, aligner._rows
        number = min(rows.chunk_pairs, len(self.lines), self.arguments.trial)
        lines = list(self.some(number))
        steps: dict[str, list[float]] = {}

        def step(name: str, work: Callable[[], Any]) -> Any:
            start = time.perf_counter()
            found = work()
            steps.setdefault(name, []).append((time.perf_counter() - start) / number * 1e6)
            return found

        extraction = aligner._extraction()
        for _ in range(5):
            words = step("split lines", lambda: [(left.split(), right.split()) for left, right in lines])
            (chunk,) = step("make pairs", lambda words=words: list(aligner._chunks(words)))
            sides = [side.words for pair in chunk for side in (pair.source, pair.target)]
            subwords = step("look subwords up", lambda sides=sides: rows.subwords(sides))
            step("sort by length", lambda subwords=subwords: subwords.take(np.argsort(-subwords.lengths)))
            step("lay out and send", lambda subwords=subwords: rows.send(subwords))
            step("name units", lambda subwords=subwords: DeviceUnits.of(subwords, "subword"))
            _synchronize(self.device)
            started = step("all until queued", lambda chunk=chunk: linker.start(chunk, extraction))
            _synchronize(self.device)
            links = step("links from numbers", lambda started=started: list(started.finish()))
            step("write links", lambda links=links: [found["argmax"].pharaoh() for found in links])
        return {name: round(statistics.median(times), 2) for name, times in steps.items()}

    def profile(self, aligner: Aligner) -> dict[str, Any]:
        """The GPU's time by kind of kernel, as shares of the time that passes."""
        if self.device == "cpu":
            return {}
        from torch.profiler import ProfilerActivity, profile

        work = _ours(aligner)
        number = self.arguments.profiled
        work(self.some(number))
        plain = self.seconds(work, number)
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            profiled = self.seconds(work, number)
        sums: dict[str, float] = dict.fromkeys([*SHARES, "other"], 0.0)
        names: dict[str, dict[str, float]] = {name: {} for name in sums}
        spans = []
        for event in profiler.events():
            if not str(event.device_type).endswith("CUDA"):
                continue
            kind = next((kind for kind, known in SHARES.items() if known.search(event.name)), "other")
            taken = event.time_range.elapsed_us() / 1e6
            sums[kind] += taken
            names[kind][event.name[:120]] = names[kind].get(event.name[:120], 0.0) + taken
            spans.append((event.time_range.start, event.time_range.end))
        busy = _covered(spans) / 1e6
        if self.arguments.profile:
            table = profiler.key_averages().table(sort_by="self_device_time_total", row_limit=60)
            self.arguments.profile.write_text(table)
        products = sums["matrix_products"] + sums["attention"]
        flop = self.result["text"]["gigaflop_per_pair"] * 1e9 * number
        return {
            "pairs": number,
            "seconds": round(plain, 3),
            "seconds_while_profiled": round(profiled, 3),
            "gpu_busy_share": round(busy / profiled, 3),
            "gpu_idle_share": round(1 - busy / profiled, 3),
            "share_in_model_products": round(products / profiled, 3),
            "share_in_model_products_not_profiled": round(products / plain, 3),
            "share_of_gpu_time_in_model_products": round(products / busy, 3) if busy else None,
            "products_flop_per_s": round(flop / products) if products else None,
            "seconds_by_kind": {kind: round(total, 4) for kind, total in sums.items()},
            "kernels": {
                kind: {
                    name: round(taken, 4) for name, taken in sorted(found.items(), key=lambda it: -it[1])[:8]
                }
                for kind, found in names.items()
            },
        }


def _ours(aligner: Aligner) -> Work:
    name = aligner.methods[0]

    def work(lines: Iterable[tuple[str, str]]) -> int:
        pairs = ((left.split(), right.split()) for left, right in lines)
        found = (by_method[name].pharaoh() for by_method in aligner.stream_methods(pairs))
        return sum(1 for line in found if line is not None)

    return work


def _with(aligner: Aligner, method: str) -> Aligner:
    return Aligner(aligner.encoder, method=method)


def _check_extraction(device: str) -> bool:
    """Random stacks with many ties and zeros: the device's links are numpy's."""
    random = np.random.default_rng(0)
    for method in map(Method.parse, ("argmax", "forward", "reverse", "itermax", "itermax:n_max=4,alpha=0.5")):
        on_device = on_tensors(method)
        for levels in (3, 50, 10**6):
            stack = (random.integers(0, levels, (64, 37, 41)) / levels).astype(np.float32)
            stack[:20, 30:] = 0
            found = on_device(torch.from_numpy(stack).to(device)).cpu().numpy()
            assert (found == method(stack)).all(), f"{method} differs from numpy on {device}"
    return True


def _ceilings(device: str) -> dict[str, float]:
    """What the device does at most: matrix products, and bytes copied (read and written)."""
    size = 8192 if device != "cpu" else 256

    def product(dtype: torch.dtype, size: int) -> float:
        left, right = (torch.randn(size, size, device=device).to(dtype) for _ in range(2))
        return 2 * size**3 / _timed(lambda: left @ right, device)

    block = torch.empty(2**30 if device != "cpu" else 2**20, dtype=torch.uint8, device=device).random_()
    other = torch.empty_like(block)
    return {
        "bfloat16_matmul_flop_per_s": product(torch.bfloat16, size),
        "float32_matmul_flop_per_s": product(torch.float32, size // 2),
        "bfloat16_datasheet_flop_per_s": DATASHEET,
        "copy_bytes_per_s": 2 * block.numel() / _timed(lambda: other.copy_(block), device),
    }


def _timed(work: Callable[[], Any], device: str, rounds: int = 10) -> float:
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        _synchronize(device)
        start = time.perf_counter()
        work()
        _synchronize(device)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _synchronize(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def _covered(spans: list[tuple[float, float]]) -> float:
    """The length of the union of intervals."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def _device(device: str) -> dict[str, Any]:
    if device == "cpu":
        return {"device": "cpu"}
    properties = torch.cuda.get_device_properties(0)
    return {
        "device": properties.name,
        "multiprocessors": properties.multi_processor_count,
        "device_memory_gib": round(properties.total_memory / 2**30, 1),
        "cuda": torch.version.cuda,
    }


def _read(path: Path) -> Lines:
    reader = lzma.open if path.suffix == ".xz" else open
    with reader(path, "rt", encoding="utf-8") as lines:
        columns = (line.rstrip("\n").split("\t") for line in lines)
        return [(left, right) for left, right, *_ in columns if left and right]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path, help="pairs, 'source TAB target' a line, plain or .xz")
    parser.add_argument("-o", "--output", "--out", type=Path)
    parser.add_argument("--profile", type=Path, metavar="FILE", help="torch's table of kernels goes here")
    parser.add_argument("--device", default="cuda")
    parser.add_argument(
        "--quick", action="store_true", help="seconds instead of minutes, to see that it works"
    )
    parser.add_argument("--seconds", type=float, default=200.0, help="to end within, roughly")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--round-seconds", type=float, default=7.0, help="of argmax in bfloat16, each round")
    parser.add_argument("--trial", type=int, default=40_000, help="pairs of a variant's trial")
    parser.add_argument("--warm", type=int, default=40_000, help="pairs before anything is timed")
    parser.add_argument("--checked", type=int, default=2000, help="pairs whose links are compared")
    parser.add_argument("--profiled", type=int, default=60_000, help="pairs that are profiled")
    parser.add_argument("--batch-tokens", type=int, help="of one batch (default: the encoder's)")
    parser.add_argument("--compiled", action="store_true", help="also let torch compile the model")
    parser.add_argument("--variants", nargs="*", help="try only these (default: all)")
    arguments = parser.parse_args()
    arguments.save = lambda result: (
        arguments.output and arguments.output.write_text(json.dumps(result, indent=2) + "\n")
    )
    if arguments.quick:
        few = 24 if arguments.device == "cpu" else 9000
        arguments.rounds, arguments.round_seconds = 1, 1.0
        arguments.trial = arguments.warm = arguments.profiled = few
        arguments.checked = min(few, 300)
        if arguments.variants is None:
            arguments.variants = ["flat", "padded"]
    return arguments


if __name__ == "__main__":
    main()
