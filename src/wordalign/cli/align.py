"""`wordalign align`: parallel text in, a line of links for each pair out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wordalign.cli.options import (
    Input,
    add_aligner_options,
    add_input_options,
    make_aligner,
    refuse_overwriting,
)
from wordalign.cli.progress import progress
from wordalign.cli.statistical import add_statistical_options, refuse_statistical_options, run_statistical
from wordalign.errors import UsageError
from wordalign.extract.null import NullCalibration
from wordalign.formats import LINK_FORMATS, line_writer, open_output

if TYPE_CHECKING:
    from wordalign.aligner import Aligner


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "align",
        help="link the words of parallel sentences",
        description="Link the words of parallel sentences. One output line for each input line, always.",
    )
    add_input_options(parser)
    add_aligner_options(parser)
    add_statistical_options(parser)
    null = parser.add_mutually_exclusive_group()
    null.add_argument(
        "--null",
        nargs="?",
        type=float,
        const=95.0,
        metavar="PERCENTILE",
        help="drop the links of words that resemble no word: those above this percentile of entropy, found "
        "in a first pass over the files (95 when no value is given)",
    )
    null.add_argument(
        "--null-tau", type=float, metavar="TAU", help="the same with a fixed entropy from 0 to 1"
    )
    null.add_argument(
        "--null-calibration", metavar="FILE", help="the same with what `wordalign calibrate` stored"
    )
    parser.add_argument(
        "--threshold", type=float, default=0.0, help="drop links of a lower score (default: keep all)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--format", default="pharaoh", choices=LINK_FORMATS, help="of the output (default: %(default)s)"
    )
    parser.add_argument("--scores", action="store_true", help="write each link's score too")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if arguments.aligner is not None:
        run_statistical(arguments)
        return
    refuse_statistical_options(arguments)
    pairs = Input(arguments)
    refuse_overwriting(arguments.output, pairs.files)
    if arguments.null is not None and not pairs.rereadable:
        raise UsageError(
            "--null reads the input twice, which a stream does not allow: give files, or --null-tau, "
            "or --null-calibration with what `wordalign calibrate` found on a sample."
        )
    # Opened before the model is loaded: an output that cannot be written is known at once.
    with open_output(arguments.output) as write:
        aligner = _with_null(make_aligner(arguments, threshold=arguments.threshold), arguments, pairs)
        signatures = {method.name: aligner.signature(method.name) for method in aligner.methods}
        to_line = line_writer(arguments.format, arguments.scores, signatures)
        for found in aligner.stream_methods(progress(pairs.pairs(), pairs.lines, "aligning")):
            write(to_line(found))


def _with_null(aligner: Aligner, arguments: argparse.Namespace, pairs: Input) -> Aligner:
    if arguments.null is not None:
        first_pass = progress(pairs.pairs(), pairs.lines, "calibrating")
        return aligner.with_null(aligner.calibrate_null(first_pass, arguments.null))
    if arguments.null_calibration is not None:
        return aligner.with_null(NullCalibration.load(arguments.null_calibration))
    return aligner.with_null(arguments.null_tau)
