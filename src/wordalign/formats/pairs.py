"""Parallel sentences on disk: two files, `source ||| target` lines, TSV or JSONL.

Every reader gives one pair for each line of input, an empty one for an empty line, so that whatever is
written beside the input stays parallel to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import regex

from wordalign.errors import InputError, UnknownNameError
from wordalign.formats.lines import count_lines, read_lines, shown
from wordalign.types import Pair, Sentence

ToSentence: TypeAlias = Callable[[str], Sentence]

PAIR_FORMATS = ("bars", "tsv", "jsonl")


def tokenized(line: str) -> Sentence:
    """Words between spaces or tabs. Other white space (no-break spaces, say) belongs to a word."""
    return Sentence.from_words(filter(None, line.replace("\t", " ").split(" ")))


def read_two_files(source: str | Path, target: str | Path, to_sentence: ToSentence) -> Iterator[Pair]:
    """Line by line from two files, which must have equally many lines."""
    pairs = zip_longest(read_lines(source), read_lines(target))
    for number, (left, right) in enumerate(pairs, start=1):
        if left is None or right is None:
            short, long = (source, target) if left is None else (target, source)
            rest = sum(1 for _ in pairs)
            raise InputError(_unequal(short, number - 1, long, number + rest))
        yield Pair(to_sentence(left), to_sentence(right))


def check_parallel(source: str | Path, target: str | Path) -> int | None:
    """Compare the line counts of two files before any work starts; the count, where it can be known."""
    left, right = count_lines(source), count_lines(target)
    if left is not None and right is not None and left != right:
        raise InputError(_unequal(source, left, target, right))
    return left if left is not None else right


def _unequal(one: str | Path, lines: int, other: str | Path, other_lines: int) -> str:
    return (
        f"The files are not parallel: {shown(one)} has {lines:,} lines, {shown(other)} has {other_lines:,}. "
        "Line i of one must be the translation of line i of the other."
    )


def read_pairs(path: str | Path, pair_format: str, to_sentence: ToSentence) -> Iterator[Pair]:
    """Pairs from one file of a format of `PAIR_FORMATS`; `-` is standard input."""
    readers = {"bars": _split_bars, "tsv": _split_tabs, "jsonl": _split_json}
    if pair_format not in readers:
        raise UnknownNameError("pair format", pair_format, PAIR_FORMATS)
    split = readers[pair_format]
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            yield Pair(Sentence(()), Sentence(()))
            continue
        try:
            sides = split(line)
        except ValueError as error:
            raise InputError(f"{shown(path)}, line {number}: {error}") from error
        source, target = (
            to_sentence(side) if isinstance(side, str) else Sentence.from_words(side) for side in sides
        )
        yield Pair(source, target)


def guess_pair_format(path: str | Path) -> str:
    return {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(Path(path).suffix.lower(), "bars")


def _split_bars(line: str) -> list[str]:
    sides: list[str] = regex.split(r"(?<!\S)\|\|\|(?!\S)", line)
    if len(sides) != 2:
        raise ValueError(f"expected 'source ||| target', found {len(sides) - 1} separators '|||'.")
    return [side.strip(" \t") for side in sides]


def _split_tabs(line: str) -> list[str]:
    sides = line.split("\t")
    if len(sides) < 2:
        raise ValueError("expected source, TAB, target; found no TAB.")
    return sides[:2]


def _split_json(line: str) -> list[Any]:
    wanted = 'expected {"source": ..., "target": ...}, each a string or a list of words'
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON; {wanted}.") from error
    if not isinstance(record, dict):
        raise ValueError(f"{wanted}.")
    sides = [record.get("source"), record.get("target")]
    for side in sides:
        if not isinstance(side, str) and not (
            isinstance(side, list) and all(isinstance(word, str) for word in side)
        ):
            raise ValueError(f"{wanted}.")
    return sides
