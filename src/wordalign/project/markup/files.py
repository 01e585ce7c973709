"""Markup of a file into its translation: parallel lines as a stream, documents as a whole.

The output appears whole or not at all. Where a line or a block cannot be read, the error says which and why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import tee, zip_longest
from pathlib import Path
from typing import Any

from wordalign.aligners.base import BaseAligner
from wordalign.errors import InputError, UsageError, counted
from wordalign.io import open_output, read_lines
from wordalign.io.compression import compression_of, compressor, without_suffix
from wordalign.io.lines import open_input, shown
from wordalign.io.whole import whole_file, write_whole
from wordalign.project.markup.documents import BILINGUAL, DOCUMENTS, KINDS, Block, blocks, plain_text, put_in
from wordalign.project.markup.syntax import MalformedError, check_syntax
from wordalign.project.markup.transfer import Prepared, Transferred, prepare, transfer_prepared
from wordalign.text import Segmenter

_SYNTAX_OF = {"html": "html", "xliff": "xliff", "tmx": "xliff", "docx": "xml", "markdown": "markdown"}


@dataclass(slots=True)
class Summary:
    """How many lines or blocks there were, elements in them, elements without a link, and failures."""

    blocks: int = 0
    elements: int = 0
    unsure: int = 0
    failed: int = 0


def kind_of(path: str | Path) -> str:
    """What kind of file a name says it is; anything unknown is lines of text."""
    return DOCUMENTS.get(without_suffix(path).suffix.lower(), "lines")


def transfer_file(
    source: str | Path,
    translation: str | Path | None,
    output: str | Path | None,
    aligner: BaseAligner | None = None,
    *,
    kind: str | None = None,
    syntax: str | None = None,
    segmenter: Segmenter | None = None,
    workers: int = 1,
    on_error: str = "stop",
    report: str | Path | None = None,
) -> Summary:
    """Write the translation of a file with the file's markup.

    `translation` has a line for each line of the source, or for each block of a document (`text_of` lists
    them); XLIFF and TMX hold their translations themselves. `kind` is one of `KINDS`, by default what the
    name says. `syntax` is that of lines. With `on_error="skip"` a line that cannot be read becomes an
    empty line, and a block stays plain. `report` is a file of JSON lines: what failed, and which elements had
    no link for their place.
    """
    kind = kind or kind_of(source)
    if kind not in KINDS:
        raise UsageError(f"There is no kind of file {kind!r}. Known: {', '.join(KINDS)}.")
    if (translation is None) != (kind in BILINGUAL):
        raise UsageError(
            f"A file of {kind} holds its translations itself: give no other file."
            if kind in BILINGUAL
            else "Give the source and its translation, which has a line for each line or block of the source."
        )
    if syntax is not None:
        check_syntax(syntax)
        if kind != "lines":
            raise UsageError(f"The syntax of {kind} is known: leave it out.")
    summary = Summary()
    with open_output(report) if report is not None else nullcontext() as write:
        job = _Job(summary, shown(source), on_error, write, aligner, segmenter, workers)
        if kind == "lines":
            pairs = _parallel(source, translation)  # type: ignore[arg-type]
            with open_output(output) as write_line:
                for done in job.run((*pair, syntax, number) for number, pair in enumerate(pairs, start=1)):
                    write_line(done.text if done is not None else "")
        elif kind == "docx":
            _transfer_docx(job, source, translation, output)
        else:
            _transfer_document(job, kind, source, translation, output)
    return summary


def text_of(source: str | Path, kind: str | None = None) -> Iterator[str]:
    """The text of a document without its markup, a line for each block: what is to be translated."""
    kind = kind or kind_of(source)
    if kind == "docx":
        from wordalign.project.markup.docx import Docx

        fragments = Docx(source).fragments
    elif kind == "lines":
        yield from (plain_text(line, "html") for line in read_lines(source))
        return
    else:
        _, written = _read(source)
        with _located(shown(source), written):
            fragments = [block.source for block in blocks(written, kind)]
    yield from (plain_text(fragment, _SYNTAX_OF[kind]) for fragment in fragments)


class _Job:
    """Reads, aligns and finishes pairs in order, and counts and reports what becomes of them."""

    def __init__(
        self,
        summary: Summary,
        name: str,
        on_error: str,
        write: Any,
        aligner: BaseAligner | None,
        segmenter: Segmenter | None,
        workers: int,
    ) -> None:
        self.summary, self.name, self.on_error, self.write = summary, name, on_error, write
        self.aligner, self.segmenter, self.workers = aligner, segmenter, workers

    def run(self, pairs: Iterable[tuple[str, str, str | None, int]]) -> Iterator[Transferred | None]:
        """The result of each pair (source, target, syntax, line); None for one that cannot be read."""
        to_align, to_finish = tee(self._prepared(pairs))
        finished = transfer_prepared((one for one, _, _ in to_align), self.aligner, workers=self.workers)
        for (_, line, is_read), done in zip(to_finish, finished, strict=True):
            self.summary.blocks += 1
            self.summary.elements += sum(1 for _ in done.walk())
            for placement in done.unsure:
                self.summary.unsure += 1
                self._report(line, "no link speaks for its place", element=placement.element.opening)
            yield done if is_read else None

    def _prepared(
        self, pairs: Iterable[tuple[str, str, str | None, int]]
    ) -> Iterator[tuple[Prepared, int, bool]]:
        for source, target, syntax, line in pairs:
            try:
                yield prepare(source, target, syntax, self.segmenter), line, True
            except MalformedError as error:
                line += source.count("\n", 0, error.offset)
                if self.on_error == "stop":
                    raise InputError(f"{self.name}, line {line}: {error}") from error
                self.summary.failed += 1
                self._report(line, str(error))
                yield prepare("", "", "text"), line, False

    def _report(self, line: int, problem: str, **more: str) -> None:
        if self.write is not None:
            self.write(json.dumps({"line": line, **more, "problem": problem}, ensure_ascii=False))


def _parallel(source: str | Path, translation: str | Path) -> Iterator[tuple[str, str]]:
    for number, (one, other) in enumerate(zip_longest(read_lines(source), read_lines(translation)), start=1):
        if one is None or other is None:
            short = shown(source if one is None else translation)
            raise InputError(
                f"{short} ends before line {number} of the other file: both need a line for each line."
            )
        yield one, other


def _transfer_document(
    job: _Job, kind: str, source: str | Path, translation: str | Path | None, output: str | Path | None
) -> None:
    mark, written = _read(source)
    with _located(job.name, written):
        found = blocks(written, kind)
    targets = _targets(found, translation)
    lines = _line_numbers(written, [block.start for block in found])
    syntax = _SYNTAX_OF[kind]
    pairs = zip((block.source for block in found), targets, (syntax for _ in found), lines, strict=True)
    done = [
        (block, result.text if result is not None else target)
        for block, target, result in zip(found, targets, job.run(pairs), strict=True)
    ]
    data = (mark + put_in(written, done)).encode()
    if output is not None and (compression := compression_of(output)) is not None:
        using = compressor(compression)
        data = using.compress(data) + using.flush()
    write_whole("-" if output is None else output, data)


def _targets(found: list[Block], translation: str | Path | None) -> list[str]:
    if translation is None:
        return [block.target or "" for block in found]
    return _lines_for(len(found), translation)


def _lines_for(count: int, translation: str | Path) -> list[str]:
    lines = list(read_lines(translation))
    if len(lines) != count:
        raise InputError(
            f"{shown(translation)} has {counted(len(lines), 'line')}, but the source "
            f"{counted(count, 'block')}: give a line for each. `wordalign transfer SOURCE --text` lists them."
        )
    return lines


def _transfer_docx(
    job: _Job, source: str | Path, translation: str | Path | None, output: str | Path | None
) -> None:
    from wordalign.project.markup.docx import Docx

    if output is None or str(output) == "-":
        raise UsageError("A Word file cannot be written to the terminal: give a file with -o.")
    document = Docx(source)
    targets = _lines_for(len(document.fragments), translation or "")
    pairs = zip(
        document.fragments, targets, ("xml" for _ in targets), range(1, len(targets) + 1), strict=True
    )
    for number, result in enumerate(job.run(pairs)):
        if result is not None:
            document.put(number, result.text)
    with whole_file(output) as path:
        document.save(path)


def _read(path: str | Path) -> tuple[str, str]:
    """The byte order mark of a file, where it has one, and its text."""
    with open_input(path) as stream:
        data = stream.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{shown(path)}, line {line}: not UTF-8. Convert the file first, e.g. with iconv."
        ) from error
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark, text.removeprefix(mark)


@contextmanager
def _located(name: str, written: str) -> Iterator[None]:
    """Tell the file and the line of a `MalformedError`."""
    try:
        yield
    except MalformedError as error:
        line = written.count("\n", 0, error.offset) + 1
        raise InputError(f"{name}, line {line}: {error}") from error


def _line_numbers(written: str, places: Iterable[int]) -> list[int]:
    numbers, line, before = [], 1, 0
    for place in places:
        line += written.count("\n", before, place)
        before = place
        numbers.append(line)
    return numbers
