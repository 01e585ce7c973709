"""How long mapping two vocabularies takes, phase by phase, and how much memory.

    python benchmarks/mapping.py [--words 50000] [--device cpu|cuda] [--vectors ONE TWO]

Without --vectors the two are a space of topics with a falling spectrum and a rotated, noised and shuffled
copy of it: as large as real ones, and what is recovered can be counted. Needs numpy, and torch for a GPU.
Results go to benchmarks/results/mapping-DEVICE.json and are printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
from machine import describe

from wordalign.encoders.static.vectors import Vectors
from wordalign.links.similarity import unit_rows
from wordalign.vectors.folder import write_folder
from wordalign.vectors.map import MapSettings, map_spaces
from wordalign.vectors.read import read_vectors

HERE = Path(__file__).parent


def synthetic(words: int, dimensions: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A space, its disguised copy, and the number in the first of each row of the second.

    Ranks move a little only, as they do between languages: the cut-off keeps the same words on both sides.
    """
    random = np.random.default_rng(0)
    spread = (1 / np.sqrt(1 + np.arange(dimensions))).astype(np.float32)
    centres = 1.2 * spread * random.standard_normal((500, dimensions), dtype=np.float32)
    rows = centres[random.integers(0, 500, words)]
    rows += spread * random.standard_normal(rows.shape, dtype=np.float32)
    rows += 0.5 * spread * random.exponential(size=rows.shape).astype(np.float32)
    rotation = np.linalg.qr(random.standard_normal((dimensions, dimensions)))[0].astype(np.float32)
    order = np.argsort(np.arange(words) * random.uniform(0.8, 1.25, words))
    copy = (rows @ rotation)[order]
    copy += noise * rows.std() * random.standard_normal(copy.shape, dtype=np.float32)
    return rows, copy, order


def precision(source: np.ndarray, target: np.ndarray, order: np.ndarray, words: int = 5000) -> float:
    found = (unit_rows(source[:words]) @ unit_rows(target).T).argmax(axis=1)
    return float(np.mean(order[found] == np.arange(len(found))))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--noise", type=float, default=0.5)
    parser.add_argument("--vectors", nargs=2, metavar="FILE")
    parser.add_argument("--random-cutoff", type=int, default=MapSettings().random_cutoff)
    parser.add_argument("--device")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    machine = describe()
    if arguments.vectors:
        source, target = (read_vectors(path, arguments.words) for path in arguments.vectors)
        order = None
    else:
        rows, copy, order = synthetic(arguments.words, arguments.dimensions, arguments.noise)
        names = tuple(map(str, range(len(rows))))
        source, target = Vectors(names, rows), Vectors(names, copy)
    before = peak_gib()
    start = time.perf_counter()
    settings = MapSettings(random_cutoff=arguments.random_cutoff)
    mapped = map_spaces(
        source.matrix,
        target.matrix,
        settings,
        device=arguments.device,
        report=lambda *state: say(start, state),
    )
    seconds = dict(mapped.seconds)
    with tempfile.TemporaryDirectory() as folder:
        writing = time.perf_counter()
        write_folder(Path(folder) / "both", ("one", source), ("two", target), mapped, settings={})
        seconds["apply and write"] = round(time.perf_counter() - writing, 2)
    result = {
        "machine": machine,
        "device": mapped.device,
        "words": [len(source.words), len(target.words)],
        "dimensions": source.dimensions,
        "vectors": "given" if arguments.vectors else f"synthetic, noise {arguments.noise}",
        "settings": asdict(settings),
        "seconds": seconds,
        "seconds_in_all": round(time.perf_counter() - start, 1),
        "iterations": mapped.iterations,
        "converged": mapped.converged,
        "quality": asdict(mapped.quality),
        "memory_gib": {"input": before, "peak": peak_gib()},
    }
    if order is not None:
        result["precision_at_1"] = precision(
            mapped.source(source.matrix[:5000]), mapped.target(target.matrix), order
        )
    if mapped.device != "cpu":
        import torch

        result["gpu"] = torch.cuda.get_device_name()
        result["gpu_memory_gib"] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
    text = json.dumps(result, indent=2) + "\n"
    print(text)
    output = arguments.output or HERE / "results" / f"mapping-{mapped.device.partition(':')[0]}.json"
    output.write_text(text)


def say(start: float, state: tuple[int, float, float]) -> None:
    iteration, keep, similarity = state
    if iteration % 25 == 0:
        passed = time.perf_counter() - start
        print(f"{passed:6.0f} s  {iteration:4}  keep {keep:.1f}  {similarity:.4f}", file=sys.stderr)


def peak_gib() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


if __name__ == "__main__":
    main()
