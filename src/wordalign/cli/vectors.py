"""`wordalign vectors`: learn word vectors from plain text, map two languages into one space."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordalign.errors import InputError
from wordalign.io import read_lines, tokenized
from wordalign.text import split_words

if TYPE_CHECKING:
    from wordalign.encoders.static.vectors import Vectors
    from wordalign.vectors.map.induce import Dictionary


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "vectors",
        help="learn word vectors from text and map two languages into one space",
        description="Static word vectors: learned from the plain text of one language, mapped into a common "
        "space without a dictionary or parallel text, and used with `wordalign align --model FOLDER`.",
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_train(commands)
    _add_map(commands)
    _add_convert(commands)


def _add_train(commands: Any) -> None:
    parser = commands.add_parser(
        "train",
        help="learn vectors of one language",
        description="Learn vectors (skip-gram with character n-grams) from text, a sentence a line.",
    )
    parser.add_argument("input", nargs="+", metavar="FILE", help="text; - is standard input")
    parser.add_argument(
        "-o",
        "--output",
        nargs="+",
        required=True,
        metavar="FILE",
        help="one or more of NAME.vec, NAME.vec.gz (text), NAME.npy (with NAME.words), and NAME.bin, which "
        "keeps the n-grams that vectors of unseen words are built from",
    )
    parser.add_argument("--raw", action="store_true", help="find the words (default: tokenised text)")
    parser.add_argument("--lowercase", action="store_true", help="learn from lower-case text")
    parser.add_argument(
        "--level",
        choices=("word", "subword"),
        default="word",
        help="subword: cut words by the bundled tokenizer first (default: %(default)s)",
    )
    parser.add_argument("--dimensions", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--epochs", type=int, default=5, help="default: %(default)s")
    parser.add_argument(
        "--min-count", type=int, default=5, help="leave out rarer words (default: %(default)s)"
    )
    parser.add_argument(
        "--buckets", type=int, default=500_000, help="rows for n-grams (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, help="default: all cores; only 1 gives the same vectors every time"
    )
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.set_defaults(run=run_train)


def _add_map(commands: Any) -> None:
    parser = commands.add_parser(
        "map",
        help="map the vectors of two languages into one space",
        description="Map two languages into one space by robust self-learning (Artetxe et al. 2018). A "
        "mapping that is no better than one of noise is refused; one that may be wrong is written with a "
        "warning and its figures.",
    )
    parser.add_argument("source", metavar="SOURCE", help="vectors: .vec, .vec.gz, .bin or .npy")
    parser.add_argument("target", metavar="TARGET", help="vectors of the other language")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="for `align --model`")
    start = parser.add_mutually_exclusive_group()
    start.add_argument(
        "--dictionary", metavar="FILE", help="start from pairs of words, a pair a line, tab or space between"
    )
    start.add_argument("--identical", action="store_true", help="start from words spelled the same")
    parser.add_argument(
        "--level",
        choices=("word", "subword"),
        default="word",
        help="what the vectors are of, as they were trained (default: %(default)s)",
    )
    parser.add_argument(
        "--max-words", type=int, default=200_000, help="of each language (default: %(default)s)"
    )
    parser.add_argument(
        "--cutoff", type=int, default=20_000, help="words that the map is learned on (default: %(default)s)"
    )
    parser.add_argument(
        "--random-cutoff",
        type=int,
        default=5_000,
        help="the same while learning is random; more cost time (default: %(default)s)",
    )
    parser.add_argument(
        "--patience",
        type=int,
        default=40,
        help="random iterations without a gain before less is left to chance (default: %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--device", help="cpu, cuda … (default: the GPU if torch finds one)")
    parser.add_argument(
        "--dtype", choices=("float32", "float16"), default="float32", help="on disk (default: %(default)s)"
    )
    parser.add_argument(
        "--no-ngrams", action="store_true", help="leave out the n-grams of .bin files: a smaller folder"
    )
    parser.add_argument(
        "--force", action="store_true", help="write a mapping that is no better than one of noise, too"
    )
    parser.set_defaults(run=run_map)


def _add_convert(commands: Any) -> None:
    parser = commands.add_parser(
        "convert",
        help="write vectors in another format",
        description="Write vectors in another format, e.g. text as .npy, which opens without being read.",
    )
    parser.add_argument("input", metavar="FILE", help="vectors: .vec, .vec.gz, .bin or .npy")
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help=".vec, .vec.gz or .npy")
    parser.add_argument("--max-words", type=int, help="only the first of them (default: all)")
    parser.set_defaults(run=run_convert)


def run_train(arguments: argparse.Namespace) -> None:
    from wordalign.encoders.resolve import bundled_tokenizer
    from wordalign.encoders.subwords import subword_cutter
    from wordalign.machine import available_cores
    from wordalign.vectors.train import Training, check_outputs, train, training_lines

    training = Training(
        dimensions=arguments.dimensions,
        epochs=arguments.epochs,
        min_count=arguments.min_count,
        buckets=arguments.buckets,
        threads=available_cores() if arguments.threads is None else arguments.threads,
        seed=arguments.seed,
    )
    check_outputs(arguments.output)
    to_sentence = split_words if arguments.raw else tokenized
    lines = training_lines(
        (to_sentence(line).words for file in arguments.input for line in read_lines(file)),
        lowercase=arguments.lowercase,
        cut=subword_cutter(bundled_tokenizer()) if arguments.level == "subword" else None,
    )
    with _Bar("learning", " lines") as bar:
        trained = train(lines, training, bar.to)
    for path in arguments.output:
        trained.save(path)
    print(f"{len(trained.vectors.words):,} words: {' '.join(arguments.output)}", file=sys.stderr)


def run_map(arguments: argparse.Namespace) -> None:
    from wordalign.encoders.resolve import bundled_tokenizer
    from wordalign.vectors.folder import check_folder, write_folder
    from wordalign.vectors.map import MapSettings, map_spaces
    from wordalign.vectors.read import read_vectors

    settings = MapSettings(
        cutoff=arguments.cutoff,
        random_cutoff=min(arguments.random_cutoff, arguments.cutoff),
        patience=arguments.patience,
        seed=arguments.seed,
    )
    check_folder(arguments.output)
    files = [arguments.source, arguments.target]
    source, target = (read_vectors(file, arguments.max_words) for file in files)
    with _Bar("mapping", " iterations") as bar:
        mapped = map_spaces(
            source.matrix,
            target.matrix,
            settings,
            dictionary=_first_dictionary(arguments, source, target),
            device=arguments.device,
            report=lambda iteration, keep, similarity: bar.say(
                iteration, f"keeping {keep:.0%}, similarity {similarity:.4f}"
            ),
        )
    if not arguments.force:
        mapped.quality.check()
    write_folder(
        arguments.output,
        (_name(arguments.source), source),
        (_name(arguments.target), target),
        mapped,
        settings={**asdict(settings), "start": _start(arguments)},
        tokenizer=bundled_tokenizer() if arguments.level == "subword" else None,
        dtype=arguments.dtype,
        keep_ngrams=not arguments.no_ngrams,
    )
    ended = "converged" if mapped.converged else "stopped before it converged,"
    print(
        f"{arguments.output}: {ended} after {mapped.iterations} iterations; {mapped.quality}", file=sys.stderr
    )
    if doubt := mapped.quality.doubt():
        print(f"wordalign: warning: {doubt}", file=sys.stderr)


def run_convert(arguments: argparse.Namespace) -> None:
    from wordalign.vectors.read import read_vectors
    from wordalign.vectors.write import write_vectors

    write_vectors(arguments.output, read_vectors(arguments.input, arguments.max_words))


def _first_dictionary(arguments: argparse.Namespace, source: Vectors, target: Vectors) -> Dictionary | None:
    from wordalign.vectors.map.start import by_identical_strings, by_pairs

    if arguments.identical:
        return by_identical_strings(source.words, target.words)
    if arguments.dictionary:
        return by_pairs(_word_pairs(arguments.dictionary), source.words, target.words, "dictionary pairs")
    return None


def _start(arguments: argparse.Namespace) -> str:
    return "dictionary" if arguments.dictionary else "identical" if arguments.identical else "distributions"


def _word_pairs(path: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(read_lines(path), start=1):
        pair = line.split("\t") if "\t" in line else line.split()
        if len(pair) == 2:
            yield pair[0].strip(), pair[1].strip()
        elif line.strip():
            raise InputError(f"{path}, line {number}: expected two words, found {line[:40]!r}.")


def _name(path: str) -> str:
    return Path(path).name.partition(".")[0]


class _Bar:
    """A progress bar on a terminal, and nothing in a pipe."""

    def __init__(self, doing: str, unit: str) -> None:
        self._doing, self._unit = doing, unit
        self._bar: Any = None

    def __enter__(self) -> _Bar:
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(desc=self._doing, unit=self._unit)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def to(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.total = total
            self._bar.update(done - self._bar.n)

    def say(self, done: int, words: str) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(words, refresh=False)
            self._bar.update(done - self._bar.n)
