"""A long run under watch: does the memory stay flat, does the speed hold, is every line there?

    python benchmarks/soak.py --pairs 2000000 --out benchmarks/results/soak.json

A process of its own makes short pairs (3 to 8 words, always the same ones) and pipes them into
`wordalign align - -o FILE`, by the fastest model and method that users have. Every second the memory of the
whole process tree is read, with the lines written so far. Ends after `--pairs` or `--minutes`, whichever
comes first; the pairs that went in are counted in either case.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path

from command import command, tree_memory
from machine import describe

MIB = 1 << 20
ENDING = 3  # samples in which processes are already going

# Words of both languages, and endings that make many more of them: a corpus never stops to show new words.
SOURCE = (
    "house river green walks seven window never music under bread stone light garden child slowly morning"
)
TARGET = "Haus Fluss grün geht sieben Fenster nie Musik unter Brot Stein Licht Garten Kind langsam Morgen"
ENDINGS = "s er en ing ly ness ed ful heit lich"


@dataclass(frozen=True, slots=True)
class Sample:
    seconds: float
    lines: int
    rss: int


def pairs(seed: int = 0) -> Iterator[str]:
    """Lines without end; no two runs differ. Half of the words have a suffix, one in ten a number."""
    rng = random.Random(seed)
    words = list(zip(SOURCE.split(), TARGET.split(), strict=True))
    endings = ENDINGS.split()
    while True:
        chosen = rng.choices(words, k=rng.randint(3, 8))
        source, target = [], []
        for left, right in chosen:
            chance = rng.random()
            more = (
                str(rng.randrange(100_000)) if chance < 0.1 else rng.choice(endings) if chance < 0.5 else ""
            )
            source.append(left + more)
            target.append(right + more)
        rng.shuffle(target)
        yield f"{' '.join(source)} ||| {' '.join(target)}\n"


def feed(number: int, minutes: float) -> None:
    """Write pairs to standard output until there are enough or the time is up; say how many there were."""
    end = time.monotonic() + 60 * minutes
    done = 0
    lines = pairs()
    with suppress(BrokenPipeError), os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as stream:
        while done < number and time.monotonic() < end:
            block = list(islice(lines, min(500, number - done)))
            text = memoryview("".join(block).encode())
            while text:
                text = text[stream.write(text) :]
            done += len(block)
    print(done, file=sys.stderr)


def soak(number: int, minutes: float, model: str, method: str, more: Sequence[str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        output = Path(folder) / "links.txt"
        feeder = subprocess.Popen(
            [sys.executable, __file__, "--feed", "--pairs", str(number), "--minutes", str(minutes)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        align = [*command(), "align", "-", "-o", str(output), "--model", model, "--method", method, *more]
        start = time.monotonic()
        process = subprocess.Popen(align, stdin=feeder.stdout, stderr=subprocess.PIPE, text=True)
        assert feeder.stdout is not None
        assert feeder.stderr is not None
        assert process.stderr is not None
        feeder.stdout.close()
        samples = list(_samples(process, output, start))[:-ENDING]
        seconds = time.monotonic() - start
        said = process.stderr.read()
        lines_in = int(feeder.stderr.read().split()[-1])
        feeder.wait()
        lines_out = _lines(output)
    return {
        "command": " ".join(["wordalign", *align[len(command()) :]]).replace(str(output), "FILE"),
        "lines_in": lines_in,
        "lines_out": lines_out,
        "exit": process.returncode,
        "said": said[-500:],
        "seconds": round(seconds, 1),
        "pairs_per_s": round(lines_out / seconds, 1),
        **memory(samples),
        "pairs_per_s_by_decile": speed_by_decile(samples),
        "good": process.returncode == 0 and lines_in == lines_out,
    }


def memory(samples: Sequence[Sample]) -> dict[str, object]:
    """Mean of the first and last quarter, and the slope after the first, per million pairs."""
    if len(samples) < 8:
        return {"samples": len(samples)}
    quarter = len(samples) // 4
    later = samples[quarter:]
    slope = 0.0
    if later[0].lines < later[-1].lines:
        fit = statistics.linear_regression(
            [sample.lines / 1e6 for sample in later], [sample.rss / MIB for sample in later]
        )
        slope = fit.slope
    return {
        "samples": len(samples),
        "peak_mib": round(max(sample.rss for sample in samples) / MIB, 1),
        "first_quarter_mib": round(statistics.mean(sample.rss for sample in samples[:quarter]) / MIB, 1),
        "last_quarter_mib": round(statistics.mean(sample.rss for sample in samples[-quarter:]) / MIB, 1),
        "slope_mib_per_million_pairs": round(slope, 2),
        "mib": [round(sample.rss / MIB, 1) for sample in samples[:: max(1, len(samples) // 200)]],
    }


def speed_by_decile(samples: Sequence[Sample]) -> list[float]:
    """Pairs per second in each tenth of the time."""
    cuts = (
        [samples[min(tenth * len(samples) // 10, len(samples) - 1)] for tenth in range(11)] if samples else []
    )
    return [
        round((after.lines - before.lines) / max(after.seconds - before.seconds, 1e-9), 1)
        for before, after in pairwise(cuts)
    ]


def _samples(process: subprocess.Popen[str], output: Path, start: float) -> Iterator[Sample]:
    """One a second, until the process ends."""
    partial = output.with_name(output.name + ".partial")
    lines = position = 0
    while process.poll() is None:
        if partial.exists():
            with partial.open("rb") as stream:
                stream.seek(position)
                while block := stream.read(MIB):
                    lines += block.count(b"\n")
                    position += len(block)
        rss = tree_memory(process.pid)
        if rss:
            yield Sample(time.monotonic() - start, lines, rss)
        time.sleep(1)


def _lines(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(MIB), b""))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=2_000_000, help="default: %(default)s")
    parser.add_argument("--minutes", type=float, default=60.0, help="default: %(default)s")
    parser.add_argument("--model", default="tiny", help="default: %(default)s")
    parser.add_argument("--method", default="argmax", help="default: %(default)s")
    parser.add_argument("--out", type=Path, help="write the figures there too")
    parser.add_argument("--feed", action="store_true", help=argparse.SUPPRESS)
    arguments, more = parser.parse_known_args()  # what is left goes to `wordalign align`
    if arguments.feed:
        feed(arguments.pairs, arguments.minutes)
        return
    machine = describe()
    found = soak(arguments.pairs, arguments.minutes, arguments.model, arguments.method, more)
    text = json.dumps({"machine": machine, **found}, indent=1)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", "utf-8")
    sys.exit(not found["good"])


if __name__ == "__main__":
    main()
