"""Columns as in CoNLL-2003: a word a line, its BIO, BIOES or BILOU tag in the last column, and an empty line
after each sentence.

    European   B-ORG
    Parliament I-ORG

The word is in the first column, or in the second where the first one counts the words, as in GermEval. Other
columns can be chosen.

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


def read_conll(path: str | Path, columns: tuple[int, int] | None = None) -> Reader:
    """The sentences of a file; `columns` are those of the word and of the tag, from 1."""
    word_column, tag_column = (columns[0] - 1, columns[1] - 1) if columns else (0, -1)
    needed = max(2, *columns) if columns else 2
    is_known = columns is not None  # where words are; the first sentence of two words or more tells
    for number, block in blocks(path):
        if block[0].startswith("-DOCSTART-"):
            yield Verbatim(partial("{}\n".format, "\n".join(block)))
            continue
        comments: list[str] = []
        rows: list[list[str]] = []
        for line_number, line in enumerate(block, start=number):
            cells = [cell.strip() for cell in line.split("\t" if "\t" in line else None)]
            if not rows and line.startswith("#") and not is_tag(cells[-1]):
                comments.append(line)
            elif len(cells) < needed or not cells[word_column] or not is_tag(cells[tag_column]):
                place = f"column {columns[1]}" if columns else "the last column"
                raise InputError(
                    f"{shown(path)}, line {line_number}: expected a word and, in {place}, its tag "
                    f"(O, B-LABEL, I-LABEL …), found {line[:60]!r}."
                )
            else:
                rows.append(cells)
        if not is_known and len(rows) > 1:
            is_known, word_column = True, int(_counts_words(rows))
        words = [cells[word_column] for cells in rows]
        tags = [cells[tag_column] for cells in rows]
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


def _counts_words(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column holds no words but 1, 2, 3 …, beside a word and a tag."""
    return all(len(cells) > 2 and cells[0] == str(count) for count, cells in enumerate(rows, start=1))


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
