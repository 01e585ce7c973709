"""`wordalign evaluate`: precision, recall, F1 and AER of links against gold links."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wordalign.cli.options import progress
from wordalign.errors import InputError, UsageError
from wordalign.io import (
    count_lines,
    guess_pair_format,
    read_lines,
    read_pairs,
    read_two_files,
    tokenized,
)
from wordalign.io.gold import GOLD_FORMATS
from wordalign.types import Pair

if TYPE_CHECKING:
    from wordalign.evaluate import Counts
    from wordalign.evaluate.files import LinkFile
    from wordalign.evaluate.slices import Slicer


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "evaluate",
        help="score links against gold links",
        description="Score links against gold links: precision, recall, F1 and alignment error rate (AER) of "
        "the whole corpus, with the counts they are made of.",
    )
    parser.add_argument(
        "gold",
        metavar="GOLD",
        help="gold links: Pharaoh (i-j sure, ipj possible), WPT, TALP, or a project of the page",
    )
    parser.add_argument(
        "links",
        nargs="+",
        metavar="LINKS",
        help="links to score, of one or several systems; - is standard input",
    )
    parser.add_argument("--format", choices=GOLD_FORMATS, help="of the gold links (default: as they look)")
    first = parser.add_mutually_exclusive_group()
    first.add_argument(
        "--one-based",
        action="store_true",
        default=None,
        help="the gold links count words from 1 (default: WPT and TALP do, Pharaoh counts from 0)",
    )
    first.add_argument("--zero-based", action="store_false", dest="one_based", help="… or from 0")
    parser.add_argument(
        "--source", metavar="FILE", help="the tokenised source text: links are checked with it"
    )
    parser.add_argument("--target", metavar="FILE", help="the tokenised target text")
    parser.add_argument(
        "--paired",
        action="store_true",
        help="is the first system better or worse than each other one by more than chance: paired bootstrap "
        "and approximate randomisation",
    )
    parser.add_argument("--resamples", type=int, default=1000, help="of --paired (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=20200, help="of --paired (default: %(default)s)")
    parser.add_argument(
        "--by", choices=("frequency", "pos"), help="scores by word frequency or part of speech"
    )
    parser.add_argument(
        "--corpus",
        nargs="+",
        metavar="FILE",
        help="for --by frequency: the reference corpus, as two parallel files or one file of pairs",
    )
    parser.add_argument(
        "--bins",
        type=_bins,
        metavar="N,N,…",
        help="lower ends of frequency bins (default: 0,1,10,100,1000,10000)",
    )
    parser.add_argument(
        "--tags", metavar="FILE", help="for --by pos: a tag for each source word, line by line"
    )
    parser.add_argument("--target-tags", metavar="FILE", help="the same for the target words")
    parser.add_argument(
        "--stanza",
        metavar="LANG",
        help="tag --source with Stanza, where it is installed with models; en,de tags --target too",
    )
    parser.add_argument(
        "--signature",
        action="append",
        metavar="TEXT",
        help="what made the links, for each file that does not say",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    _check(arguments)
    from wordalign.evaluate import Evaluation, add_up, compare
    from wordalign.evaluate.files import LinkFile, judge_files
    from wordalign.evaluate.report import EvaluationReport, System
    from wordalign.evaluate.slices import count_sliced

    files = [LinkFile(path) for path in arguments.links]
    notes: list[str] = []
    options = {
        "gold_format": arguments.format,
        "one_based": arguments.one_based,
        "texts": _texts(arguments),
        "report": notes.append,
    }
    slices: list[dict[str, Counts]] = [{} for _ in files]
    comparisons = []
    judged = progress(judge_files(arguments.gold, files, **options), None, "scoring")
    if arguments.by:
        slicer, names = (_by_frequency if arguments.by == "frequency" else _by_pos)(arguments, files)
        sentences, totals, slices = count_sliced(judged, len(files), slicer, names)
    else:
        rows = (sentence.counts() for sentence in judged)
        if arguments.paired:
            evaluations = Evaluation.of_several(rows, len(files))
            sentences, totals = len(evaluations[0].per_sentence), [found.counts for found in evaluations]
            comparisons = [
                compare(evaluations[0], other, resamples=arguments.resamples, seed=arguments.seed)
                for other in evaluations[1:]
            ]
        else:
            sentences, totals = add_up(rows, len(files))
    for note in notes:
        print(f"wordalign: note: {note}", file=sys.stderr)
    systems = list(map(System, arguments.links, _signatures(arguments, files), totals, slices))
    report = EvaluationReport(arguments.gold, sentences, systems, arguments.by, comparisons, notes)
    print(json.dumps(report.as_json(), ensure_ascii=False, indent=2) if arguments.json else report.text())


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is read."""
    inputs = [arguments.gold, *arguments.links]
    if inputs.count("-") > 1:
        raise UsageError("Only one of the files can be standard input.")
    if arguments.paired and len(arguments.links) < 2:
        raise UsageError("--paired compares systems: give two files of links or more.")
    if arguments.paired and arguments.by:
        raise UsageError("--paired and --by are two questions: ask one at a time.")
    if (arguments.source is None) != (arguments.target is None):
        raise UsageError("Give both texts, --source and --target.")
    if arguments.signature and len(arguments.signature) > len(arguments.links):
        raise UsageError("There are more --signature than files of links.")
    if arguments.by != "frequency" and (arguments.corpus or arguments.bins):
        raise UsageError("--corpus and --bins belong to --by frequency.")
    if arguments.by != "pos" and (arguments.tags or arguments.target_tags or arguments.stanza):
        raise UsageError("--tags, --target-tags and --stanza belong to --by pos.")
    if arguments.by == "frequency" and not arguments.corpus:
        raise UsageError("--by frequency counts words in a reference corpus: give one with --corpus.")
    if arguments.corpus and len(arguments.corpus) > 2:
        raise UsageError("--corpus takes two parallel files, or one file of pairs.")
    if arguments.by == "pos":
        if bool(arguments.tags or arguments.target_tags) == bool(arguments.stanza):
            raise UsageError("--by pos needs tags: a file with --tags, or --stanza with the text's language.")
        if arguments.stanza and arguments.source is None:
            raise UsageError("--stanza tags the text: give it with --source and --target.")


