"""What a command of the reproduction can be told."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reproduction.lab.paper import LANGUAGES
from wordalign.data import places, where

ROOT = Path(__file__).parent.parent.parent
CURVE = (1_000, 10_000, 50_000, 200_000)


@dataclass(frozen=True)
class Options:
    """Where things are and how much is run; the defaults are those of the committed results."""

    data: Path | None = None
    text: Path | None = None
    vectors: Path | None = None
    vectors_by_text: Path | None = None
    keep: bool = False
    programs: Path | None = None
    models: tuple[str, ...] = ()
    train_pairs: int = 10_000
    curve: tuple[int, ...] = CURVE
    analysis_pairs: int = 50_000
    ibm4_pairs: int = 10_000
    ibm4_more: Mapping[str, int] = field(default_factory=dict)
    ibm4_subwords: int = 0
    train: bool = True
    sentences: int | None = None
    rounds: int = 3
    out: Path = ROOT / "reproduction/results"
    work: Path = ROOT / "build/reproduction"
    force: bool = False


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        help="folder that holds gold/eng-deu and the other sets (default: WORDALIGN_DATA, then what "
        "`wordalign data get` got)",
    )
    parser.add_argument(
        "--text",
        type=Path,
        help="folder of parallel text, eng-deu.tsv[.xz|.gz] and so on, that the statistical aligners are "
        "trained on (default: text/ in that folder)",
    )
    parser.add_argument(
        "--vectors", type=Path, help="folder of mapped word vectors (reproduction/static_vectors.py)"
    )
    parser.add_argument(
        "--vectors-by-text",
        type=Path,
        metavar="DIR",
        help="folder with a work folder of reproduction/static_vectors.py for each amount of text, named by "
        "its sentences: DIR/20000, DIR/40000 and so on",
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="rows of what is not given now (--vectors, --vectors-by-text, --programs, --model own=) and of "
        "aligners that are not trained here (with --no-training) stay as they are in the results that are "
        "there, if they had as much text",
    )
    parser.add_argument(
        "--programs",
        type=Path,
        help="folder of the original fast_align and GIZA++, to compare ours with (originals.py says which)",
    )
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        default=[],
        metavar="[NAME[LAYER]=]MODEL",
        help="one more Hugging Face model, hub name or folder; mbert=FOLDER, xlmr=FOLDER and own=FOLDER "
        "(made by reproduction/mlm) fill those rows; own[6]=FOLDER reads layer 6",
    )
    parser.add_argument(
        "--train-pairs",
        type=int,
        default=Options.train_pairs,
        metavar="N",
        help="what the statistical aligners are trained on at most; never more than the paper's had",
    )
    parser.add_argument(
        "--curve",
        type=lambda text: tuple(int(size) for size in text.split(",")),
        default=CURVE,
        metavar="N,N,…",
        help="sizes of the learning curve",
    )
    parser.add_argument(
        "--analysis-pairs",
        type=int,
        default=Options.analysis_pairs,
        metavar="N",
        help="what the aligners of Table 6 and Figure 6 are trained on",
    )
    parser.add_argument(
        "--ibm4-pairs",
        type=int,
        default=Options.ibm4_pairs,
        metavar="N",
        help="IBM Model 4 is trained on no more pairs than this: it is by far the slowest",
    )
    parser.add_argument(
        "--ibm4-more",
        action="append",
        default=[],
        metavar="LANGUAGE=N",
        help="… but on as many as this for one language (as often as you like)",
    )
    parser.add_argument(
        "--ibm4-subwords",
        type=int,
        default=Options.ibm4_subwords,
        metavar="N",
        help="train IBM Model 4 on subwords too, on no more pairs than this: 3,000 take some seven minutes",
    )
    parser.add_argument(
        "--no-training",
        dest="train",
        action="store_false",
        help="take the statistical aligners that are trained already; the others are not run",
    )
    parser.add_argument("--sentences", type=int, metavar="N", help="only the first N sentences of each set")
    parser.add_argument("--rounds", type=int, default=Options.rounds, metavar="N", help="of timed runs")
    parser.add_argument("--out", type=Path, default=Options.out, help="folder of the results")
    parser.add_argument("--work", type=Path, default=Options.work, help="folder of finished trainings")
    parser.add_argument("--force", action="store_true", help="compute again what is there already")


def read_options(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Options:
    folders = (
        arguments.data,
        arguments.text,
        arguments.vectors,
        arguments.vectors_by_text,
        arguments.programs,
    )
    for folder in folders:
        if folder and not folder.is_dir():
            parser.error(f"There is no folder {folder}.")
    if not any(where(f"eng-{language}", arguments.data) for language in LANGUAGES):
        looked = " and ".join(map(str, places(arguments.data)))
        parser.error(f"There are no gold sets in {looked}: say where with --data (docs/data.md).")
    beside = [place / "text" for place in places(arguments.data)]
    text = next((folder for folder in [arguments.text, *beside] if folder and folder.is_dir()), None)
    return Options(
        data=arguments.data,
        text=text,
        vectors=arguments.vectors,
        vectors_by_text=arguments.vectors_by_text,
        keep=arguments.keep,
        programs=arguments.programs,
        models=tuple(arguments.models),
        train_pairs=arguments.train_pairs,
        curve=tuple(sorted(arguments.curve)),
        analysis_pairs=arguments.analysis_pairs,
        ibm4_pairs=arguments.ibm4_pairs,
        ibm4_more=_amounts(parser, arguments.ibm4_more),
        ibm4_subwords=arguments.ibm4_subwords,
        train=arguments.train,
        sentences=arguments.sentences,
        rounds=arguments.rounds,
        out=arguments.out,
        work=arguments.work,
        force=arguments.force,
    )


def _amounts(parser: argparse.ArgumentParser, given: Iterable[str]) -> dict[str, int]:
    """["ron=10000"] -> {"ron": 10000}"""
    amounts = {}
    for text in given:
        language, _, number = text.partition("=")
        if language not in LANGUAGES or not number.isdecimal():
            parser.error(f"--ibm4-more is a language of the paper and a number, as ron=10000, not {text!r}.")
        amounts[language] = int(number)
    return amounts
