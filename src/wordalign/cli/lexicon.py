"""`wordalign lexicon`: parallel text in, pairs of words and phrases with counts and probabilities out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any

from wordalign.cli.options import (
    add_aligner_options,
    add_input_options,
    align_config,
    parallel_text,
    progress,
)
from wordalign.errors import InputError, UsageError, counted
from wordalign.io import open_output, read_links
from wordalign.io.lines import read_lines, shown
from wordalign.io.link_lines import check_range
from wordalign.io.whole import refuse_bad_outputs
from wordalign.project.lexicon import Lexicon
from wordalign.project.lexicon_formats import LEXICON_FORMATS, lexicon_lines, write_lexical_tables
from wordalign.run.text import LOOKED_AT, ParallelText, input_warnings
from wordalign.text import split_words
from wordalign.types import Alignment

SHOWN_TERMS = 10


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "lexicon",
        help="count the pairs of words and phrases in parallel text",
        description="Count the pairs of words and phrases in parallel text: how often each was seen, its "
        "probability in both directions, and an example. Memory stays bounded, whatever the length.",
    )
    add_input_options(parser)
    parser.add_argument(
        "--links", metavar="FILE", help="links of `wordalign align` or another aligner (default: find them)"
    )
    add_aligner_options(parser)
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="as in `wordalign align`")
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--format",
        choices=LEXICON_FORMATS,
        default="tsv",
        help="csv is for spreadsheets, lex writes OUTPUT.s2t and OUTPUT.t2s for Moses and Marian, tbx is for "
        "terminology tools (default: %(default)s)",
    )
    pairs = parser.add_argument_group("which pairs")
    pairs.add_argument(
        "--terms", metavar="FILE", help="only these source terms, one in each line; case does not count"
    )
    pairs.add_argument(
        "--max-length", type=int, default=4, metavar="N", help="words of a phrase (default: %(default)s)"
    )
    pairs.add_argument(
        "--loose",
        action="store_true",
        help="also phrases with unlinked words at their edges, as Moses extracts them",
    )
    pairs.add_argument("--lowercase", action="store_true", help="count lower-cased words")
    pairs.add_argument("--punctuation", action="store_true", help="also phrases with punctuation")
    pairs.add_argument(
        "--stop-words", metavar="FILE", help="no phrase begins or ends with one of these words, one a line"
    )
    pairs.add_argument(
        "--min-count", type=int, default=1, metavar="N", help="leave out rarer pairs (default: %(default)s)"
    )
    pairs.add_argument(
        "--min-probability",
        type=float,
        default=0.0,
        metavar="P",
        help="leave out pairs that are less probable than that in either direction",
    )
    pairs.add_argument(
        "--examples", type=int, default=1, metavar="N", help="sentences for each pair (default: %(default)s)"
    )
    parser.add_argument(
        "--languages", nargs=2, metavar=("SOURCE", "TARGET"), help="codes for --format tbx, as in en de"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    _check(arguments)
    text = parallel_text(arguments)
    terms = None if arguments.terms is None else _entries_of(arguments.terms)
    if terms == []:
        raise InputError(
            f"{shown(arguments.terms)} holds no terms: give one in each line, or leave --terms out."
        )
    max_length = arguments.max_length
    if terms is not None:
        max_length = max([max_length, *(len(split_words(term)) for term in terms)])
    with Lexicon(
        "links" if arguments.format == "lex" else "phrases",
        max_length=max_length,
        loose=arguments.loose,
        lowercase=arguments.lowercase,
        punctuation=arguments.punctuation,
        stop_words=_entries_of(arguments.stop_words) if arguments.stop_words else (),
        examples=arguments.examples,
    ) as lexicon:
        for alignment in progress(aligned_text(text, arguments), text.lines, "aligning"):
            lexicon.add(alignment)
        if arguments.format == "lex":
            write_lexical_tables(lexicon, arguments.output)
            return
        tbx = arguments.format == "tbx"
        entries = lexicon.entries(
            min_count=arguments.min_count,
            min_probability=arguments.min_probability,
            terms=terms,
            by_source=tbx or terms is not None,
        )
        with open_output(arguments.output) as write:
            for line in lexicon_lines(
                entries, arguments.format, tuple(arguments.languages or ("und", "und"))
            ):
                write(line)
        if terms is not None and (missing := lexicon.missing(terms)):
            names = ", ".join(missing[:SHOWN_TERMS]) + (", …" if len(missing) > SHOWN_TERMS else "")
            listed = counted(len(terms), "term")
            _say(f"This text has no translation for {len(missing):,} of {listed}: {names}")


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot work before a model is loaded."""
    if arguments.format == "tbx" and arguments.languages is None:
        raise UsageError("A TBX file names its languages: give --languages, as in --languages en de.")
    if arguments.format == "lex":
        if arguments.output in (None, "-"):
            raise UsageError("--format lex writes two files: give the beginning of their names with -o.")
        if arguments.terms is not None:
            raise UsageError("--format lex writes every word: leave --terms out.")
    if arguments.min_count < 1:
        raise UsageError(f"--min-count is 1 or more, not {arguments.min_count}.")
    if not 0 <= arguments.min_probability <= 1:
        raise UsageError(f"--min-probability lies between 0 and 1, not {arguments.min_probability}.")
    files = [*arguments.input, arguments.links, arguments.terms, arguments.stop_words]
    outputs = [arguments.output]
    if arguments.format == "lex":
        outputs = [f"{arguments.output}.{suffix}" for suffix in ("s2t", "t2s")]
    refuse_bad_outputs(outputs, filter(None, files))


def aligned_text(text: ParallelText, arguments: argparse.Namespace) -> Iterator[Alignment]:
    """The pairs of the text with the links of `--links`, or with those that the aligner finds."""
    if arguments.method is not None and len(arguments.method) > 1:
        raise UsageError("Only the links of one method are used here: give --method one name.")
    if arguments.workers < 0:
        raise UsageError(f"--workers is 0 (what is best here) or more, not {arguments.workers}.")
    if arguments.links is not None:
        return _given(text, arguments.links)
    from wordalign.aligners.neural import Aligner

    if text.rereadable:
        first = [record for record, _ in zip(text.records(), range(LOOKED_AT), strict=False)]
        for warning in input_warnings(first, text.parser):
            _say(warning)
    return Aligner.from_config(align_config(arguments)).stream(text.pairs(), workers=arguments.workers)


def _given(text: ParallelText, links: str) -> Iterator[Alignment]:
    """The pairs of the text with the links of a file."""
    for number, (pair, found) in enumerate(zip_longest(text.pairs(), read_links(links)), start=1):
        if pair is None or found is None:
            longer = shown(links) if pair is None else "the text"
            raise InputError(
                f"The links do not belong to this text: {longer} goes on after line {number - 1:,}, where "
                "the other ends."
            )
        check_range(found.links, (len(pair.source), len(pair.target)), f"{shown(links)}, line {number}")
        yield replace(found, source=pair.source, target=pair.target)


def _entries_of(path: str) -> list[str]:
    return [line.strip() for line in read_lines(path) if line.strip()]


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)
