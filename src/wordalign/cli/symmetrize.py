"""`wordalign symmetrize`: two files of directed links in, one out; or one file inverted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from wordalign.errors import InputError, UsageError
from wordalign.io import check_parallel, open_output, read_links
from wordalign.io.whole import refuse_overwriting
from wordalign.links.symmetrize import HEURISTICS, invert
from wordalign.types import Alignment, Link


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "symmetrize",
        help="make one alignment of two directed ones",
        description="Make one alignment of two directed ones, line by line, or exchange the two languages of "
        "one. All links are source-target, also those of the backward file.",
    )
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="forward and backward links; one file for invert; - is stdin"
    )
    parser.add_argument(
        "--heuristic",
        default="grow-diag-final-and",
        metavar="NAME",
        help=f"{', '.join(HEURISTICS)}, or invert (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    refuse_overwriting(arguments.output, arguments.files)
    if arguments.heuristic == "invert":
        if len(arguments.files) != 1:
            raise UsageError("invert takes one file of links.")
        found = (invert(set(alignment.links)) for alignment in read_links(arguments.files[0]))
    else:
        heuristic = HEURISTICS.get(arguments.heuristic, "Or invert.")
        if len(arguments.files) != 2 or arguments.files.count("-") > 1:
            raise UsageError("Give two files of links: forward and backward (- once for standard input).")
        check_parallel(*arguments.files)
        found = (heuristic(*pair) for pair in _both(*arguments.files))
    with open_output(arguments.output) as write:
        for links in found:
            write(Alignment(tuple(sorted(links)), ()).pharaoh())


def _both(forward: str, backward: str) -> Iterator[tuple[set[Link], set[Link]]]:
    for number, pair in enumerate(zip_longest(read_links(forward), read_links(backward)), start=1):
        if None in pair:
            raise InputError(f"The files are not parallel: one of them ends before line {number}.")
        yield set(pair[0].links), set(pair[1].links)
