"""`wordalign calibrate`: find the thresholds of the null extension on a corpus or a sample of it."""

from __future__ import annotations

import argparse
from typing import Any

from wordalign.cli.options import (
    Input,
    add_aligner_options,
    add_input_options,
    make_aligner,
    refuse_overwriting,
)
from wordalign.cli.progress import progress
from wordalign.errors import InputError


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        help="find the null threshold of a corpus, for streams",
        description="Find the entropy above which links are dropped (the null extension) on a corpus or a "
        "sample of it, and store it for `wordalign align --null-calibration`.",
    )
    add_input_options(parser)
    add_aligner_options(parser)
    parser.add_argument("--percentile", type=float, default=95.0, help="default: %(default)s")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="a small JSON file")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    pairs = Input(arguments)
    refuse_overwriting(arguments.output, pairs.files)
    aligner = make_aligner(arguments)
    found = aligner.calibrate_null(progress(pairs.pairs(), pairs.lines, "calibrating"), arguments.percentile)
    if not any(found.links.values()):
        raise InputError("These pairs give no links, so there is nothing to calibrate on.")
    found.save(arguments.output)
