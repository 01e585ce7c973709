"""`wordalign check`: parallel text in, what is wrong with each pair out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from wordalign.cli.lexicon import aligned_text
from wordalign.cli.options import add_aligner_options, add_input_options, parallel_text, progress
from wordalign.errors import UsageError
from wordalign.io import open_output
from wordalign.io.whole import refuse_bad_outputs, write_whole
from wordalign.project.check import check_stream
from wordalign.project.report import Report
from wordalign.types import Alignment


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "check",
        help="find pairs that are no translations, and what was left out or added",
        description="Find pairs that are no translations, words that were left out or added, and numbers, "
        "addresses, placeholders and names that the other side lacks. One line of JSON for each pair.",
    )
    add_input_options(parser)
    parser.add_argument(
        "--links",
        metavar="FILE",
        help="links with scores, as `wordalign align --scores` writes them (default: find them)",
    )
    add_aligner_options(parser)
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="as in `wordalign align`")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="lines of JSON (default: standard output, unless --report)"
    )
    parser.add_argument("--report", metavar="FILE", help="a page of HTML with the worst pairs")
    parser.add_argument(
        "--below", type=float, metavar="P", help="write only pairs with a lower score (default: all pairs)"
    )
    parser.add_argument(
        "--min-probability",
        type=float,
        default=0.5,
        metavar="P",
        help="of what is said to be wrong (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    for name, share in (("--below", arguments.below), ("--min-probability", arguments.min_probability)):
        if share is not None and not 0 <= share <= 1:
            raise UsageError(f"{name} lies between 0 and 1, not {share}.")
    text = parallel_text(arguments)
    refuse_bad_outputs((arguments.output, arguments.report), [*text.files, *filter(None, [arguments.links])])
    report = None if arguments.report is None else Report()
    scores = _Scores()
    alignments = progress(scores.seen(aligned_text(text, arguments)), text.lines, "checking")
    checked = enumerate(check_stream(alignments, arguments.min_probability), start=1)
    if arguments.output is None and report is not None:
        for line, pair in checked:
            report.add(line, pair)
    else:
        with open_output(arguments.output) as write:
            for line, pair in checked:
                if arguments.below is None or pair.score < arguments.below:
                    write(pair.as_json(line))
                if report is not None:
                    report.add(line, pair)
    if arguments.links is not None and scores.found == {1.0}:
        print(
            f"wordalign: The links of {arguments.links} have no scores, so each counts as certain, and the "
            "scores of the pairs are no probabilities: make the links with `wordalign align --scores`.",
            file=sys.stderr,
        )
    if report is not None:
        write_whole(arguments.report, report.html(" and ".join(text.files)).encode("utf-8"))
        print(f"wordalign: {report.summary()} See {arguments.report}.", file=sys.stderr)


class _Scores:
    """Notices whether every link that passes is certain, as those of a file without scores are."""

    def __init__(self) -> None:
        self.found: set[float] = set()  # until there are two, which tells enough

    def seen(self, alignments: Iterator[Alignment]) -> Iterator[Alignment]:
        for alignment in alignments:
            if len(self.found) < 2:
                self.found.update(alignment.scores)
            yield alignment
