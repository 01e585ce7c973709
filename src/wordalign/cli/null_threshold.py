"""`wordalign null-threshold`: find the thresholds of the null extension on a corpus or a sample of it."""

from __future__ import annotations

import argparse
from typing import Any

from wordalign.cli.options import (
    add_aligner_options,
    add_input_options,
    align_config,
    parallel_text,
    progress,
)
from wordalign.errors import InputError
from wordalign.io.whole import refuse_bad_outputs


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "null-threshold",
        help="find the null threshold of a corpus, for streams",
        description="Find the entropy above which links are dropped (the null extension) on a corpus or a "
        "sample of it, and store it for `wordalign align --null-thresholds`.",
    )
    add_input_options(parser)
    add_aligner_options(parser, leave_out=["threshold"])
    parser.add_argument("--percentile", type=float, default=95.0, help="default: %(default)s")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="a small JSON file")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    pairs = parallel_text(arguments)
    refuse_bad_outputs([arguments.output], pairs.files)
    from wordalign.aligners.neural import Aligner
    from wordalign.links.null import write_null_thresholds

    aligner = Aligner.from_config(align_config(arguments))
    found = aligner.find_null_thresholds(
        progress(pairs.pairs(), pairs.lines, "reading"), arguments.percentile
    )
    if not any(found.links.values()):
        raise InputError("These pairs give no links, so there is no threshold to find.")
    write_null_thresholds(found, arguments.output)
