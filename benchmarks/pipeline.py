"""`wordalign align` from file to file, beside its encoder alone and beside a plain loop.

    python benchmarks/pipeline.py                      # made-up sentences
    python benchmarks/pipeline.py --text PAIRS.tsv     # raw text, source TAB target

Each round runs, one after the other, so that a busy minute of the machine hits all:

    command   the installed command with its default number of workers
    encoder   as many processes as that with a thread each, which encode the same sentences and do nothing
              else: the floor. Words are found and the model is loaded before the clock starts
    stream    one process, one call after the other: read, split, `Aligner.stream`, write; as many threads in
              the encoder as there are cores

`of_encoder` is the command's speed in shares of the floor, start and end of the processes included;
`steady_of_encoder` leaves out the seconds that the command takes for a single pair. `to_stream` compares with
the loop, both with their start. The same in processor seconds says what the work itself costs, even on a
machine that others use too. Then the peak memory of the command and all its processes, what they share
counted once: for few lines and for many, and for several numbers of workers. Results go to
benchmarks/results/pipeline.json and are printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from command import measured, run
from machine import describe

from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.machine import available_cores
from wordalign.run.measure import sentence_pairs
from wordalign.text import split_words

HERE = Path(__file__).parent
CHUNK_PAIRS = 1024


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock, and of the processors."""

    wall: float
    processor: float


