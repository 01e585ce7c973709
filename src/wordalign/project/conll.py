"""Columns as in CoNLL-2003: a word a line, its BIO, BIOES or BILOU tag in the last column, and an empty line
after each sentence.

    European   B-ORG
    Parliament I-ORG

Written are the words of the translation and their tags, with the separator that was read; columns between
them (parts of speech, chunks) are left out. Comments and -DOCSTART- lines stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from wordalign.errors import InputError
from wordalign.io.lines import read_lines, shown
from wordalign.project.annotated import AnnotatedSpans, Reader, Verbatim
from wordalign.project.labels import is_tag, scheme_of, spans_of, tags_of
from wordalign.types import Alignment, ProjectedSpan, Sentence


def read_conll(path: str | Path) -> Reader:
    for number, block in blocks(path):
        if block[0].startswith("-DOCSTART-"):
            yield Verbatim(partial("{}\n".format, "\n".join(block)))
            continue
        comments: list[str] = []
        words: list[str] = []
        tags: list[str] = []
        for line_number, line in enumerate(block, start=number):
            columns = [column.strip() for column in line.split("\t" if "\t" in line else None)]
            if not words and line.startswith("#") and not is_tag(columns[-1]):
                comments.append(line)
            elif len(columns) < 2 or not columns[0] or not is_tag(columns[-1]):
                raise InputError(
                    f"{shown(path)}, line {line_number}: expected a word and, in the last column, its tag "
                    f"(O, B-LABEL, I-LABEL …), found {line[:60]!r}."
                )
            else:
                words.append(columns[0])
                tags.append(columns[-1])
        if not words:
            yield Verbatim(partial("{}\n".format, "\n".join(comments)))
            continue
        spans = spans_of(tags)
        labels = [label for _, _, label in spans]
        separator = "\t" if "\t" in block[-1] else " "
        yield AnnotatedSpans(
            Sentence(tuple(words)),
            f"{shown(path)}, line {number}",
            [(start, end) for start, end, _ in spans],
            labels,
            partial(_write, comments, labels, scheme_of(tags), separator),
        )


def blocks(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """The lines between empty lines, and the number of the first of them."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number - len(block) + 1, block


def _write(
    comments: Sequence[str],
    labels: Sequence[str],
    scheme: str,
    separator: str,
    alignment: Alignment,
    found: Sequence[ProjectedSpan],
) -> str:
    carried = [(*span.target, label) for span, label in zip(found, labels, strict=True) if span.target]
    words = alignment.target.words
    rows = (separator.join(row) for row in zip(words, tags_of(carried, len(words), scheme), strict=True))
    return "\n".join([*comments, *rows]) + "\n"
