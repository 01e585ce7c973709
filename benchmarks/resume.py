"""Runs of `wordalign align` killed with kill -9 at random moments and resumed, as figures.

    python benchmarks/resume.py --kills 48 --out results.json

Each round aligns the same corpus, some lines of which are bad, with other settings: plain or compressed input
and output, every format, files and a pipe, one process and two. It is killed and resumed, again and again,
until one run gets to its end; then output and errors must be those of an undisturbed run, byte for byte, and
nothing else may be left. The command is the real one, but looks after itself more often than it would:
chunks are smaller and states are saved after each, so that kills hit every step many times.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

from wordalign.io import open_output

CODE = """
import sys
from wordalign.cli import main
from wordalign.io import checkpoint
from wordalign.parallel import cut
from wordalign.run import ChunkAligner
checkpoint.SECONDS, checkpoint.FRAME_TEXT = 0.0, 4096
ChunkAligner.cut = lambda self, records: cut(records, {pairs})
sys.exit(main(sys.argv[1:]))
"""
PATIENCE = 300.0  # seconds for one run
WORDS = (
    ("house", "Haus"), ("garden", "Garten"), ("water", "Wasser"), ("night", "Nacht"), ("is", "ist"),
    ("the", "das"), ("old", "alt"), ("new", "neu"), ("here", "hier"), ("and", "und"), ("bread", "Brot"),
    ("good", "gut"), ("man", "Mann"), ("sees", "sieht"), ("friend", "Freund"), ("today", "heute"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Round:
    """What is run; `piped` gives the input on standard input."""

    inputs: tuple[str, ...]
    output: str
    options: tuple[str, ...] = ()
    piped: bool = False


ROUNDS = (
    Round(("eng.txt", "deu.txt"), "links.txt"),
    Round(("pairs.tsv.gz",), "links.jsonl.zst", ("--format", "jsonl", "--scores")),
    Round(("eng.txt.xz", "deu.txt"), "links.tsv.gz", ("--format", "tsv")),
    Round(("pairs.tsv.gz",), "links.txt.xz", ("--method", "argmax", "itermax"), piped=True),
)


@dataclass(slots=True)
class Tally:
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def report(self) -> dict[str, Any]:
        names = ("kills", "kills_before_the_first_state", "resumed", "rounds", "mismatches")
        return {
            **{name: self.counts[name] for name in names},
            "problems": self.problems[:20],
            "good": not self.problems and self.counts["mismatches"] == 0,
        }


def kill_and_resume(
    folder: Path, kills: int = 48, seed: int = 7, until: float = float("inf"), lines: int = 4000,
    chunk: int = 100, rounds: Sequence[Round] = ROUNDS,
) -> dict[str, Any]:  # fmt: skip
    """Rounds until so many processes were killed; `until` is a time of `time.monotonic`."""
    rng = random.Random(seed)
    folder.mkdir(exist_ok=True)
    _write_corpus(folder, lines, rng)
    tally = Tally()
    expected: dict[Round, dict[str, bytes]] = {}
    for round_ in cycle(rounds):
        if tally.counts["kills"] >= kills or time.monotonic() > until:
            break
        if round_ not in expected:
            expected[round_] = _undisturbed(folder, round_, chunk)
        _disturbed(folder, round_, chunk, expected[round_], rng, tally, until)
    return {**tally.report(), "lines": lines, "lines_a_chunk": chunk, "seed": seed}


def _disturbed(
    folder: Path, round_: Round, chunk: int, expected: dict[str, bytes], rng: random.Random, tally: Tally,
    until: float,
) -> None:  # fmt: skip
    place = folder / "disturbed"
    place.mkdir(exist_ok=True)
    while time.monotonic() < until:
        had_state = (place / f"{round_.output}.state").exists()
        tally.counts["resumed"] += had_state
        process = _start(folder, place, round_, chunk, rng.choice((1, 1, 2)))
        if _kill_somewhen(process, place / f"{round_.output}.partial", len(expected[round_.output]), rng):
            tally.counts["kills"] += 1
            tally.counts["kills_before_the_first_state"] += not (
                had_state or (place / f"{round_.output}.state").exists()
            )
            continue
        stderr = process.communicate()[1].decode()
        if process.returncode != 0:
            tally.problems.append(f"exit status {process.returncode}: {stderr.strip()[-300:]}")
        break
    else:
        return  # out of time: not finished, not judged
    tally.counts["rounds"] += 1
    found = {path.name: path.read_bytes() for path in place.iterdir()}
    if found != expected:
        tally.counts["mismatches"] += 1
        tally.problems.append(f"{round_.output}: {_difference(found, expected)}")
    for path in place.iterdir():
        path.unlink()


def _kill_somewhen(process: subprocess.Popen[bytes], partial: Path, size: int, rng: random.Random) -> bool:
    """Wait for a random length of the partial output, or a random time, and kill; whether it was in time."""
    enough = rng.uniform(0, 1.1) * size
    begun = time.monotonic()
    by_size = rng.random() < 0.8
    end = begun + (PATIENCE if by_size else rng.expovariate(0.5))
    while process.poll() is None and time.monotonic() < end:
        if by_size and _size(partial) > enough:
            break
        time.sleep(0.001)
    time.sleep(rng.expovariate(200))
    if process.poll() is not None:
        return False
    process.kill()
    process.communicate()
    return process.returncode < 0


def _undisturbed(folder: Path, round_: Round, chunk: int) -> dict[str, bytes]:
    place = folder / "undisturbed"
    place.mkdir(exist_ok=True)
    process = _start(folder, place, round_, chunk, workers=1)
    stderr = process.communicate(timeout=PATIENCE)[1].decode()
    if process.returncode != 0:
        raise SystemExit(f"An undisturbed run failed: {stderr}")
    found = {path.name: path.read_bytes() for path in place.iterdir()}
    for path in place.iterdir():
        path.unlink()
    return found


def _start(folder: Path, place: Path, round_: Round, chunk: int, workers: int) -> subprocess.Popen[bytes]:
    arguments = [
        *(["-", "--input-format", "tsv"] if round_.piped else [str(folder / name) for name in round_.inputs]),
        "-o", str(place / round_.output), "--model", "tiny", "--on-error", "skip", "--resume",
        "--workers", str(workers), *round_.options,
    ]  # fmt: skip
    with (folder / round_.inputs[0]).open("rb") as stream:
        return subprocess.Popen(
            [sys.executable, "-c", CODE.format(pairs=chunk), "align", *arguments],
            stdin=stream if round_.piped else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )


def _write_corpus(folder: Path, lines: int, rng: random.Random) -> None:
    """Short pairs; in the file of pairs and in the target file every hundredth line or so is bad."""
    pairs = list(_pairs(lines, rng))
    with open_output(folder / "pairs.tsv.gz") as write:
        for number, (source, target) in enumerate(pairs):
            write(f"{source}\t{target}" if number % 97 != 50 else "no tab here")
    for name in ("eng.txt", "eng.txt.xz"):
        with open_output(folder / name) as write:
            for source, _ in pairs:
                write(source)
    (folder / "deu.txt").write_bytes(
        b"".join(
            target.encode("latin-1" if number % 89 == 40 else "utf-8") + b"\n"
            for number, (_, target) in enumerate(pairs)
        )
    )


def _pairs(lines: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    for _ in range(lines):
        words = rng.choices(WORDS, k=rng.randint(2, 5))
        yield " ".join(english for english, _ in words), " ".join(["Türe", *(german for _, german in words)])


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _difference(found: dict[str, bytes], expected: dict[str, bytes]) -> str:
    if set(found) != set(expected):
        return f"the files are {', '.join(sorted(found))}, not {', '.join(sorted(expected))}"
    return ", ".join(
        f"{name} has {len(found[name])} bytes, not the {len(expected[name])} expected"
        for name in expected
        if found[name] != expected[name]
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=48, help="default: %(default)s")
    parser.add_argument("--minutes", type=float, default=15.0, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--out", type=Path, help="a JSON file; the figures are printed anyway")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        until = time.monotonic() + 60 * arguments.minutes
        found = kill_and_resume(Path(folder), arguments.kills, arguments.seed, until)
    text = json.dumps(found, indent=2)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n")
    sys.exit(not found["good"])


if __name__ == "__main__":
    main()
