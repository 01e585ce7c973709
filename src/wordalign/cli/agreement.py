"""`wordalign agreement`: how far two annotators agree, and gold links made of both."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from wordalign.errors import InputError, UsageError
from wordalign.io import read_two_files, tokenized
from wordalign.io.gold import GOLD_FORMATS
from wordalign.types import GoldAlignment, Pair

if TYPE_CHECKING:
    from wordalign.io.link_lines import LinkLine


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "agreement",
        help="compare the links of two annotators",
        description="How far two annotators of the same pairs agree: F1 and AER of one's links against the "
        "other's, and Cohen's kappa over all places where a link could be.",
    )
    for name in ("one", "other"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="links of an annotator: a saved project or JSONL of the page, Pharaoh (i-j sure, ipj "
            "possible), WPT, TALP",
        )
    parser.add_argument("--format", choices=GOLD_FORMATS, help="of both files (default: as they look)")
    parser.add_argument(
        "--all", action="store_true", help="also pairs that the files do not mark as done in both"
    )
    parser.add_argument("--source", metavar="FILE", help="the tokenised source text, for kappa")
    parser.add_argument("--target", metavar="FILE", help="the tokenised target text")
    parser.add_argument(
        "--common",
        metavar="FILE",
        help="write gold links made of both, in Pharaoh format: sure what both call sure, possible the rest",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from wordalign.evaluate.agreement import agreement, common
    from wordalign.io.whole import refuse_overwriting, write_whole

    if (arguments.source is None) != (arguments.target is None):
        raise UsageError("Give both texts, --source and --target.")
    texts = [file for file in (arguments.source, arguments.target) if file]
    refuse_overwriting(arguments.common, [arguments.one, arguments.other, *texts])
    rows = list(_both(arguments))
    counted = [row for row in rows if arguments.all or (row[0].done and row[1].done)]
    if not counted:
        raise InputError("No pair is done in both files: --all compares them as they are.")
    found = agreement((one.links, other.links, lengths) for one, other, lengths in counted)
    if arguments.common:
        lines = [_pharaoh(common(one.links, other.links)) + "\n" for one, other, _ in rows]
        write_whole(arguments.common, "".join(lines).encode())
    if arguments.json:
        print(json.dumps(found.as_json(), indent=2))
        return
    left_out = len(rows) - found.pairs
    print(f"pairs   {found.pairs:,}" + (f" ({left_out:,} not done in both)" if left_out else ""))
    print(f"links   {found.one:,} and {found.other:,}, {found.both:,} in common")
    print(f"F1      {found.f1:.3f}")
    print(f"AER     {found.aer[0]:.3f} (first against second), {found.aer[1]:.3f} (second against first)")
    if found.kappa is None:
        print("wordalign: note: Kappa needs the words: give --source and --target.", file=sys.stderr)
    else:
        print(f"kappa   {found.kappa:.3f}")


def _both(
    arguments: argparse.Namespace,
) -> Iterator[tuple[LinkLine, LinkLine, tuple[int, int] | None]]:
    """Each pair as both have it, with its numbers of words."""
    from wordalign.io.gold import gold_lines
    from wordalign.io.link_lines import EMPTY, LinkLine, Notes, in_order

    notes = Notes()  # what is odd in gold links for scoring is not odd here
    files = [
        in_order(gold_lines(file, arguments.format, None, notes)) for file in (arguments.one, arguments.other)
    ]
    texts: Iterator[Pair] | None = None
    if arguments.source is not None:
        texts = read_two_files(arguments.source, arguments.target, tokenized)
    rows = zip_longest(*files, *([texts] if texts else []), fillvalue=_END)
    for number, (one, other, *text) in enumerate(rows, start=1):
        if _END in (one, other) or _END in text:
            raise InputError(
                f"The files are not about the same pairs: one of them has no pair {number:,}. WPT files "
                "have no lines for pairs without links: use another format if the last pairs have none."
            )
        lines = [line or LinkLine(number - 1, number, None, EMPTY, "") for line in (one, other)]
        words = [*text, *(line.words for line in lines if line.words)]
        if any(_sides(found) != _sides(words[0]) for found in words):
            raise InputError(f"The words of pair {number:,} are not the same in all files.")
        lengths = (len(words[0].source), len(words[0].target)) if words else None
        for line in lines:
            if lengths:
                line.check_range(lengths)
        yield lines[0], lines[1], lengths


_END: Any = object()


def _sides(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return pair.source.words, pair.target.words


def _pharaoh(gold: GoldAlignment) -> str:
    return " ".join(f"{i}{'-' if (i, j) in gold.sure else 'p'}{j}" for i, j in sorted(gold.possible))
