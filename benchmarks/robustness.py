"""Bad input, faults and kills, as figures: what `wordalign align` does when things go wrong.

    python benchmarks/robustness.py --out benchmarks/results/robustness.json

Everything runs the installed command on real files. Five parts (`--only` takes some of them):

fuzz     hostile lines (`hostile.py`) in every input format, tokenised and raw, all methods: crashes, losses
giants   one enormous pair at a time
faults   full disks, vanishing files, damaged models … (`faults.py`): a sentence, and no half file
kills    runs killed at random moments and resumed (`resume.py`): the same bytes as an undisturbed run
pickles  places in the source that could unpickle something (`unpickling.py`)

The seed is fixed, and the whole is bounded: `--lines` for the fuzz, `--kills`, and `--minutes` for all parts
together; what there was no time for shows in the figures. Exits with 1 if anything was not as it should be.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from command import PATIENCE, knows, limited, measured, run
from faults import try_faults
from hostile import FORMATS, HostilePair, all_sentinels, as_lines, giants, hostile_pairs, unicode_blocks
from machine import describe
from unpickling import OWN_PROCESSES, unpickling_in

import wordalign

METHODS = ("argmax", "itermax", "match", "calibrated")
SUFFIXES = {"bars": "txt", "tsv": "tsv", "jsonl": "jsonl"}
ROUND_LINES = 2_000
GIANT_MIB = 6_000
PARTS = ("pickles", "faults", "kills", "giants", "fuzz")

Report = dict[str, Any]


def fuzz(folder: Path, seed: int, lines: int, until: float = float("inf")) -> Report:
    """Hostile lines in rounds: each has another format and seed, tokenised and raw in turn."""
    folder.mkdir(exist_ok=True)
    total: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    problems: list[str] = []
    sentinels = reliable_sentinels(folder)
    for number, (pair_format, raw) in enumerate(_settings()):
        if total["lines"] >= lines or time.monotonic() > until:
            break
        size = min(ROUND_LINES, lines - total["lines"])
        pairs = [
            pair
            for pair in hostile_pairs(seed + number, size)
            if pair.order is None or pair.order in sentinels
        ]
        found = fuzz_round(folder, pairs, pair_format, raw, random.Random(seed + number))
        total.update({key: value for key, value in found.items() if isinstance(value, int)})
        problems += found["problems"]
        kinds.update(pair.kind for pair in pairs)
    return {
        "asked": lines,
        **total,
        "unicode_blocks": _blocks_in(total["lines"]),
        "by_kind": dict(kinds.most_common()),
        "bad_lines_skipped": knows("--on-error"),
        "problems": problems[:20],
        "good": not problems,
    }


def fuzz_round(
    folder: Path, pairs: Sequence[HostilePair], pair_format: str, raw: bool, rng: random.Random
) -> Report:
    """One run of the command over these pairs; what is wrong with its output, in words."""
    output, errors = folder / "links.jsonl", folder / "errors.jsonl"
    output.unlink(missing_ok=True)
    skip = knows("--on-error")
    records = [(pair, *as_lines(pair, pair_format, rng)) for pair in pairs]
    if not skip:
        records = [record for record in records if not record[2]]
    files = _write(folder, [lines for _, lines, _ in records], pair_format)
    done = run(
        "align", *files, "--model", "tiny", "--method", *METHODS, "--format", "jsonl", "-o", output,
        *(["--raw"] if raw else []), *(["--on-error", "skip", "--errors", errors] if skip else []),
    )  # fmt: skip
    where = f"{pair_format}, {'raw' if raw else 'tokenised'}"
    report: Report = {"lines": len(records), "crashes": 0, "lines_lost": 0, "sentinels": 0, "problems": []}
    if done.code != 0 or done.crashed:
        return {**report, "crashes": 1, "problems": [f"{where}: exit {done.code}: {done.stderr[-400:]}"]}
    written = output.read_bytes().split(b"\n")[:-1]
    bad = {number for number, (_, _, refused) in enumerate(records, start=1) if refused}
    told = _told(errors) if skip else set()
    report["lines_lost"] = abs(len(records) - len(written))
    report["bad_lines"], report["bad_lines_told"] = len(bad), len(told)
    if bad != told:
        report["problems"].append(f"{where}: lines {sorted(bad ^ told)[:5]} are not rightly among the errors")
    if report["lines_lost"]:
        report["problems"].append(f"{where}: {len(records)} lines in, {len(written)} out")
    for number, ((pair, _, refused), line) in enumerate(zip(records, written, strict=False), start=1):
        problem = wrong_with(pair, refused, line)
        if problem:
            report["problems"].append(f"{where}, line {number} ({pair.kind}): {problem}")
        report["sentinels"] += pair.order is not None
        report["sentinels_moved"] = report.get("sentinels_moved", 0) + bool(problem and pair.order)
    return report


def try_giants(folder: Path, until: float = float("inf")) -> Report:
    """Each enormous pair between two sentinels, by each method alone, so that one cannot hide another.

    The memory is bounded, for the sake of others on the machine: what does not fit has to be skipped.
    """
    folder.mkdir(exist_ok=True)
    reliable = reliable_sentinels(folder)
    first, last = [pair for pair in all_sentinels() if pair.order in reliable][:2]
    tries = [(name, pair, method) for name, pair in giants().items() for method in METHODS]
    reports: list[Report] = []
    for name, pair, method in tries:
        if time.monotonic() > until:
            break
        output = folder / "giant.txt"
        for left in folder.glob("giant.txt*"):
            left.unlink()
        files = _write(folder, [(p.source, p.target) for p in (first, pair, last)], "two files")
        start = time.monotonic()
        patience = min(PATIENCE, until - start)
        done, peak = measured(
            "align", *files, "--model", "tiny", "--method", method, "-o", output, "--on-error", "skip",
            patience=patience, preexec_fn=limited(GIANT_MIB),
        )  # fmt: skip
        links = [line.split() for line in output.read_text().split("\n")[:-1]] if output.exists() else []
        right = len(links) == 3 and all(
            sentinel.is_linked(_pharaoh(line), method)
            for sentinel, line in zip((first, last), links[::2], strict=True)
        )
        reports.append(
            {
                "pair": name,
                "method": method,
                "links": len(links[1]) if right else None,
                "skipped": bool(_told(output.with_name("giant.txt.errors.jsonl"))),
                "seconds": round(time.monotonic() - start, 1),
                "peak_mib": peak,
                "said": done.sentence,
                "good": right and done.code == 0 and not done.crashed,
            }
        )
        print(f"giants: {name}, {method}: {reports[-1]['seconds']} s", file=sys.stderr)
    return {
        "tried": len(reports),
        "of": len(tries),
        "bad": sum(not report["good"] for report in reports),
        "outcomes": reports,
        "good": all(report["good"] for report in reports),
    }


def _settings() -> Iterator[tuple[str, bool]]:
    while True:
        yield from ((pair_format, raw) for raw in (False, True) for pair_format in FORMATS)


def _write(folder: Path, records: Sequence[tuple[bytes, ...]], pair_format: str) -> list[Path]:
    names = ["source.txt", "target.txt"] if pair_format == "two files" else [f"pairs.{SUFFIXES[pair_format]}"]
    files = [folder / name for name in names]
    for place, file in enumerate(files):
        file.write_bytes(b"".join(lines[place] + b"\n" for lines in records))
    return files


def _told(errors: Path) -> set[int]:
    if not errors.exists():
        return set()
    return {json.loads(line)["line"] for line in errors.read_text("utf-8").splitlines()}


def wrong_with(pair: HostilePair, refused: bool, line: bytes) -> str:
    record = json.loads(line)
    sizes = len(record["source"]), len(record["target"])
    for method, found in record["methods"].items():
        links = {(source, target) for source, target in found["links"]}
        if refused and links:
            return f"{method} has links, although the line cannot be read"
        if any(not (0 <= source < sizes[0] and 0 <= target < sizes[1]) for source, target in links):
            return f"{method} has links out of range"
        if pair.order is not None and not pair.is_linked(links, method):
            return f"{method} does not have the sentinel's links"
    return ""


def _pharaoh(tokens: Sequence[str]) -> frozenset[tuple[int, int]]:
    return frozenset((int(source), int(target)) for source, target in (token.split("-") for token in tokens))


def reliable_sentinels(folder: Path) -> set[tuple[int, ...]]:
    """The orders whose links every method gets right when nothing hostile is near: nearly all."""
    sentinels = all_sentinels()
    files = _write(folder, [(pair.source, pair.target) for pair in sentinels], "two files")
    done = run("align", *files, "--model", "tiny", "--method", *METHODS)
    lines = done.stdout.decode().split("\n")[:-1]
    return {
        pair.order
        for pair, line in zip(sentinels, lines, strict=True)
        if pair.order is not None
        and all(
            pair.is_linked(_pharaoh(column.split()), method)
            for method, column in zip(METHODS, line.split("\t"), strict=True)
        )
    }


def _blocks_in(lines: int) -> int:
    """Blocks come in turn, one every other line, and the first of them again in each round."""
    return min(len(unicode_blocks()), min(lines, ROUND_LINES) // 2)


def look_for_pickles() -> Report:
    """In the source; that models with pickled weights are refused is one of the faults."""
    found = unpickling_in(Path(wordalign.__file__).parent)
    return {"found": found, "between_own_processes": sorted(OWN_PROCESSES), "good": not found}


def try_kills(folder: Path, kills: int, seed: int, until: float = float("inf")) -> Report:
    """What `benchmarks/resume.py` counts."""
    from resume import kill_and_resume

    return {"asked": kills, **kill_and_resume(folder, kills=kills, seed=seed, until=until)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lines", type=int, default=32_000, help="to fuzz (default: %(default)s)")
    parser.add_argument("--kills", type=int, default=48, help="default: %(default)s")
    parser.add_argument("--minutes", type=float, default=30.0, help="for all parts (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="default: %(default)s")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--out", type=Path, help="write the figures there too")
    arguments = parser.parse_args()
    until = time.monotonic() + 60 * arguments.minutes
    report: Report = {"machine": describe(), "seed": arguments.seed}
    with tempfile.TemporaryDirectory(prefix="robustness-") as name:
        folder = Path(name)
        parts: dict[str, Callable[[], Any]] = {
            "pickles": look_for_pickles,
            "faults": lambda: try_faults(folder / "faults"),
            "kills": lambda: try_kills(folder / "kills", arguments.kills, arguments.seed, until),
            "fuzz": lambda: fuzz(folder / "fuzz", arguments.seed, arguments.lines, until),
            "giants": lambda: try_giants(folder / "giants", until),
        }
        for part in arguments.only:
            start = time.monotonic()
            report[part] = parts[part]()
            print(f"{part}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    report["good"] = all(report[part]["good"] for part in arguments.only)
    text = json.dumps(report, indent=1, ensure_ascii=False)
    print(text)
    if arguments.out:
        arguments.out.write_text(text + "\n", "utf-8")
    sys.exit(not report["good"])


if __name__ == "__main__":
    main()
