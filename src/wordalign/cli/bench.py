"""`wordalign bench`: what this machine can do."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from wordalign.encoders import BUNDLED_MODELS, resolve
from wordalign.errors import UsageError

if TYPE_CHECKING:
    from wordalign.machine import Machine
    from wordalign.run.measure import Measurement

_COLUMNS = "{:20} {:9} {:>7} {:>9} {:>6}   {}"


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "bench",
        help="see how fast this machine aligns",
        description="See how fast this machine aligns, from raw text to links, and with which settings. "
        "The sentences are made up.",
    )
    parser.add_argument(
        "--model", nargs="+", metavar="NAME", help="any models (default: those that the package carries)"
    )
    parser.add_argument(
        "--workers", nargs="+", type=int, metavar="N", help="numbers to try (default: 1, 2, 4 … all cores)"
    )
    parser.add_argument(
        "--device", help="cpu, cuda … (default: the processor for bundled models, the best for others)"
    )
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="at least, for each row (default: %(default)g)"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of a table")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if arguments.seconds <= 0 or min(arguments.workers or [1]) < 1:
        raise UsageError("The seconds and the numbers of workers must be greater than 0.")
    from wordalign.machine import describe_machine
    from wordalign.run.measure import measure

    machine = describe_machine()
    if not arguments.json:
        head = _COLUMNS.format("model", "dtype", "workers", "pairs/s", "ratio", "time of one worker")
        print(*_facts(machine), "", head, sep="\n", flush=True)
    rows: list[Measurement] = []
    bundled = [known.name for known in BUNDLED_MODELS]
    workers = arguments.workers or _numbers(machine.cores)
    for model in arguments.model or bundled:
        kind = resolve(model).kind
        faster = ["bfloat16"] if kind == "huggingface" and (machine.bfloat16 or machine.gpus) else []
        for dtype in [None if kind == "onnx" else "float32", *faster]:
            device = None if kind == "static" else arguments.device
            asked = None if kind == "static" else dtype
            for row in measure(model, asked, workers, arguments.seconds, device):
                rows.append(replace(row, dtype="float32") if kind == "static" else row)
                if not arguments.json:
                    print(_line(rows[-1]), flush=True)
    if arguments.json:
        print(json.dumps({"machine": asdict(machine), "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        print("", *_advice(rows), sep="\n")


def _numbers(cores: int) -> list[int]:
    """1, 2, 4 … and all cores."""
    return sorted({*(1 << power for power in range(cores.bit_length())), cores})


def _facts(machine: Machine) -> list[str]:
    memory = "" if machine.free_memory is None else f", {machine.free_memory / 2**30:.1f} GiB of memory free"
    return [
        f"processor   {machine.processor}: {machine.cores} cores{memory}",
        f"int8        {', '.join(machine.int8) or 'no instructions of its own'}",
        f"bfloat16    {', '.join(machine.bfloat16) or 'no instructions of its own'}",
        f"GPU         {', '.join(machine.gpus) or 'none that PyTorch sees'}",
    ]


def _line(row: Measurement) -> str:
    steps = {step: f"{share:.1%}" for step, share in asdict(row.shares).items() if step != "limit"}
    if row.shares.limit is not None:
        steps["encode"] += f" ({row.shares.limit:.0%} of the int8 limit)"
    shares = ", ".join(f"{step} {share}" for step, share in steps.items())
    return _COLUMNS.format(
        row.model, row.dtype, row.workers, f"{row.pairs_per_s:,.0f}", f"{row.ratio:.2f}", shares
    )


def _advice(rows: list[Measurement]) -> list[str]:
    """The best row of each model, as options of `wordalign align`."""
    lines = []
    for model in dict.fromkeys(row.model for row in rows):
        best = max((row for row in rows if row.model == model), key=lambda row: row.pairs_per_s)
        dtype = "" if best.dtype == "int8" or resolve(model).kind == "static" else f" --dtype {best.dtype}"
        lines.append(
            f"Fastest: --model {model}{dtype} --workers {best.workers}: "
            f"a million such pairs in {_duration(1e6 / best.pairs_per_s)}"
        )
    return lines


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.1f} hours"
