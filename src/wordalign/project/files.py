"""An annotated file and its translation -> the annotated translation, in constant memory.

project_files("train.conll", "translated.txt", "out.conll", rules=Rules(min_probability=0.8))
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from wordalign.aligners.base import BaseAligner
from wordalign.config import AlignConfig
from wordalign.errors import InputError, UnknownNameError, UsageError, counted
from wordalign.io.compression import without_suffix
from wordalign.io.lines import read_lines, shown
from wordalign.io.links import read_links
from wordalign.io.output import WriteLine, open_output
from wordalign.io.pairs import tokenized
from wordalign.io.whole import refuse_bad_outputs
from wordalign.project.annotated import Annotated, Carried, Dropped, Reader, Verbatim
from wordalign.project.labels import Rules
from wordalign.text.segmenters import find_segmenter
from wordalign.text.words import split_words
from wordalign.types import Alignment, Pair, Sentence

ANNOTATION_FORMATS = ("conll", "conllu", "jsonl", "squad")
_SUFFIXES = {".conllu": "conllu", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(slots=True)
class ProjectSummary:
    """What was done: `texts` read and written, `annotations` read, and those dropped, by reason."""

    texts: int = 0
    texts_left_out: int = 0
    annotations: int = 0
    carried: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


def project_files(
    annotated: str | Path,
    translated: str | Path,
    output: str | Path | None = None,
    aligner: AlignConfig | BaseAligner | None = None,
    *,
    annotation_format: str | None = None,
    raw: bool = False,
    segmenter: str | None = None,
    links: str | Path | None = None,
    labels: Sequence[str] = (),
    columns: tuple[int, int] | None = None,
    rules: Rules | None = None,
    whole_texts: bool = False,
    report: str | Path | None = None,
    workers: int = 0,
    progress: Callable[[Iterator[Carried]], Iterator[Carried]] = lambda carried: carried,
) -> ProjectSummary:
    """Carry the annotations of a file to its translation, and write them in the same format.

    `annotated` is CoNLL columns, CoNLL-U, JSON records or SQuAD, by its suffix or `annotation_format`;
    `translated` has the translation of each of its texts on a line, and for CoNLL-U may be CoNLL-U.

    `aligner`      a configuration or any aligner; by default the bundled model
    `links`        a file of links to use instead of an aligner
    `raw`          the translation of tokens is plain text: find its words; texts with offsets always are
    `labels`       the tags that numbers in `ner_tags` stand for
    `columns`      of CoNLL columns: those of the word and of its tag, from 1; by default the first and last
    `rules`        which annotations are carried
    `whole_texts`  leave out a text of which an annotation was dropped
    `report`       a JSON file that counts and lists what was dropped
    """
    inputs = [str(annotated), str(translated), *([str(links)] if links else [])]
    refuse_bad_outputs((output, report), inputs)
    if links is not None and aligner is not None:
        raise UsageError("Links are given or made: leave the file of links or the aligner out.")
    from_text = _from_text(segmenter)
    texts = _reader(annotated, annotation_format or guess_format(annotated), from_text, labels, columns)
    rules = rules or Rules()
    waiting: deque[Annotated | Verbatim] = deque()
    pairs = _pairs(texts, annotated, translated, waiting, from_text if raw else tokenized, from_text)
    summary = ProjectSummary()
    with ExitStack() as stack:
        write = stack.enter_context(open_output(output))
        listed = _Report(stack.enter_context(open_output(report)) if report else None)
        alignments = _given(pairs, links) if links else _aligned(pairs, aligner, workers)

        def results() -> Iterator[Carried]:
            for alignment in alignments:
                _write_between(waiting, write)
                text = waiting.popleft()
                assert isinstance(text, Annotated)
                carried = text.carry(alignment, rules)
                summary.texts += 1
                summary.annotations += carried.annotations
                summary.carried += carried.annotations - len(carried.dropped)
                for dropped in carried.dropped:
                    summary.dropped[dropped.reason] = summary.dropped.get(dropped.reason, 0) + 1
                    listed.add(dropped)
                if whole_texts and carried.dropped:
                    summary.texts_left_out += 1
                elif made := carried.text():
                    write(made)
                yield carried

        for _ in progress(results()):
            pass
        _write_between(waiting, write)
        listed.end(summary)
    return summary


def guess_format(path: str | Path) -> str:
    """The format of an annotated file by its name; what is in a .json file tells SQuAD from records."""
    suffix = without_suffix(path).suffix.lower()
    if suffix == ".json":
        from wordalign.project.jsonl import load_json
        from wordalign.project.squad import is_squad

        return "squad" if is_squad(load_json(path)) else "jsonl"
    return _SUFFIXES.get(suffix, "conll")


def _reader(
    path: str | Path,
    name: str,
    from_text: Callable[[str], Sentence],
    labels: Sequence[str],
    columns: tuple[int, int] | None,
) -> Reader:
    if name not in ANNOTATION_FORMATS:
        raise UnknownNameError("format of annotations", name, ANNOTATION_FORMATS)
    if labels and name != "jsonl":
        raise UsageError("Only tags that are numbers, in JSON records, need labels: leave them out.")
    if columns is not None and (name != "conll" or min(columns) < 1):
        raise UsageError("Columns are for CoNLL columns, and count from 1: as in --columns 2 3.")
    if name == "conllu":
        from wordalign.project.conllu import read_conllu

        return read_conllu(path)
    if name == "jsonl":
        from wordalign.project.jsonl import read_jsonl

        return read_jsonl(path, from_text, labels)
    if name == "squad":
        from wordalign.project.squad import read_squad

        return read_squad(path, from_text)
    from wordalign.project.conll import read_conll

    return read_conll(path, columns)


def _from_text(segmenter: str | None) -> Callable[[str], Sentence]:
    return partial(split_words, segmenter=find_segmenter(segmenter)) if segmenter else split_words


def _pairs(
    texts: Reader,
    annotated: str | Path,
    translated: str | Path,
    waiting: deque[Annotated | Verbatim],
    to_words: Callable[[str], Sentence],
    from_text: Callable[[str], Sentence],
) -> Iterator[Pair]:
    """Each text with its translation; it waits for the links of the pair in `waiting`."""
    translations = _translations(translated)
    count = 0
    for text in texts:
        if isinstance(text, Annotated):
            count += 1
            translation = next(translations, None)
            if translation is None:
                more = sum(isinstance(other, Annotated) for other in texts)
                raise InputError(_unequal(annotated, count + more, translated, count - 1))
            if isinstance(translation, str):
                target = (from_text if text.raw else to_words)(translation)
            else:
                target = _with_own_tokens(text, translation, translated)
            waiting.append(text)
            yield Pair(text.source, target)
        else:
            waiting.append(text)
    if rest := sum(1 for _ in translations):
        raise InputError(_unequal(annotated, count, translated, count + rest))


def _translations(path: str | Path) -> Iterator[Any]:
    if without_suffix(path).suffix.lower() != ".conllu":
        return read_lines(path)
    from wordalign.project.conllu import token_lists

    return (tokens for _, tokens in token_lists(path))


def _with_own_tokens(text: Annotated, tokens: Any, path: str | Path) -> Sentence:
    from wordalign.project.conllu import Tree, words_of

    if not isinstance(text, Tree):
        raise UsageError(f"{shown(path)} is CoNLL-U, which only CoNLL-U is carried to: give a line a text.")
    text.target_tokens = tokens
    return words_of(tokens)


def _unequal(annotated: str | Path, texts: int, translated: str | Path, lines: int) -> str:
    return (
        f"The files are not parallel: {shown(annotated)} has {counted(texts, 'text')}, "
        f"{shown(translated)} has {counted(lines, 'translation')}. Line i of the translation must be that of "
        "text i."
    )


def _aligned(
    pairs: Iterator[Pair], aligner: AlignConfig | BaseAligner | None, workers: int
) -> Iterator[Alignment]:
    if aligner is None or isinstance(aligner, AlignConfig):
        from wordalign.aligners.neural import Aligner

        aligner = Aligner.from_config(aligner or AlignConfig())
    return aligner.stream(pairs, workers)


def _given(pairs: Iterator[Pair], path: str | Path) -> Iterator[Alignment]:
    """Links of a file; they are for the words of the pairs, and as many."""
    found = read_links(path)
    for number, pair in enumerate(pairs, start=1):
        alignment = next(found, None)
        if alignment is None:
            raise InputError(
                f"{shown(path)} has links for {counted(number - 1, 'text')} only: align all of them."
            )
        for i, j in alignment.links:
            if i >= len(pair.source) or j >= len(pair.target):
                raise InputError(
                    f"{shown(path)}, line {number}: the link {i}-{j} is beyond sentences of "
                    f"{len(pair.source)} and {len(pair.target)} words. Was the text --raw, or is it now?"
                )
        yield replace(alignment, source=pair.source, target=pair.target)
    if next(found, None) is not None:
        raise InputError(f"{shown(path)} has links for more texts than there are: align these ones.")


def _write_between(waiting: deque[Annotated | Verbatim], write: WriteLine) -> None:
    """Write what comes before the next text."""
    while waiting and isinstance(waiting[0], Verbatim):
        text = waiting[0].text()
        waiting.popleft()
        if text:
            write(text)


class _Report:
    """A JSON object that is written while its list of what was dropped grows."""

    def __init__(self, write: WriteLine | None) -> None:
        self._write: WriteLine = write or (lambda line: None)
        self._held: str | None = None  # the last entry, which has no comma behind it
        self._write('{"list": [')

    def add(self, dropped: Dropped) -> None:
        if self._held is not None:
            self._write(f"{self._held},")
        entry = {**asdict(dropped), "probability": round(dropped.probability, 4)}
        self._held = json.dumps(entry, ensure_ascii=False)

    def end(self, summary: ProjectSummary) -> None:
        if self._held is not None:
            self._write(self._held)
        self._write(f"], {json.dumps(asdict(summary), ensure_ascii=False)[1:]}")
