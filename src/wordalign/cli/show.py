"""`wordalign show`: pictures of alignments, in the terminal or as SVG, PNG or an HTML page."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

from wordalign.cli.options import (
    add_aligner_options,
    add_input_options,
    align_config,
    parallel_text,
)
from wordalign.errors import InputError, UsageError
from wordalign.io import open_output, read_links
from wordalign.io.compression import compression_of, compressor
from wordalign.io.gold import read_gold
from wordalign.io.link_lines import check_range
from wordalign.io.whole import explained, refuse_overwriting, whole_file, write_whole
from wordalign.text import split_words
from wordalign.text.segmenters import find_segmenter
from wordalign.types import Alignment, GoldAlignment, Pair

_END = object()


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "show",
        help="draw alignments in the terminal, as SVG, PNG or HTML",
        description="Draw the links of parallel sentences: those that a model finds, or those of a file. "
        'For instance: wordalign show --pair "The house is small." "Das Haus ist klein."',
    )
    add_input_options(parser)
    parser.add_argument(
        "--pair",
        action="store_true",
        help="the two arguments are not files but a sentence and its translation, as plain text",
    )
    parser.add_argument(
        "--links",
        action="append",
        metavar="FILE",
        help="draw these links instead of aligning; twice to compare two files",
    )
    parser.add_argument("--gold", metavar="FILE", help="gold links to draw under the others")
    parser.add_argument("--one-based", action="store_true", help="the gold links count words from 1")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--line", type=_line, metavar="N", dest="lines", help="only this pair; the first is 1"
    )
    chosen.add_argument("--lines", type=_lines, metavar="A-B", help="only these pairs")
    parser.add_argument("--grid", action="store_true", help="a grid of cells instead of two rows of words")
    parser.add_argument("--title", help="a title for the SVG, PNG or HTML")
    parser.add_argument("--svg", metavar="FILE", help="write the picture of one pair as SVG")
    parser.add_argument("--png", metavar="FILE", help="write the picture of one pair as PNG")
    parser.add_argument(
        "--html", metavar="FILE", help="write all pairs as one page to search and leaf through"
    )
    parser.add_argument(
        "--colour",
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colours in the terminal (default: auto, which respects NO_COLOR)",
    )
    add_aligner_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if arguments.grid and arguments.html:
        raise UsageError("The page of --html has no grids: use --grid with --svg, --png or the terminal.")
    if len(arguments.links or ()) > 2 or len(arguments.method or ()) > 2:
        raise UsageError("At most two alignments can be compared in a picture.")
    if arguments.links and arguments.method:
        raise UsageError("Give --links to draw links that exist, or --method to find some, not both.")
    files = [*(arguments.links or []), *([arguments.gold] if arguments.gold else [])]
    outputs = [output for output in (arguments.svg, arguments.png, arguments.html) if output]
    if len(set(outputs)) < len(outputs):
        raise UsageError("Give --svg, --png and --html a file each: they would overwrite each other.")
    for output in outputs:
        refuse_overwriting(output, files + ([] if arguments.pair else arguments.input))
    drawings = _drawings(arguments)
    if outputs:
        _write_all(_contents(drawings, arguments))
    else:
        _print(drawings, arguments)


@dataclass(frozen=True, slots=True)
class _Drawing:
    number: int
    first: Alignment
    second: Alignment | None
    gold: GoldAlignment | None
    labels: tuple[str, str]

    def svg(self, grid: bool, title: str | None) -> str:
        from wordalign.render import grid_svg, rows_svg

        if not grid:
            return rows_svg(self.first, second=self.second, gold=self.gold, title=title, labels=self.labels)
        second = None if self.second is None else self.second.links
        words = self.first.source.words, self.first.target.words
        return grid_svg(
            *words, first=self.first.links, second=second, gold=self.gold, title=title, labels=self.labels
        )

    def text(self, grid: bool, width: int, colour: bool) -> str:
        from wordalign.render import grid_text, rows_text

        if not grid:
            return rows_text(
                self.first, width, colour, second=self.second, gold=self.gold, labels=self.labels
            )
        second = None if self.second is None else self.second.links
        words = self.first.source.words, self.first.target.words
        return grid_text(
            *words, first=self.first.links, second=second, gold=self.gold, labels=self.labels,
            width=width, colour=colour,
        )  # fmt: skip


def _drawings(arguments: argparse.Namespace) -> Iterator[_Drawing]:
    begin, end = arguments.lines or (1, None)
    pairs = islice(_pairs(arguments), begin - 1, end)
    first = next(pairs, None)
    if first is None:
        raise InputError(f"There is nothing to show: the input has no line {begin}.")
    golds: Iterator[GoldAlignment | None] = repeat(None)
    if arguments.gold:
        read = read_gold(arguments.gold, one_based=arguments.one_based or None, report=_say)
        golds = islice(chain(read, repeat(None)), begin - 1, end)
    labels, found = _linked(chain([first], pairs), arguments, begin, end)
    for number, ((one, other), gold) in enumerate(zip(found, golds, strict=False), start=begin):
        if arguments.gold and gold is None:
            raise InputError(f"{arguments.gold} has no gold links for line {number}.")
        if gold is not None:
            lengths = len(one.source), len(one.target)
            check_range(gold.possible, lengths, f"{arguments.gold}, sentence {number}", _hint(arguments))
        yield _Drawing(number, one, other, gold, labels)


def _pairs(arguments: argparse.Namespace) -> Iterator[Pair]:
    if not arguments.pair:
        for name in arguments.input:
            if " " in name and not Path(name).exists():
                raise InputError(f"There is no file {name}. To draw two sentences instead, add --pair.")
        return parallel_text(arguments).pairs()
    if len(arguments.input) != 2:
        raise UsageError("--pair takes two sentences, each in quotation marks.")
    segmenter = find_segmenter(arguments.segmenter)
    source, target = (split_words(text, segmenter) for text in arguments.input)
    return iter([Pair(source, target)])


def _linked(
    pairs: Iterator[Pair], arguments: argparse.Namespace, begin: int, end: int | None
) -> tuple[tuple[str, str], Iterator[tuple[Alignment, Alignment | None]]]:
    """Return the names of the alignments, and one or two alignments for each pair."""
    if not arguments.links:
        from wordalign.aligners.neural import Aligner

        aligner = Aligner.from_config(align_config(arguments))
        names = list(aligner.methods)
        by_method = aligner.stream_methods(pairs)
        return _labels(names), (_one_or_two(list(found.values())) for found in by_method)
    names = [Path(file).name for file in arguments.links]
    read: list[Iterator[Alignment]] = [islice(read_links(file), begin - 1, end) for file in arguments.links]
    return _labels(names), _beside(pairs, arguments, read, begin)


def _labels(names: list[str]) -> tuple[str, str]:
    one, other = (names * 2)[:2]
    return (one, other) if one != other or len(names) < 2 else (f"1. {one}", f"2. {other}")


def _one_or_two(found: list[Alignment]) -> tuple[Alignment, Alignment | None]:
    return found[0], found[1] if len(found) > 1 else None


def _beside(
    pairs: Iterator[Pair], arguments: argparse.Namespace, read: list[Iterator[Alignment]], begin: int
) -> Iterator[tuple[Alignment, Alignment | None]]:
    """Put the links of each file on the pairs, line by line, but for those with a score below --threshold."""
    files = arguments.links
    for number, pair in enumerate(pairs, start=begin):
        found = []
        for file, links in zip(files, read, strict=True):
            alignment = next(links, None)
            if alignment is None:
                raise InputError(f"{file} ends before line {number} of the text.")
            lengths = len(pair.source), len(pair.target)
            check_range(alignment.links, lengths, f"{file}, line {number}", _hint(arguments))
            found.append(_above(arguments.threshold, alignment, pair))
        yield _one_or_two(found)
    for file, links in zip(files, read, strict=True):
        if next(links, _END) is not _END:
            raise InputError(f"{file} has more lines than the text.")


def _above(threshold: float, alignment: Alignment, pair: Pair) -> Alignment:
    scored = zip(alignment.links, alignment.scores, strict=True)
    kept = {link: score for link, score in scored if score >= threshold}
    return Alignment(tuple(kept), tuple(kept.values()), pair.source, pair.target)


def _hint(arguments: argparse.Namespace) -> str:
    """Say what a link beyond the words of its sentence most likely means."""
    if arguments.raw or arguments.pair:
        return " These links may be of text that was tokenised in another way."
    return " If the links were made from plain text, with --raw, give --raw here too."


def _contents(drawings: Iterator[_Drawing], arguments: argparse.Namespace) -> dict[str, bytes]:
    """Draw everything that was asked for, by the file it goes to."""
    from wordalign.render import corpus_html, png

    contents = {}
    # One pair more than a picture can hold is enough to know that there are too many.
    every = list(drawings if arguments.html else islice(drawings, 2))
    if arguments.svg or arguments.png:
        if len(every) > 1:
            raise UsageError(
                "SVG and PNG hold one pair: choose it with --line N, or write all pairs with --html alone."
            )
        svg = every[0].svg(arguments.grid, arguments.title)
        if arguments.svg:
            contents[arguments.svg] = f"{svg}\n".encode()
        if arguments.png:
            contents[arguments.png] = png(svg)
    if arguments.html:
        page = corpus_html(
            [drawing.first for drawing in every],
            second=[drawing.second for drawing in every if drawing.second] if every[0].second else None,
            gold=[drawing.gold for drawing in every if drawing.gold] if arguments.gold else None,
            labels=every[0].labels,
            title=arguments.title or "Word alignments",
        )
        contents[arguments.html] = f"{page}\n".encode()
    return contents


def _write_all(contents: dict[str, bytes]) -> None:
    """Write all files, or none of them if one cannot be written."""
    on_standard_output = contents.pop("-", b"")
    with ExitStack() as stack:
        files = {path: stack.enter_context(whole_file(path)) for path in contents}
        for path, file in files.items():
            with explained(path):
                file.write_bytes(_compressed(contents[path], path))
    if on_standard_output:
        write_whole("-", on_standard_output)


def _compressed(data: bytes, path: str) -> bytes:
    compression = compression_of(path)
    if compression is None:
        return data
    using = compressor(compression)
    return using.compress(data) + using.flush()


def _print(drawings: Iterable[_Drawing], arguments: argparse.Namespace) -> None:
    from wordalign.render.terminal import FAINT, painted

    colour = _wants_colour(arguments.colour)
    paint = partial(painted, style=FAINT, colour=colour)
    width = shutil.get_terminal_size((100, 24)).columns
    with open_output(None) as write:
        for drawing in drawings:
            if not arguments.pair:
                write(paint(f"── {drawing.number} ──"))
            write(drawing.text(arguments.grid, width, colour))
            if not arguments.pair:
                write("")


def _wants_colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _say(note: str) -> None:
    print(f"wordalign: {note}", file=sys.stderr)


def _line(value: str) -> tuple[int, int]:
    return _lines(f"{value}-{value}")


def _lines(value: str) -> tuple[int, int]:
    begin, _, end = value.partition("-")
    try:
        found = int(begin), int(end)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is not like 3-7") from None
    if not 1 <= found[0] <= found[1]:
        raise argparse.ArgumentTypeError(f"{value!r}: lines count from 1, the smaller first")
    return found
