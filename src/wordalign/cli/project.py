"""`wordalign project`: the annotations of a file carried to its translation."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from wordalign.cli.options import (
    add_aligner_options,
    add_segmenter_option,
    align_config,
    changed_aligner_options,
    progress,
)
from wordalign.errors import UsageError, counted
from wordalign.project.files import ANNOTATION_FORMATS, project_files
from wordalign.project.labels import FILTERS, Rules


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "project",
        help="carry annotations to a translation",
        description="Carry the annotations of a file to its translation, and write them in the same format. "
        "Files may be compressed (.gz, .xz, .zst).",
    )
    parser.add_argument(
        "annotated",
        metavar="ANNOTATED",
        help="CoNLL columns with BIO, BIOES or BILOU tags, CoNLL-U, JSON records with spans, or SQuAD",
    )
    parser.add_argument(
        "translated", metavar="TRANSLATED", help="a line for each of its texts; for CoNLL-U also CoNLL-U"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--format", choices=ANNOTATION_FORMATS, help="of the annotations; by default the suffix tells"
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="the translation of tokens is plain text: find its words (default: tokenised; the translation "
        "of a text with offsets is always plain text)",
    )
    add_segmenter_option(parser)
    parser.add_argument(
        "--labels",
        nargs="+",
        default=[],
        metavar="TAG",
        help="what the numbers in ner_tags stand for, from 0 on, as in O B-PER I-PER",
    )
    parser.add_argument(
        "--columns",
        nargs=2,
        type=int,
        metavar=("WORD", "TAG"),
        help="of CoNLL columns, from 1 (default: the first one that holds words, and the last one)",
    )
    parser.add_argument(
        "--links", metavar="FILE", help="the links of the pairs, from any aligner (default: make them)"
    )
    rules = parser.add_argument_group("what is carried")
    rules.add_argument(
        "--min-probability",
        type=float,
        default=0.0,
        metavar="P",
        help="drop annotations whose place is less probable (default: %(default)s)",
    )
    rules.add_argument(
        "--filter",
        nargs="+",
        choices=tuple(FILTERS),
        default=[],
        help="complete: drop annotations with a word that has no translation; contiguous: those whose "
        "translation lies apart; one-to-one: those whose translation translates other words, too",
    )
    rules.add_argument(
        "--edges",
        choices=("trim", "keep"),
        default="trim",
        help="what happens to unlinked words at the edges (default: %(default)s)",
    )
    rules.add_argument(
        "--whole-texts",
        action="store_true",
        help="leave out texts of which an annotation was dropped; the output is then no longer parallel",
    )
    rules.add_argument("--report", metavar="FILE", help="a JSON file that counts and lists what was dropped")
    add_aligner_options(parser)
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that share the work (default: what suits the model and the machine)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if arguments.links is not None and (changed := changed_aligner_options(arguments)):
        raise UsageError(f"--{changed[0]} is for making links, which --links gives: leave one of them out.")
    summary = project_files(
        arguments.annotated,
        arguments.translated,
        arguments.output,
        None if arguments.links is not None else align_config(arguments),
        annotation_format=arguments.format,
        raw=arguments.raw,
        segmenter=arguments.segmenter,
        links=arguments.links,
        labels=arguments.labels,
        columns=arguments.columns and tuple(arguments.columns),
        rules=Rules(arguments.min_probability, tuple(arguments.filter), arguments.edges),
        whole_texts=arguments.whole_texts,
        report=arguments.report,
        workers=arguments.workers,
        progress=partial(progress, total=None, doing="projecting"),
    )
    annotations, texts = counted(summary.annotations, "annotation"), counted(summary.texts, "text")
    said = f"Carried {summary.carried:,} of {annotations} of {texts}"
    reasons = "; ".join(f"{number:,}: {reason}" for reason, number in sorted(summary.dropped.items()))
    print(f"wordalign: {said}{f' ({reasons})' if reasons else ''}.", file=sys.stderr)
    if summary.texts_left_out:
        print(f"wordalign: Left out {counted(summary.texts_left_out, 'text')}.", file=sys.stderr)
