"""`wordalign documents`: two texts in, groups of sentences and links of words out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from wordalign.cli.options import add_aligner_options, align_config
from wordalign.errors import UsageError
from wordalign.io import open_output
from wordalign.io.lines import STDIN
from wordalign.io.output import WriteLine
from wordalign.io.whole import refuse_bad_outputs, write_whole

if TYPE_CHECKING:
    from wordalign.documents.types import SentenceGroup, Text
    from wordalign.documents.write import Writer


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "documents",
        help="align two texts whose lines do not match: sentences, then words",
        description="Align two texts that translate each other, such as books, contracts, web pages and "
        "subtitles, although their lines do not match: find the sentences, group those that belong together, "
        "and link their words. Every place counts in the characters of the texts.",
    )
    parser.add_argument(
        "source", metavar="SOURCE", help="a text (plain, HTML, EPUB, Word, SRT, VTT; - is standard input)"
    )
    parser.add_argument("target", metavar="TARGET", help="its translation")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="a line of JSON for each group of sentences (default: standard output, unless another file is "
        "asked for)",
    )
    parser.add_argument(
        "--tsv", metavar="FILE", help="pairs of sentences: source, target and score between tabs"
    )
    parser.add_argument("--tmx", metavar="FILE", help="pairs of sentences as a translation memory")
    parser.add_argument("--html", metavar="FILE", help="a page to read both texts side by side")
    parser.add_argument(
        "--raw", metavar="FILE", help="links of words alone: start, end, start, end and score between tabs"
    )
    parser.add_argument(
        "--texts",
        nargs=2,
        metavar="FILE",
        help="both texts as they were read, without markup: what places count in",
    )
    parser.add_argument(
        "--languages",
        nargs=2,
        metavar="CODE",
        default=(None, None),
        help="ISO 639 codes of both texts, as de fr (default: recognise them)",
    )
    parser.add_argument(
        "--min-score",
        type=float,
        default=0.0,
        metavar="P",
        help="leave out pairs of a lower score in --tsv and --tmx (default: %(default)s)",
    )
    parser.add_argument(
        "--segmenter", metavar="NAME", help="what splits Chinese, Japanese, Thai … into words, as in `align`"
    )
    add_aligner_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if not 0 <= arguments.min_score <= 1:
        raise UsageError(f"--min-score lies between 0 and 1, not {arguments.min_score}.")
    if arguments.source == arguments.target == STDIN:
        raise UsageError("Only one of the two texts can come from standard input.")
    if arguments.method is not None and len(arguments.method) > 1:
        raise UsageError("Give one --method: a group of sentences has the links of one.")
    texts = arguments.texts or ()
    files = (arguments.output, arguments.tsv, arguments.tmx, arguments.html, arguments.raw)
    refuse_bad_outputs((*files, *texts), [arguments.source, arguments.target])
    from wordalign.aligners.neural import Aligner
    from wordalign.documents import stream_groups
    from wordalign.documents.doubts import Doubts
    from wordalign.documents.read import read_text
    from wordalign.documents.sentences import is_known

    config = align_config(arguments)
    source, target = (
        read_text(path, language)
        for path, language in zip((arguments.source, arguments.target), arguments.languages, strict=True)
    )
    for code in dict.fromkeys(arguments.languages):
        if code is not None and not is_known(code):
            _say(
                f"{code} is no language code that is known here: sentences are found by general rules. Codes "
                "have two letters where a language has such a code, as de; without --languages, they are "
                "recognised."
            )
    aligner = Aligner.from_config(config)
    doubts = Doubts(source, target)
    with _progress() as told:
        groups = stream_groups(source, target, aligner, segmenter=arguments.segmenter, progress=told)
        page = _written(arguments, source, target, aligner.signature(), doubts.watched(groups))
    for path, text in zip(texts, (source, target), strict=False):
        write_whole(path, text.text.encode("utf-8"))
    if arguments.html is not None:
        from wordalign.render.reading import reading_html

        title = f"{source.name} – {target.name}"
        write_whole(arguments.html, reading_html(source, target, page, title=title).encode("utf-8"))
    for said in doubts.sentences():
        _say(said)
    _say(
        f"{len(source):,} and {len(target):,} sentences; {doubts.matched:.0%} of them are in groups that are "
        "probably translations."
    )


def _written(
    arguments: argparse.Namespace, source: Text, target: Text, signature: str, groups: Iterable[SentenceGroup]
) -> list[SentenceGroup]:
    """Write the groups as they come, and keep them where a page needs them all."""
    from wordalign.documents import write

    wanted: list[tuple[str | None, Writer, bool]] = []
    if arguments.output or not (arguments.tsv or arguments.tmx or arguments.html or arguments.raw):
        wanted.append((arguments.output, write.jsonl(source, target, signature), False))
    if arguments.tsv:
        wanted.append((arguments.tsv, write.tsv(source, target), True))
    if arguments.tmx:
        wanted.append((arguments.tmx, write.tmx(source, target), True))
    if arguments.raw:
        wanted.append((arguments.raw, write.offsets(source, target), False))
    kept: list[SentenceGroup] = []
    with ExitStack() as stack:
        opened = [(stack.enter_context(open_output(path)), writer, only) for path, writer, only in wanted]
        for put, writer, _ in opened:
            _put(put, writer.before)
        for group in groups:
            for put, writer, only in opened:
                if not only or group.score >= arguments.min_score:
                    _put(put, writer.of_group(group))
            if arguments.html:
                kept.append(group)
        for put, writer, _ in opened:
            _put(put, writer.behind)
    return kept


def _put(put: WriteLine, lines: Iterable[str]) -> None:
    for line in lines:
        put(line)


@contextmanager
def _progress() -> Iterator[Any]:
    """What shows the share of the work that is done on the terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(total=100, desc="aligning", unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:
        yield lambda share: bar.update(100 * share - bar.n)


def _say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)
