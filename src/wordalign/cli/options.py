"""What several commands share: options, and a progress bar on a terminal."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from wordalign.config import AlignConfig, NullThresholds
from wordalign.io import PAIR_FORMATS
from wordalign.io.units import Chosen
from wordalign.run.text import ParallelText

T = TypeVar("T")


def add_input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "input",
        nargs="+",
        metavar="FILE",
        help="two parallel files, or one file of pairs ('source ||| target' lines, .tsv, .jsonl, .csv, "
        ".tmx, .xlf or .parquet); - is standard input; .gz, .xz and .zst are read through",
    )
    parser.add_argument(
        "--input-format", choices=PAIR_FORMATS, help="of a file of pairs; by default its suffix tells"
    )
    parser.add_argument(
        "--columns",
        nargs=2,
        metavar=("SOURCE", "TARGET"),
        help="of CSV and Parquet files, by name; in CSV 1 2 are the first two of a file without names, "
        "in Parquet translation.de is a field of a column (default: source target)",
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-language",
            metavar="CODE",
            help="of TMX and XLIFF files with more than two languages, as in en; en is also en-US",
        )
    parser.add_argument(
        "--raw", action="store_true", help="the input is plain text: find the words (default: tokenised)"
    )
    add_segmenter_option(parser)


def add_segmenter_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--segmenter",
        metavar="NAME",
        help="with --raw: what splits Chinese, Japanese, Thai … into words: icu, jieba, pythainlp, sudachi, "
        "an installed plug-in's name, or module:function (default: characters; syllables of Thai, Lao, "
        "Khmer, Burmese and Tibetan)",
    )


def add_aligner_options(parser: argparse.ArgumentParser, leave_out: Sequence[str] = ()) -> None:
    """An argument for each field of `AlignConfig` that one argument can give."""
    for name, settings in _ALIGNER_ARGUMENTS.items():
        if name not in leave_out:
            parser.add_argument(f"--{name}", **{"default": _DEFAULTS[name], **settings})


def align_config(arguments: argparse.Namespace, null: float | NullThresholds | None = None) -> AlignConfig:
    """What the arguments of `add_aligner_options` say."""
    given = {name: getattr(arguments, name) for name in _ALIGNER_ARGUMENTS if hasattr(arguments, name)}
    return AlignConfig(**given, null=null)


def changed_aligner_options(arguments: argparse.Namespace) -> list[str]:
    """The names of the arguments of `add_aligner_options` that do not have their defaults."""
    return [
        name
        for name in _ALIGNER_ARGUMENTS
        if hasattr(arguments, name) and getattr(arguments, name) != _DEFAULTS[name]
    ]


def _layer(value: str) -> int | str:
    if value == "conc":
        return value
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is neither a number nor conc") from None


_DEFAULTS = {field.name: field.default for field in fields(AlignConfig)}
# The argument of each field of `AlignConfig`; those of `null` are in `add_null_options`.
_ALIGNER_ARGUMENTS: dict[str, dict[str, Any]] = {
    "model": {"help": "a name of `wordalign models`, any Hugging Face model, or a local folder"},
    "revision": {"help": "of the model on the hub: a branch, tag or commit"},
    "layer": {
        "type": _layer,
        "help": "of a Hugging Face model: 0 (embeddings) to the last, or conc (default: its best)",
    },
    "level": {"help": "word or subword (default: the model's best)"},
    "method": {
        "nargs": "+",
        "metavar": "METHOD",
        "help": "one or more of `wordalign methods`, with parameters as in itermax:n_max=3,alpha=0.95 "
        "(default: the model's best)",
    },
    "distortion": {
        "nargs": "?",
        "type": float,
        "const": 0.5,
        "metavar": "KAPPA",
        "help": "prefer words at similar positions (default: off; 0.5 when no value is given)",
    },
    "threshold": {"type": float, "help": "drop links of a lower score (default: keep all)"},
    "device": {
        "help": "cpu, cuda, mps, auto (the best), cuda:0,cuda:1 or all (several GPUs; for files); default: "
        "the processor for the bundled models, the best for others"
    },
    "dtype": {
        "help": "of a model on a GPU or of a Hugging Face model: float32, bfloat16 or float16 (default: "
        "float16 for the bundled ones, float32 for others)"
    },
}


def add_null_options(parser: argparse.ArgumentParser) -> None:
    """The three ways to say what `AlignConfig.null` is."""
    null = parser.add_mutually_exclusive_group()
    null.add_argument(
        "--null",
        nargs="?",
        type=float,
        const=95.0,
        metavar="PERCENTILE",
        help="drop the links of words that resemble no word: those above this percentile of entropy, found "
        "in a first pass over the files (95 when no value is given)",
    )
    null.add_argument(
        "--null-tau",
        type=float,
        metavar="TAU",
        help="the same with a fixed entropy from 0 to 1; with the bundled models, 0.996 drops some links of "
        "usual sentences, and 0.998 those that resemble everything",
    )
    null.add_argument(
        "--null-thresholds", metavar="FILE", help="the same with what `wordalign null-threshold` stored"
    )


def stored_null(arguments: argparse.Namespace) -> float | NullThresholds | None:
    """The null threshold that is known without a first pass over the files."""
    if arguments.null_thresholds is not None:
        from wordalign.links.null import read_null_thresholds

        return read_null_thresholds(arguments.null_thresholds)
    tau: float | None = arguments.null_tau
    return tau


def parallel_text(arguments: argparse.Namespace) -> ParallelText:
    """What the arguments of `add_input_options` say."""
    chosen = Chosen.of(arguments.columns, arguments.source_language, arguments.target_language)
    return ParallelText(
        arguments.input, arguments.input_format, chosen, raw=arguments.raw, segmenter=arguments.segmenter
    )


def progress(items: Iterator[T], total: int | None, doing: str) -> Iterator[T]:
    """The same items, counted on the terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return iter(tqdm(items, desc=doing, total=total, unit=" pairs", smoothing=0.1))
