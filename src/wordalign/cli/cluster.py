"""The options of `wordalign align --engine ray`, and what it does with them."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing

from wordalign.cli.options import align_config, stored_null
from wordalign.cli.progress import progress_bar
from wordalign.cli.statistical import refuse_statistical_options
from wordalign.errors import UsageError
from wordalign.io import PAIR_FORMATS, Parser
from wordalign.run.job import Job

ENGINES = ("local", "ray")
_OURS = ("address", "cores", "shard_lines", "columns", "compress")


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "many machines",
        "With --engine ray the input is files or folders (text, .tsv, .jsonl, .parquet) on any file system "
        "that Arrow reads, and the output a folder of parts. The same command goes on where it was stopped.",
    )
    group.add_argument(
        "--engine", choices=ENGINES, default="local", help="ray is for many machines (default: %(default)s)"
    )
    group.add_argument(
        "--address", help="of a Ray cluster, or auto (default: all of this machine, for this run)"
    )
    group.add_argument("--cores", type=int, metavar="N", help="of each worker (default: 1)")
    group.add_argument(
        "--shard-lines", type=int, metavar="N", help="lines of a part at most (default: 50,000)"
    )
    group.add_argument(
        "--columns",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="of Parquet files; translation.de is a field of a column (default: source target)",
    )
    group.add_argument("--compress", choices=("gz", "xz", "zst"), help="the parts (default: not)")


def refuse_cluster_options(arguments: argparse.Namespace) -> None:
    for name in _OURS:
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name.replace('_', '-')} is for many machines: give --engine ray too.")


def run_cluster(arguments: argparse.Namespace) -> None:
    from wordalign.run.ray import Setup, align_shards

    if arguments.aligner is not None:
        raise UsageError("A statistical aligner learns from all of its input at once: leave out --engine.")
    refuse_statistical_options(arguments)
    if arguments.errors is not None:
        raise UsageError("With --engine ray errors are written beside the parts: leave --errors out.")
    if arguments.output in (None, "-"):
        raise UsageError("With --engine ray the output is a folder: give one with -o.")
    if arguments.null is not None:
        raise UsageError(
            "--null reads all of the input first, which a cluster does not: give --null-thresholds with "
            "what `wordalign null-threshold` found on a sample, or --null-tau."
        )
    given = {
        "address": arguments.address,
        "workers": arguments.workers,
        "cores": arguments.cores,
        "lines": arguments.shard_lines,
        "columns": arguments.columns and tuple(arguments.columns),
        "compress": arguments.compress,
    }
    setup = Setup(**{name: value for name, value in given.items() if value is not None})
    steps = align_shards(arguments.input, arguments.output, _job(arguments), arguments.input_format, setup)
    first = last = next(steps)
    with progress_bar(first.of_lines, "aligning", first.lines) as advance, closing(steps):
        try:
            for step in steps:
                advance(step.lines - last.lines)
                last = step
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(
                f"{last.parts:,} of {last.of_parts:,} parts are done: the same command goes on."
            )
            raise
    if first.parts == first.of_parts:
        _say(f"{arguments.output} is complete: {last.lines:,} lines in {last.parts:,} parts.")
    if last.errors:
        errors = f"{arguments.output}/part-*.errors.jsonl"
        _say(f"{last.errors:,} of {last.lines:,} lines had errors and got no links: see {errors}.")


def _job(arguments: argparse.Namespace) -> Job:
    if arguments.segmenter and not arguments.raw:
        raise UsageError("--segmenter splits raw text: give --raw too.")
    parser = Parser(tuple(arguments.input), PAIR_FORMATS[0], arguments.raw, arguments.segmenter)
    config = align_config(arguments, stored_null(arguments))
    return Job(parser, config, arguments.format, arguments.scores, arguments.on_error)


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)
