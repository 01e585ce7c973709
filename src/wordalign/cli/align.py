"""`wordalign align`: parallel text in, a line of links for each pair out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from wordalign.cli.options import (
    add_aligner_options,
    add_input_options,
    add_null_options,
    align_config,
    changed_aligner_options,
    stored_null,
)
from wordalign.config import AlignConfig
from wordalign.errors import UsageError, counted
from wordalign.io import LINK_FORMATS
from wordalign.run.files import Progress, Summary, align_files

if TYPE_CHECKING:
    from wordalign.aligners.statistical import StatisticalAligner

# Options that mean something for one kind of aligner or engine only, and their values when not given.
_OF_STATISTICAL = {
    "symmetrize": None, "train": None, "save_model": None, "load_model": None, "tokenizer": None,
    "lowercase": False, "seed": 0,
}  # fmt: skip
_FIXED_IN_A_SAVED_MODEL = {
    "level": None, "tokenizer": None, "lowercase": False, "train": None, "save_model": None,
}  # fmt: skip
_OF_ALL_ALIGNERS = ("level", "threshold")
_OF_ENCODERS = {
    "null": None, "null_tau": None, "null_thresholds": None, "workers": 0, "resume": False,
}  # fmt: skip
_OF_CLUSTERS = {"address": None, "cores": None, "gpus": None, "shard_lines": None, "compress": None}
_NOT_OF_CLUSTERS = {"source_language": None, "target_language": None}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "align",
        help="link the words of parallel sentences",
        description="Link the words of parallel sentences. One output line for each input line, always. "
        "Files may be compressed (.gz, .xz, .zst).",
    )
    add_input_options(parser)
    add_aligner_options(parser)
    parser.add_argument(
        "--direction",
        choices=("forward", "reverse"),
        help="the links of one direction: forward links each source word to its best target word, reverse "
        "each target word to its best source word; with --aligner it is as in fast_align and eflomal, where "
        "forward links each target word (default: both directions as one)",
    )
    add_null_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--format", default="pharaoh", choices=LINK_FORMATS, help="of the output (default: %(default)s)"
    )
    parser.add_argument("--scores", action="store_true", help="write each link's score too")
    parser.add_argument(
        "--min-score",
        type=float,
        default=0.0,
        metavar="P",
        help="write no links for pairs that are less probably translations than that (default: 0)",
    )
    _add_long_run_options(parser)
    _add_statistical_options(parser)
    _add_cluster_options(parser)
    parser.set_defaults(run=run)


def _add_long_run_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("long runs")
    group.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="processes that share the work (default: what suits the model and the machine)",
    )
    group.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted run of the same input and settings, or begin one",
    )
    group.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="skip: a line that cannot be used gets an empty result and an entry in the file of errors "
        "(default: %(default)s)",
    )
    group.add_argument(
        "--errors",
        metavar="FILE",
        help="where --on-error skip says what was wrong (default: OUTPUT.errors.jsonl)",
    )


def _add_statistical_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "statistical aligners", "They learn from the input itself, and from more text where there is some."
    )
    group.add_argument(
        "--aligner",
        metavar="NAME",
        help="eflomal, fast_align, ibm1, ibm2, hmm, ibm3, ibm4, or eflomal-gpl, eflomal's original program "
        "(default: no statistical aligner, but the encoder of --model)",
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


def _add_cluster_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "many machines",
        "With --engine ray the input is files or folders (text, .tsv, .jsonl, .parquet) on any file system "
        "that Arrow reads, and the output a folder of parts. The same command resumes an interrupted run.",
    )
    group.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="ray is for many machines (default: %(default)s)",
    )
    group.add_argument(
        "--address", help="of a Ray cluster, or auto (default: all of this machine, for this run)"
    )
    group.add_argument("--cores", type=int, metavar="N", help="of each worker (default: 1)")
    group.add_argument(
        "--gpus", type=float, metavar="N", help="of each worker on GPUs; 0.5: two share one (default: 1)"
    )
    group.add_argument(
        "--shard-lines", type=int, metavar="N", help="lines of a part at most (default: 50,000)"
    )
    group.add_argument("--compress", choices=("gz", "xz", "zst"), help="the parts (default: not)")


def run(arguments: argparse.Namespace) -> None:
    statistical = arguments.aligner is not None or arguments.load_model is not None
    if not statistical:
        _refuse(arguments, _OF_STATISTICAL, "is for statistical aligners: give --aligner too.")
    if arguments.engine == "ray":
        summary = _align_on_a_cluster(arguments, statistical)
    else:
        _refuse(arguments, _OF_CLUSTERS, "is for many machines: give --engine ray too.")
        with _ProgressBar() as progress:
            summary = align_files(
                arguments.input,
                arguments.output,
                _statistical_aligner(arguments) if statistical else _config(arguments),
                columns=arguments.columns,
                source_language=arguments.source_language,
                target_language=arguments.target_language,
                null_percentile=arguments.null,
                workers=arguments.workers,
                resume=arguments.resume,
                errors=arguments.errors,
                train=arguments.train,
                save_model=arguments.save_model,
                **_everywhere(arguments, progress),
            )
        if summary.resumed:
            _say(f"{arguments.output} is finished: leave --resume out to align again.")
    if summary.failed:
        lines = counted(summary.lines, "line")
        _say(f"{summary.failed:,} of {lines} had errors and got no links: see {summary.errors}.")


def _everywhere(arguments: argparse.Namespace, progress: _ProgressBar) -> dict[str, Any]:
    """Collect what a run is told on one machine and on many alike."""
    return {
        "raw": arguments.raw,
        "segmenter": arguments.segmenter,
        "input_format": arguments.input_format,
        "output_format": arguments.format,
        "scores": arguments.scores,
        "min_score": arguments.min_score,
        "on_error": arguments.on_error,
        "progress": progress,
        "report": _say,
    }


def _config(arguments: argparse.Namespace) -> AlignConfig:
    config = align_config(arguments, stored_null(arguments))
    if arguments.direction is None:
        return config
    if arguments.method is not None:
        raise UsageError("--direction is a method of its own: leave it or --method out.")
    return replace(config, method=(arguments.direction,))


def _align_on_a_cluster(arguments: argparse.Namespace, statistical: bool) -> Summary:
    from wordalign.run.ray import ClusterConfig, align_shards

    if statistical:
        raise UsageError("A statistical aligner learns from all of its input at once: leave out --engine.")
    _refuse(arguments, _NOT_OF_CLUSTERS, "is for TMX and XLIFF files, which --engine ray does not read.")
    if arguments.errors is not None:
        raise UsageError("With --engine ray errors are written beside the parts: leave --errors out.")
    if arguments.output in (None, "-"):
        raise UsageError("With --engine ray the output is a folder: give one with -o.")
    if arguments.null is not None:
        raise UsageError(
            "--null reads all of the input first, which a cluster does not: give --null-thresholds with "
            "what `wordalign null-threshold` found on a sample, or --null-tau."
        )
    given = {
        "address": arguments.address,
        "workers": arguments.workers,
        "cores": arguments.cores,
        "gpus": arguments.gpus,
        "lines": arguments.shard_lines,
        "columns": arguments.columns and tuple(arguments.columns),
        "compress": arguments.compress,
    }
    with _ProgressBar() as progress:
        summary = align_shards(
            arguments.input,
            arguments.output,
            _config(arguments),
            ClusterConfig(**{name: value for name, value in given.items() if value is not None}),
            **_everywhere(arguments, progress),
        )
    if summary.resumed:
        lines, parts = counted(summary.lines, "line"), counted(summary.parts, "part")
        _say(f"{arguments.output} is complete: {lines} in {parts}.")
    return summary


def _statistical_aligner(arguments: argparse.Namespace) -> StatisticalAligner:
    from wordalign.aligners.statistical import StatisticalAligner

    for_encoders = dict(_OF_ENCODERS) | {
        name: ... for name in changed_aligner_options(arguments) if name not in _OF_ALL_ALIGNERS
    }
    _refuse(arguments, for_encoders, "has no meaning for a statistical aligner: leave it or --aligner out.")
    if arguments.direction and arguments.symmetrize:
        raise UsageError("--direction asks for one direction, --symmetrize for both: leave one of them out.")
    symmetrize = [arguments.direction] if arguments.direction else arguments.symmetrize
    scores = arguments.scores or arguments.threshold != 0
    if not arguments.load_model:
        return StatisticalAligner(
            arguments.aligner,
            symmetrize=symmetrize or "grow-diag-final-and",
            level=arguments.level or "word",
            tokenizer=arguments.tokenizer,
            lowercase=arguments.lowercase,
            seed=arguments.seed,
            threshold=arguments.threshold,
            scores=scores,
        )
    fixed = "cannot be given with --load-model: the model is as it was saved."
    _refuse(arguments, _FIXED_IN_A_SAVED_MODEL, fixed)
    aligner = StatisticalAligner.load(
        arguments.load_model,
        symmetrize=symmetrize,
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
    """Refuse options that do not have the values they have when they are not given."""
    for name, default in options.items():
        if getattr(arguments, name) != default:
            raise UsageError(f"--{name.replace('_', '-')} {why}")


def _seed(value: str) -> int | None:
    if value == "none":
        return None
    try:
        return int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value!r} is neither a number nor none") from None


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)


class _ProgressBar:
    """Shows the `Progress` of a run that it is called with; a new stage gets a new bar."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        if not sys.stderr.isatty():
            return
        if progress.stage != self._stage:
            from tqdm import tqdm

            self._close()
            self._stage = progress.stage
            self._bar = tqdm(
                desc=progress.stage,
                total=progress.total,
                initial=progress.lines,
                unit=" pairs",
                smoothing=0.1,
            )
        else:
            self._bar.update(progress.lines - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