def _texts(arguments: argparse.Namespace) -> Iterator[Pair] | None:
    if arguments.source is None:
        return None
    return read_two_files(arguments.source, arguments.target, tokenized)


def _signatures(arguments: argparse.Namespace, files: Sequence[LinkFile]) -> list[str | None]:
    """What the files say themselves, or else what --signature says of them, in order."""
    stated = iter(arguments.signature or ())
    return [file.signature or next(stated, None) for file in files]


def _by_frequency(arguments: argparse.Namespace, files: Sequence[LinkFile]) -> tuple[Slicer, list[str]]:
    from wordalign.evaluate.slices import BINS, bin_names, frequency_slicer, word_counts

    if arguments.source is None and not any(file.carries_words for file in files):
        raise UsageError(
            "--by frequency needs the words of the sentences: give the texts with --source and --target, or "
            "links in JSONL or TSV, which carry them."
        )
    bins = arguments.bins or BINS
    names = bin_names(bins)
    frequencies = word_counts(()), word_counts(())
    for pair in progress(_corpus(arguments.corpus), count_lines(arguments.corpus[0]), "counting words"):
        frequencies[0].update(pair.source.words)
        frequencies[1].update(pair.target.words)
    return frequency_slicer(frequencies, bins), names


def _corpus(paths: Sequence[str]) -> Iterator[Pair]:
    if len(paths) == 2:
        yield from read_two_files(paths[0], paths[1], tokenized)
        return
    try:
        yield from read_pairs(paths[0], guess_pair_format(paths[0]), tokenized)
    except InputError as error:
        error.add_note("A corpus of two files is given as --corpus SOURCE TARGET.")
        raise


def _by_pos(arguments: argparse.Namespace, files: Sequence[LinkFile]) -> tuple[Slicer, list[str]]:
    from wordalign.evaluate.slices import pos_slicer, stanza_tags

    if not arguments.stanza:
        found = (path and _words(path) for path in (arguments.tags, arguments.target_tags))
        return pos_slicer(*found), []
    texts = (arguments.source, arguments.target)
    languages = arguments.stanza.split(",")
    if len(languages) > 2:
        raise UsageError("--stanza takes one language for --source, or two, as in en,de.")
    return pos_slicer(
        *(stanza_tags(_words(text), language) for text, language in zip(texts, languages, strict=False))
    ), []


def _words(path: str) -> Iterator[Sequence[str]]:
    return (tokenized(line).words for line in read_lines(path))


def _bins(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers such as 0,5,25") from None
