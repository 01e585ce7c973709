"""Many machines: what is lost when workers and nodes die, and what Ray costs where nothing does.

    python benchmarks/cluster.py TEXT/eng-deu.tsv.xz --pairs 6000 --out benchmarks/results/cluster.json

TEXT is source, TAB, target. First a cluster of several nodes, each with processes of its own on this machine,
aligns the pairs in shards, while workers and whole nodes are killed in the middle of a shard, again and again
(a new node joins for each that was killed). Every part is compared with what `wordalign align` gives for the
same lines. Then the same pairs are aligned with all cores of this machine by `wordalign align` and by
`wordalign align --engine ray`, in turn; a run with one pair tells what starting costs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from machine import describe

from wordalign.cli import main as align
from wordalign.config import AlignConfig
from wordalign.io import read_lines
from wordalign.run import Progress
from wordalign.run.ray import ClusterConfig, align_shards

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests/run/ray"))
from cluster_nodes import Nodes, cluster  # noqa: E402

RESULTS = HERE / "results/cluster.json"
COMMAND = [sys.executable, "-m", "wordalign", "align"]
MODEL = "tiny"


def write_pairs(text: Path, count: int, folder: Path) -> Path:
    """So many pairs of a text, as a TSV file."""
    pairs = folder / "pairs.tsv"
    chosen = ("\t".join(line.split("\t")[:2]) for line in islice(read_lines(text), count))
    pairs.write_text("".join(f"{line}\n" for line in chosen), "utf-8")
    return pairs


def with_faults(
    pairs: Path, folder: Path, nodes: int, lines: int, workers: int, losses: int
) -> dict[str, Any]:
    """Align in a cluster, and kill so many workers and nodes while it works."""
    killed = {"worker": 0, "node": 0}
    events: list[tuple[int, str]] = []

    def disturb(step: Progress) -> None:
        if step.parts == 0:
            events.extend(_moments(step.of_parts, workers, losses))
        if events and step.parts >= events[0][0]:
            what = events.pop(0)[1]
            _kill(machines, what)
            killed[what] += 1

    start = time.perf_counter()
    with cluster(nodes) as machines:
        config = ClusterConfig(machines.address, lines=lines)
        found = align_shards(
            [str(pairs)], str(folder), AlignConfig(MODEL), config, raw=True, progress=disturb
        )
    return {
        "nodes": nodes,
        "shards": found.parts,
        "lines": found.lines,
        "workers_killed": killed["worker"],
        "nodes_killed": killed["node"],
        "wall_s": round(time.perf_counter() - start, 1),
        **compare(pairs, folder),
    }


def _moments(parts: int, workers: int, losses: int) -> Iterator[tuple[int, str]]:
    """After how many parts what is killed: spread over the run, nodes between workers."""
    events = [what for pair in zip_longest(["worker"] * workers, ["node"] * losses) for what in pair if what]
    for number, what in enumerate(events, start=1):
        yield max(1, number * parts // (len(events) + 1)), what


def _kill(machines: Nodes, what: str) -> None:
    if what == "worker":
        machines.kill_worker()
    else:
        machines.kill_node()
        machines.add()


def compare(pairs: Path, folder: Path) -> dict[str, int]:
    """Each part beside what the command gives for the same lines on one machine."""
    shards = json.loads((folder / "manifest.json").read_text("utf-8"))["shards"]
    text = pairs.read_bytes().splitlines(keepends=True)
    found = {"lost": 0, "twice": 0, "mismatches": 0}
    for shard in shards:
        one, links = folder.with_name("one.tsv"), folder.with_name("one.txt")
        one.write_bytes(b"".join(text[shard["before"] : shard["before"] + shard["lines"]]))
        align(["align", *map(str, (one, "-o", links)), "--raw", "--model", MODEL, "--workers", "1"])
        ours, theirs = ((path.read_bytes().split(b"\n")[:-1]) for path in (folder / shard["name"], links))
        found["lost"] += max(0, len(theirs) - len(ours))
        found["twice"] += max(0, len(ours) - len(theirs))
        found["mismatches"] += sum(left != right for left, right in zip(ours, theirs, strict=False))
    return found


def overhead(pairs: Path, folder: Path, cores: int, rounds: int) -> dict[str, Any]:
    """Wall seconds of both ways, for all pairs and for one."""
    one = folder / "single.tsv"
    one.write_text("Yes\tJa\n", "utf-8")
    lines = sum(1 for _ in read_lines(pairs))
    ways = {
        "local": ["--workers", str(cores)],
        "ray": ["--engine", "ray", "--workers", str(cores), "--shard-lines", str(-(-lines // (8 * cores)))],
    }
    seconds: dict[str, list[float]] = {f"{way}, {size}": [] for way in ways for size in ("all", "one")}
    for number in range(rounds):
        for way, options in ways.items():
            for size, file in (("all", pairs), ("one", one)):
                output = folder / f"{way}-{size}-{number}"
                seconds[f"{way}, {size}"].append(timed([*COMMAND, file, "-o", output, *options]))
    middle = {name: median(several) for name, several in seconds.items()}
    work = {way: middle[f"{way}, all"] - middle[f"{way}, one"] for way in ways}
    return {
        "lines": lines,
        "cores": cores,
        "rounds": rounds,
        "wall_s": {name: round(value, 2) for name, value in middle.items()},
        "start_s": {way: round(middle[f"{way}, one"], 2) for way in ways},
        "ray_to_local": round(middle["ray, all"] / middle["local, all"], 3),
        "ray_to_local_without_start": round(work["ray"] / work["local"], 3),
    }


def timed(command: Sequence[str | Path]) -> float:
    start = time.perf_counter()
    subprocess.run([*command, "--raw", "--model", MODEL], check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", type=Path)
    parser.add_argument("--pairs", type=int, default=6000)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--shard-lines", type=int, default=150)
    parser.add_argument("--kill-workers", type=int, default=6)
    parser.add_argument("--kill-nodes", type=int, default=3)
    parser.add_argument("--cores", type=int, default=2, help="for both ways when nothing is killed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    machine = describe()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = write_pairs(arguments.text, arguments.pairs, folder)
        faults = with_faults(
            pairs,
            folder / "parts",
            arguments.nodes,
            arguments.shard_lines,
            arguments.kill_workers,
            arguments.kill_nodes,
        )
        print(json.dumps(faults), flush=True)
        cost = overhead(pairs, folder, arguments.cores, arguments.rounds)
        print(json.dumps(cost), flush=True)
    stored = {"machine": machine, "model": MODEL, "faults": faults, "overhead": cost}
    arguments.out.write_text(json.dumps(stored, indent=2) + "\n")


if __name__ == "__main__":
    main()
