"""How long `wordalign evaluate` takes, and how much memory, on links of a million sentences.

    python benchmarks/evaluation.py                # 1,000,000 sentences of 25 links; about a minute

The gold links have a fifth of possible ones, the predicted links are right in about three of four. The whole
command is measured, in a process of its own: from its start to its end, its processor time and its peak
memory, for a file and for one of four times its length. The bootstrap is that of 1,000 resamples of 2,501
sentences, the size of the largest set of the paper. Results go to benchmarks/results/evaluation.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from machine import describe

from wordalign.evaluate import Evaluation, compare

HERE = Path(__file__).parent
LINKS = 25


def write_links(folder: Path, sentences: int) -> tuple[Path, Path]:
    """Gold and predicted links: sentences of 25 to 40 words, one block of 5,000 of them again and again."""
    chance = random.Random(0)
    gold_block, link_block = [], []
    for _ in range(5000):
        words = chance.randint(LINKS, 40)
        gold = sorted(
            zip(chance.sample(range(words), LINKS), chance.sample(range(words), LINKS), strict=True)
        )
        found = {(i, j if chance.random() < 0.75 else chance.randrange(words)) for i, j in gold}
        gold_block.append(" ".join(f"{i}{'p' if chance.random() < 0.2 else '-'}{j}" for i, j in gold))
        link_block.append(" ".join(f"{i}-{j}" for i, j in sorted(found)))
    paths = folder / "gold.txt", folder / "links.txt"
    for path, block in zip(paths, (gold_block, link_block), strict=True):
        with path.open("w") as stream:
            for start in range(0, sentences, len(block)):
                stream.write("".join(line + "\n" for line in block[: sentences - start]))
    return paths


def run_command(gold: Path, links: Path) -> dict[str, float]:
    """Seconds, processor seconds and peak memory of one run of the command, on one core."""
    command = [sys.executable, "-m", "wordalign", "evaluate", str(gold), str(links), "--json"]
    start = time.perf_counter()
    pid = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=_one_core).pid
    _, status, used = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{command} failed.")
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(used.ru_utime + used.ru_stime, 2),
        "peak_memory_mib": round(used.ru_maxrss / 1024, 1),
    }


def _one_core() -> None:
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])


def bootstrap(sentences: int, resamples: int) -> dict[str, float]:
    """Both tests of significance, after one warm-up."""
    generator = np.random.default_rng(0)
    sure = generator.integers(5, 30, sentences)
    systems = []
    for quality in (0.80, 0.79):
        right = generator.binomial(sure, quality)
        systems.append(Evaluation(np.stack([sure, right, right, sure], axis=1)))
    compare(*systems, resamples=10)
    start, used = time.perf_counter(), time.process_time()
    compare(*systems, resamples=resamples)
    return {
        "seconds": round(time.perf_counter() - start, 3),
        "processor_seconds": round(time.process_time() - used, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "evaluation.json")
    arguments = parser.parse_args()
    result: dict[str, object] = {"machine": describe(), "links_a_sentence": LINKS}
    with tempfile.TemporaryDirectory() as folder:
        for sentences in (arguments.sentences // 4, arguments.sentences):
            files = write_links(Path(folder), sentences)
            megabytes = round(sum(path.stat().st_size for path in files) / 1e6, 1)
            load = round(os.getloadavg()[0], 2)
            result[f"{sentences}_sentences"] = {"megabytes": megabytes, "load": load, **run_command(*files)}
    result["bootstrap_and_randomisation_1000_x_2501"] = bootstrap(2501, 1000)
    print(json.dumps(result, indent=2))
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
