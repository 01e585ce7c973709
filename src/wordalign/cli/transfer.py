"""`wordalign transfer`: the markup and the placeholders of a source, put into its translation."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from wordalign.cli.options import add_aligner_options, align_config, changed_aligner_options
from wordalign.errors import UsageError, counted
from wordalign.io import open_output
from wordalign.io.whole import refuse_bad_outputs
from wordalign.project.markup.documents import KINDS
from wordalign.project.markup.syntax import SYNTAXES

if TYPE_CHECKING:
    from wordalign.aligners.base import BaseAligner


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "transfer",
        help="put the markup of a text into its translation",
        description="Put the markup and the placeholders of a source into its finished translation. The "
        "source is lines of text with tags, or a document (HTML, Markdown, Word; XLIFF and TMX, which hold "
        "their translations). The translation has a line for each line, or for each block of a document.",
    )
    parser.add_argument("source", metavar="SOURCE", help="text with markup; - is standard input")
    parser.add_argument(
        "translation", nargs="?", metavar="TRANSLATION", help="plain text; not for XLIFF and TMX"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--text",
        action="store_true",
        help="only write the text of SOURCE, a line for each block: what TRANSLATION must have",
    )
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="of SOURCE (default: by its name)",
    )
    parser.add_argument(
        "--syntax",
        choices=SYNTAXES,
        help="of lines (default: html for a line with tags or entities, else text, with placeholders alone)",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="write what had no sure place or could not be read, as JSON lines"
    )
    parser.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="skip: a line that cannot be read becomes an empty line, a block stays plain "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that share the work (default: what suits the model and the machine)",
    )
    parser.add_argument(
        "--segmenter", metavar="NAME", help="what splits Chinese, Japanese, Thai … into words, as in `align`"
    )
    parser.add_argument(
        "--load-model",
        metavar="FOLDER",
        help="link words by what a statistical aligner learned (`wordalign align --aligner … --save-model`)",
    )
    add_aligner_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from wordalign.project.markup.files import text_of, transfer_file
    from wordalign.text.segmenters import find_segmenter

    inputs = [name for name in (arguments.source, arguments.translation) if name is not None]
    refuse_bad_outputs((arguments.output, arguments.report), inputs)
    if arguments.text:
        if arguments.translation is not None:
            raise UsageError("--text writes what is to be translated: leave TRANSLATION out.")
        with open_output(arguments.output) as write:
            for line in text_of(arguments.source, arguments.kind):
                write(line)
        return
    summary = transfer_file(
        arguments.source,
        arguments.translation,
        arguments.output,
        _aligner(arguments),
        kind=arguments.kind,
        syntax=arguments.syntax,
        segmenter=find_segmenter(arguments.segmenter),
        workers=arguments.workers,
        on_error=arguments.on_error,
        report=arguments.report,
    )
    where = f": see {arguments.report}" if arguments.report else "; --report FILE says which"
    if summary.unsure:
        elements = counted(summary.elements, "element")
        _say(f"No link speaks for the place of {summary.unsure:,} of {elements}{where}.")
    if summary.failed:
        blocks = counted(summary.blocks, "line or block", "lines or blocks")
        _say(f"Could not read {summary.failed:,} of {blocks}{where}.")


def _aligner(arguments: argparse.Namespace) -> BaseAligner:
    if arguments.load_model is None:
        from wordalign.aligners.neural import Aligner

        return Aligner.from_config(align_config(arguments))
    from wordalign.aligners.statistical import StatisticalAligner

    if changed := [name for name in changed_aligner_options(arguments) if name != "threshold"]:
        raise UsageError(
            f"--{changed[0]} has no meaning for a statistical aligner: leave it or --load-model out."
        )
    return StatisticalAligner.load(arguments.load_model, threshold=arguments.threshold)


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)
