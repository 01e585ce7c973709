"""The options of `wordalign align` for statistical aligners, and what it does with them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wordalign.cli.options import Input, changed_aligner_options, refuse_overwriting
from wordalign.errors import UsageError
from wordalign.io import line_writer, open_output
from wordalign.types import Pair

if TYPE_CHECKING:
    from wordalign.aligners.statistical import StatisticalAligner

# Names of the parsed options, and what they are without being given.
_OURS = {
    "symmetrize": None, "train": None, "save_model": None, "load_model": None, "tokenizer": None,
    "lowercase": False, "seed": 0,
}  # fmt: skip
_SHARED = {"level", "threshold"}  # with encoders
_NULL = {"null": None, "null_tau": None, "null_thresholds": None}
_IN_THE_MODEL = {"level": None, "tokenizer": None, "lowercase": False, "train": None, "save_model": None}


def add_statistical_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "statistical aligners", "Learned from the input itself, and from more text where there is some."
    )
    group.add_argument(
        "--aligner",
        metavar="NAME",
        help="eflomal, fast_align, ibm1, ibm2, hmm, ibm3 or ibm4 (default: none of them, but an encoder)",
    )
    group.add_argument(
        "--symmetrize",
        nargs="+",
        metavar="NAME",
        help="how both directions become one, as in `wordalign symmetrize` (default: grow-diag-final-and)",
    )
    group.add_argument(
        "--train",
        nargs="+",
        metavar="FILE",
        help="more parallel text to learn from, given like the input and after it",
    )
    group.add_argument("--save-model", metavar="FOLDER", help="keep what was learned")
    group.add_argument(
        "--load-model", metavar="FOLDER", help="align with what was learned before (learns nothing new)"
    )
    group.add_argument("--tokenizer", metavar="NAME", help="for --level subword (default: the bundled one)")
    group.add_argument("--lowercase", action="store_true", help="learn from lower-cased words")
    group.add_argument(
        "--seed",
        type=_seed,
        default=0,
        help="the same number gives the same links; none uses all cores (default: %(default)s)",
    )


def refuse_statistical_options(arguments: argparse.Namespace) -> None:
    _refuse(arguments, _OURS, "is for statistical aligners: give --aligner too.")


def run_statistical(arguments: argparse.Namespace) -> None:
    for_encoders = _NULL | {name: ... for name in changed_aligner_options(arguments) if name not in _SHARED}
    _refuse(arguments, for_encoders, "has no meaning for a statistical aligner: leave it or --aligner out.")
    pairs = Input(arguments)
    more = (
        Input(argparse.Namespace(**{**vars(arguments), "input": arguments.train}))
        if arguments.train
        else None
    )
    refuse_overwriting(arguments.output, [*pairs.files, *(more.files if more else [])])
    if more and "-" in pairs.files and "-" in more.files:
        raise UsageError("Standard input can be read once: as input or as --train.")
    with open_output(arguments.output) as write:
        aligner = _make(arguments)
        if arguments.load_model:
            _say(f"aligning with {arguments.load_model}")
            found = aligner.align_batch_methods(pairs.pairs())
        else:
            _say(f"training {arguments.aligner}")
            found = aligner.align_corpus_methods(
                pairs.pairs(), more.pairs() if more else _no_pairs(), keep=bool(arguments.save_model)
            )
            if arguments.save_model:
                aligner.save(arguments.save_model)
        signatures = {name: aligner.signature(name) for name in aligner.methods}
        to_line = line_writer(arguments.format, arguments.scores, signatures)
        for by_method in found:
            write(to_line(by_method))


def _make(arguments: argparse.Namespace) -> StatisticalAligner:
    from wordalign.aligners.statistical import StatisticalAligner
    from wordalign.aligners.statistical.folder import check_target

    scores = arguments.scores or arguments.threshold != 0
    if not arguments.load_model:
        if arguments.save_model:
            check_target(arguments.save_model)
        return StatisticalAligner(
            arguments.aligner,
            symmetrize=arguments.symmetrize or "grow-diag-final-and",
            level=arguments.level or "word",
            tokenizer=arguments.tokenizer,
            lowercase=arguments.lowercase,
            seed=arguments.seed,
            threshold=arguments.threshold,
            scores=scores,
        )
    _refuse(arguments, _IN_THE_MODEL, "cannot be given with --load-model: the model is as it was saved.")
    aligner = StatisticalAligner.load(
        arguments.load_model,
        symmetrize=arguments.symmetrize,
        seed=arguments.seed,
        threshold=arguments.threshold,
        scores=scores,
    )
    if arguments.aligner is not None and aligner.name != StatisticalAligner(arguments.aligner).name:
        raise UsageError(
            f"{arguments.load_model} is a model of {aligner.name}, not of {arguments.aligner}: "
            f"give --aligner {aligner.name}."
        )
    return aligner


def _refuse(arguments: argparse.Namespace, options: Mapping[str, object], why: str) -> None:
    for name, default in options.items():
        if getattr(arguments, name) != default:
            raise UsageError(f"--{name.replace('_', '-')} {why}")


def _no_pairs() -> Iterator[Pair]:
    return iter(())


def _say(doing: str) -> None:
    """On a terminal only, as the progress bar of the core."""
    if sys.stderr.isatty():
        print(f"wordalign: {doing} …", file=sys.stderr)


def _seed(value: str) -> int | None:
    if value == "none":
        return None
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is neither a number nor none") from None
