"""`wordalign align`: parallel text in, a line of links for each pair out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from wordalign import __version__
from wordalign.cli.cluster import add_cluster_options, refuse_cluster_options, run_cluster
from wordalign.cli.options import (
    Input,
    add_aligner_options,
    add_input_options,
    add_null_options,
    align_config,
    refuse_overwriting,
    stored_null,
)
from wordalign.cli.progress import progress, progress_bar
from wordalign.cli.statistical import add_statistical_options, refuse_statistical_options, run_statistical
from wordalign.errors import InputError, UsageError
from wordalign.io import LINK_FORMATS, Parser, Record, Records
from wordalign.io.checkpoint import ResumableOutput
from wordalign.io.compression import compression_of
from wordalign.io.output import StreamedOutput
from wordalign.io.whole import is_special
from wordalign.run.job import Job, Worker
from wordalign.types import Pair

# What statistical aligners do not know, and its value when it is not given.
_OF_LONG_RUNS = {"workers": 0, "resume": False, "on_error": "stop", "errors": None}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "align",
        help="link the words of parallel sentences",
        description="Link the words of parallel sentences. One output line for each input line, always. "
        "Files may be compressed (.gz, .xz, .zst).",
    )
    add_input_options(parser)
    add_aligner_options(parser)
    add_statistical_options(parser)
    add_null_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--format", default="pharaoh", choices=LINK_FORMATS, help="of the output (default: %(default)s)"
    )
    parser.add_argument("--scores", action="store_true", help="write each link's score too")
    _add_long_run_options(parser)
    add_cluster_options(parser)
    parser.set_defaults(run=run)


def _add_long_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("long runs")
    group.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that share the work (default: what suits the model and the machine)",
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with an interrupted run of the same input and settings, or begin one",
    )
    group.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="skip: a line that cannot be used gets an empty result and an entry in the file of errors "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--errors",
        metavar="FILE",
        help="where --on-error skip says what was wrong (default: OUTPUT.errors.jsonl)",
    )


def run(arguments: argparse.Namespace) -> None:
    if arguments.engine == "ray":
        run_cluster(arguments)
        return
    refuse_cluster_options(arguments)
    if arguments.aligner is not None or arguments.load_model is not None:
        _refuse_long_runs(arguments)
        run_statistical(arguments)
        return
    refuse_statistical_options(arguments)
    pairs = Input(arguments)
    errors = _errors_file(arguments)
    refuse_overwriting(arguments.output, pairs.files)
    refuse_overwriting(errors, pairs.files)
    if arguments.null is not None and not pairs.rereadable:
        raise UsageError(
            "--null reads the input twice, which a stream does not allow: give files, or --null-tau, "
            "or --null-thresholds with what `wordalign null-threshold` found on a sample."
        )
    output = _output(arguments, errors)
    if output.finished():
        worker = _open(arguments, pairs)
        records = Records(pairs.files, cut=arguments.on_error == "skip")
        output.verify(_settings(arguments, pairs.parser, worker), records, pairs.files)
        _say(f"{arguments.output} is finished: leave --resume out to align again.")
        return
    # Opened before the model is loaded: an output that cannot be written is known at once.
    with output:
        if output.overwrites:
            _say(
                f"overwriting {output.overwrites:,} lines of an interrupted run; --resume would have gone on "
                "with it."
            )
        worker = _open(arguments, pairs)
        records = Records(pairs.files, cut=arguments.on_error == "skip")
        rest = output.start(_settings(arguments, pairs.parser, worker), records, pairs.files)
        _align(output, rest, worker, arguments.workers, pairs.lines)
    if output.failed:
        _say(f"{output.failed:,} of {output.records:,} lines had errors and got no links: see {errors}.")


def _align(
    output: ResumableOutput | StreamedOutput,
    records: Iterator[Record],
    worker: Worker,
    workers: int,
    total: int | None,
) -> None:
    from wordalign.run.parallel import run as run_pipeline

    found = run_pipeline(output.watch(worker.chunks(records)), worker.job, workers, opened=worker)
    with progress_bar(total, "aligning", output.records) as advance, closing(found):
        for done in found:
            output.write(done.lines, done.errors)
            advance(len(done.lines))


def _output(arguments: argparse.Namespace, errors: str | None) -> ResumableOutput | StreamedOutput:
    if arguments.output in (None, "-"):
        if arguments.resume:
            raise UsageError("--resume goes on with a file: give it with -o.")
        return StreamedOutput(None, errors)
    if not arguments.resume and is_special(Path(arguments.output)):
        return StreamedOutput(arguments.output, errors)
    return ResumableOutput(arguments.output, errors, resume=arguments.resume)


def _errors_file(arguments: argparse.Namespace) -> str | None:
    if arguments.on_error == "stop":
        if arguments.errors is not None:
            raise UsageError("--errors is for lines that are skipped: give --on-error skip too.")
        return None
    if arguments.output in (None, "-"):
        return arguments.errors or "errors.jsonl"
    errors: str = arguments.errors or f"{arguments.output}.errors.jsonl"
    if Path(errors).resolve() == Path(arguments.output).resolve():
        raise UsageError(f"{errors} cannot be both the output and the file of errors.")
    return errors


def _open(arguments: argparse.Namespace, pairs: Input) -> Worker:
    """The model, with the null thresholds that the options ask for."""
    config = align_config(arguments, stored_null(arguments))
    job = Job(pairs.parser, config, arguments.format, arguments.scores, arguments.on_error)
    aligner = job.aligner()
    if arguments.null is not None:
        readable = _readable(pairs) if arguments.on_error == "skip" else pairs.pairs()
        null = aligner.calibrate_null(progress(readable, pairs.lines, "reading"), arguments.null)
        aligner = aligner.with_options(null=null)
    return Worker(replace(job, config=aligner.config), aligner)


def _readable(pairs: Input) -> Iterator[Pair]:
    for record in Records(pairs.files, cut=True):
        try:
            yield pairs.parser(record)
        except InputError:
            continue


def _settings(arguments: argparse.Namespace, parser: Parser, worker: Worker) -> dict[str, Any]:
    """All that decides about the bytes of the output, other than the input."""
    return {
        "wordalign": __version__,
        "model": worker.signatures,
        "pairs in a chunk": worker.aligner._chunk_pairs,
        "--device": arguments.device,
        "--dtype": arguments.dtype,
        "--format": arguments.format,
        "--scores": arguments.scores,
        "--input-format": parser.pair_format or "two files",
        "--raw": arguments.raw,
        "--segmenter": arguments.segmenter,
        "--on-error": arguments.on_error,
        "compression of the output": compression_of(arguments.output or ""),
    }


def _refuse_long_runs(arguments: argparse.Namespace) -> None:
    for name, default in _OF_LONG_RUNS.items():
        if getattr(arguments, name) != default:
            raise UsageError(
                f"--{name.replace('_', '-')} has no meaning for a statistical aligner, which learns from all "
                "of its input at once: leave it or --aligner out."
            )


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)