def write_pairs(path: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{left}\t{right}\n" for left, right in pairs), "utf-8")
    return path


def read_pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            left, right = line.rstrip("\n").split("\t")[:2]
            yield left, right


def encode(model: str, path: Path, part: int, parts: int) -> None:
    """Every `parts`-th chunk of the sentences through the encoder; prints the seconds it takes."""
    folder = next(known.folder for known in BUNDLED_MODELS if known.name == model)
    encoder = OnnxEncoder(folder, threads=1)
    sides = [[split_words(side).words for side in pair] for pair in read_pairs(path)]
    starts = range(part * CHUNK_PAIRS, len(sides), parts * CHUNK_PAIRS)
    chunks = [
        list(dict.fromkeys(side for pair in sides[start : start + CHUNK_PAIRS] for side in pair))
        for start in starts
    ]
    print("ready", flush=True)
    sys.stdin.readline()
    start, before = time.perf_counter(), time.process_time()
    for chunk in chunks:
        encoder.encode(chunk)
    print(time.perf_counter() - start, time.process_time() - before)


def stream(model: str, path: Path, output: Path) -> None:
    aligner = Aligner(model)
    with output.open("w", encoding="utf-8") as lines:
        for found in aligner.stream(read_pairs(path)):
            lines.write(found.pharaoh() + "\n")


def run_encoder(model: str, path: Path, processes: int) -> Spent:
    """From when all are ready until the last one is done."""
    started = [
        subprocess.Popen(
            [sys.executable, __file__, "--encode", model, str(path), str(part), str(processes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in range(processes)
    ]
    for process in started:
        process.stdout.readline()
    for process in started:
        process.stdin.write("\n")
        process.stdin.flush()
    spent = [tuple(map(float, process.communicate()[0].split())) for process in started]
    return Spent(max(wall for wall, _ in spent), sum(processor for _, processor in spent))


def run_stream(model: str, path: Path, output: Path) -> None:
    subprocess.run([sys.executable, __file__, "--stream", model, str(path), str(output)], check=True)


def run_command(model: str, path: Path, output: Path) -> None:
    done = run("align", path, "--raw", "--model", model, "-o", output)
    if done.code:
        sys.exit(done.stderr)


def timed(work: Callable[[str, Path, Path], None], *arguments: object) -> Spent:
    """Of a process that we wait for, with all that it started and waited for."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    work(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Spent(time.perf_counter() - start, processor)


def compare(model: str, text: Path, pairs: int, rounds: int, folder: Path) -> dict[str, object]:
    one = write_pairs(folder / "one.tsv", islice(read_pairs(text), 1))
    ours, theirs = folder / "command.txt", folder / "stream.txt"
    found = [
        {
            "start": timed(run_command, model, one, folder / "one.txt"),
            "command": timed(run_command, model, text, ours),
            "encoder": run_encoder(model, text, available_cores()),
            "stream": timed(run_stream, model, text, theirs),
        }
        for _ in range(rounds)
    ]
    lines = zip(ours.read_text().splitlines(), theirs.read_text().splitlines(), strict=True)
    return {
        "pairs": pairs,
        "workers": available_cores(),
        "lines_unlike_the_streams": sum(left != right for left, right in lines),
        "wall": ratios([{name: spent.wall for name, spent in each.items()} for each in found], pairs),
        "processor": ratios(
            [{name: spent.processor for name, spent in each.items()} for each in found], pairs
        ),
    }


def ratios(rounds: list[dict[str, float]], pairs: int) -> dict[str, object]:
    def median(figure: Callable[[dict[str, float]], float]) -> float:
        return round(statistics.median(map(figure, rounds)), 3)

    return {
        "pairs_per_s": {
            name: median(lambda each, name=name: pairs / each[name])
            for name in ("command", "encoder", "stream")
        },
        "start_s": median(lambda each: each["start"]),
        "of_encoder": median(lambda each: each["encoder"] / each["command"]),
        "steady_of_encoder": median(lambda each: each["encoder"] / (each["command"] - each["start"])),
        "to_stream": median(lambda each: each["stream"] / each["command"]),
        "rounds": [{name: round(second, 2) for name, second in each.items()} for each in rounds],
    }


def memory(model: str, numbers: list[int], folder: Path) -> dict[str, int]:
    """Peak MiB of the command and its processes, for so many lines of the same kind."""
    peaks = {}
    for number in numbers:
        short = ((f"{line % 997} red houses", f"{line % 997} rote Häuser") for line in range(number))
        path = write_pairs(folder / "many.tsv", short)
        done, peak = measured(
            "align", path, "--raw", "--model", model, "-o", folder / "many.txt", patience=3600
        )
        written = (folder / "many.txt").read_bytes().count(b"\n") if done.code == 0 else None
        if written != number:
            sys.exit(f"{number} lines in, {written} out. {done.stderr}")
        peaks[f"{number}_lines"] = peak
    return peaks


def memory_of_workers(model: str, numbers: list[int], text: Path, folder: Path) -> dict[str, int]:
    """Peak MiB of the command and its processes, what they share once, for so many workers."""
    peaks = {}
    for number in numbers:
        done, peak = measured(
            "align", text, "--raw", "--model", model, "--workers", number, "-o", folder / "links.txt"
        )
        if done.code:
            sys.exit(done.stderr)
        peaks[str(number)] = peak
    return peaks


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, help="raw text, source TAB target (default: made-up sentences)")
    parser.add_argument("--models", nargs="+", default=[known.name for known in BUNDLED_MODELS])
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory-lines", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--memory-workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--only-memory", action="store_true", help="the rest stays as it is in the results")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "pipeline.json")
    arguments = parser.parse_args()
    pairs = read_pairs(arguments.text) if arguments.text else sentence_pairs()
    result: dict[str, object] = {
        "machine": describe(),
        "text": arguments.text.name if arguments.text else "made-up sentences",
    }
    if arguments.only_memory:
        result = json.loads(arguments.output.read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = write_pairs(folder / "pairs.tsv", islice(pairs, arguments.pairs))
        for model in [] if arguments.only_memory else arguments.models:
            result[model] = compare(model, text, arguments.pairs, arguments.rounds, folder)
            print(model, json.dumps(result[model], indent=2), flush=True)
        result["peak_mib_tiny"] = memory("tiny", arguments.memory_lines, folder)
        result["peak_mib_of_workers"] = {
            model: memory_of_workers(model, arguments.memory_workers, text, folder)
            for model in arguments.models
        }
    print(json.dumps(result, indent=2))
    arguments.output.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--encode"]:
        encode(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1:2] == ["--stream"]:
        stream(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
