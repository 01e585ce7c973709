"""Options that several commands share: which pairs to read, and how to align them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordalign.errors import UsageError
from wordalign.io import PAIR_FORMATS, Parser, Records, check_parallel, count_lines, guess_pair_format
from wordalign.io.lines import STDIN
from wordalign.types import Pair

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.run.job import Job


def add_input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        nargs="+",
        metavar="FILE",
        help="two parallel files, or one file of pairs ('source ||| target' lines, .tsv or .jsonl); "
        "- is standard input; .gz, .xz and .zst are read through",
    )
    parser.add_argument(
        "--input-format", choices=PAIR_FORMATS, help="of a file of pairs; by default its suffix tells"
    )
    parser.add_argument(
        "--raw", action="store_true", help="the input is plain text: find the words (default: tokenised)"
    )
    parser.add_argument(
        "--segmenter",
        metavar="NAME",
        help="with --raw: a function that splits Chinese, Japanese, Thai … into words, as an installed "
        "plug-in's name or module:function (default: one word a character)",
    )


def add_aligner_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", help="a name of `wordalign models`, any Hugging Face model, or a local folder"
    )
    parser.add_argument("--revision", help="of the model on the hub: a branch, tag or commit")
    parser.add_argument(
        "--layer",
        type=_layer,
        help="of a Hugging Face model: 0 (embeddings) to the last, or conc (default: its best)",
    )
    parser.add_argument("--level", help="word or subword (default: the model's best)")
    parser.add_argument(
        "--method",
        nargs="+",
        metavar="METHOD",
        help="one or more of `wordalign methods`, with parameters as in itermax:n_max=3,alpha=0.95 "
        "(default: the model's best)",
    )
    parser.add_argument(
        "--distortion",
        nargs="?",
        type=float,
        default=0.0,
        const=0.5,
        metavar="KAPPA",
        help="prefer words at similar positions (default: off; 0.5 when no value is given)",
    )
    parser.add_argument("--device", help="for a Hugging Face model: cpu, cuda, mps … (default: the best)")
    parser.add_argument(
        "--dtype",
        default="float32",
        help="of a Hugging Face model: float32, bfloat16 or float16 (default: %(default)s)",
    )


def make_aligner(arguments: argparse.Namespace, **more: Any) -> Aligner:
    from wordalign.aligners.neural import Aligner

    return Aligner(
        arguments.model,
        layer=arguments.layer,
        level=arguments.level,
        method=arguments.method,
        distortion=arguments.distortion,
        device=arguments.device,
        dtype=arguments.dtype,
        revision=arguments.revision,
        **more,
    )


def make_job(arguments: argparse.Namespace, parser: Parser, **more: Any) -> Job:
    """What `wordalign align` does to each record."""
    from wordalign.run.job import Job

    return Job(
        parser,
        model=arguments.model,
        layer=arguments.layer,
        level=arguments.level,
        method=tuple(arguments.method) if arguments.method else None,
        distortion=arguments.distortion,
        threshold=arguments.threshold,
        device=arguments.device,
        dtype=arguments.dtype,
        revision=arguments.revision,
        format=arguments.format,
        scores=arguments.scores,
        on_error=arguments.on_error,
        **more,
    )


class Input:
    """The pairs that the command line names; can be read again unless they come from standard input."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.files: list[str] = arguments.input
        if len(self.files) > 2 or self.files.count("-") > 1:
            raise UsageError("Give two parallel files, or one file of pairs (- once for standard input).")
        if arguments.segmenter and not arguments.raw:
            raise UsageError("--segmenter splits raw text: give --raw too.")
        self.lines: int | None
        pair_format = None
        if len(self.files) == 2:
            self.lines = check_parallel(*self.files)
        else:
            self.lines = count_lines(self.files[0])
            pair_format = arguments.input_format or guess_pair_format(self.files[0])
        self.parser = Parser(tuple(self.files), pair_format, arguments.raw, arguments.segmenter)

    @property
    def rereadable(self) -> bool:
        return all(file != STDIN and Path(file).is_file() for file in self.files)

    def pairs(self) -> Iterator[Pair]:
        return map(self.parser, Records(self.files))


def refuse_overwriting(output: str | None, files: list[str]) -> None:
    if output is None or not Path(output).exists():
        return
    for file in files:
        if Path(file).exists() and Path(file).samefile(output):
            raise UsageError(f"{output} is an input too and would be overwritten: choose another output.")


def _layer(value: str) -> int | str:
    if value == "conc":
        return value
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is neither a number nor conc") from None
