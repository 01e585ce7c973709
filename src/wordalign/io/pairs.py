"""The two sides of a line: `source ||| target`, TSV or JSONL; `records.py` reads the lines.

Every line of input is one pair, an empty one for an empty line, so that whatever is written beside the
input stays parallel to it. The units of other files (`units.py`) come as lines of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import regex

from wordalign.io.compression import without_suffix
from wordalign.io.units import UNIT_FORMATS
from wordalign.types import Sentence

ToSentence: TypeAlias = Callable[[str], Sentence]

LINE_FORMATS = ("bars", "tsv", "jsonl")
PAIR_FORMATS = (*LINE_FORMATS, *UNIT_FORMATS)
_SUFFIXES = {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"} | {
    suffix: name for name, unit_format in UNIT_FORMATS.items() for suffix in unit_format.suffixes
}


def tokenized(line: str) -> Sentence:
    """Words between spaces or tabs. Other white space (no-break spaces, say) belongs to a word."""
    return Sentence.from_words(filter(None, line.replace("\t", " ").split(" ")))


def split_pair(line: str, pair_format: str) -> list[Any]:
    """Source and target of a line, as texts or (in JSONL) lists of words; `ValueError` says what is wrong."""
    return _SPLITTERS[pair_format](line)


def guess_pair_format(path: str | Path) -> str:
    """The format of a file of pairs, by its name."""
    return _SUFFIXES.get(without_suffix(path).suffix.lower(), "bars")


def _split_bars(line: str) -> list[str]:
    sides: list[str] = regex.split(r"(?<!\S)\|\|\|(?!\S)", line)
    if len(sides) != 2:
        found = f"expected 'source ||| target', found {len(sides) - 1} separators '|||'."
        hint = " Is it --input-format tsv? There is a TAB." if "\t" in line else ""
        hint = hint or " If the translations are in a file of their own, give that too."
        raise ValueError(found + (hint if len(sides) == 1 else ""))
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
    return _checked(record, wanted)


def _split_unit(line: str) -> list[Any]:
    unit = json.loads(line)
    if "wrong" in unit:
        raise ValueError(unit["wrong"])
    return _checked(unit, "expected a text or a list of words on both sides")


def _checked(record: dict[str, Any], wanted: str) -> list[Any]:
    sides = [record.get("source"), record.get("target")]
    for side in sides:
        if not isinstance(side, str) and not (
            isinstance(side, list) and all(isinstance(word, str) for word in side)
        ):
            raise ValueError(f"{wanted}.")
    return sides


_SPLITTERS: dict[str, Callable[[str], list[Any]]] = {
    "bars": _split_bars,
    "tsv": _split_tabs,
    "jsonl": _split_json,
    **dict.fromkeys(UNIT_FORMATS, _split_unit),
}
