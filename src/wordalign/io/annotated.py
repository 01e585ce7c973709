"""Links made in the page for annotation: its JSONL, or the file of a whole project (docs/annotation.md).

A line of JSONL has the words, `links` (all of them), `gold` (the same as `0-0 1p2`), and whether the pair is
`done`. A project is one JSON object, over as many lines as it likes, whose pairs have `links` as
{"0-0": "sure", …}.

>>> record = {"source": ["Das", "Haus"], "target": ["The", "house"], "gold": "0-0 1p1", "done": True}
>>> links, words, done = _of_record(record)
>>> sorted(links.sure), sorted(links.possible), words.target.words
([(0, 0)], [(0, 0), (1, 1)], ('The', 'house'))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from wordalign.errors import InputError
from wordalign.io.lines import shown
from wordalign.io.link_lines import LinkLine, LinkTokens, Notes, check_range
from wordalign.types import GoldAlignment, Link, Pair, Sentence

Annotated: TypeAlias = tuple[GoldAlignment, Pair | None, bool]  # links, words, whether it is done

FORMAT = "wordalign-project"
VERSION = 1


def read_annotated(path: str | Path, lines: Iterator[str], notes: Notes) -> Iterator[LinkLine]:
    """The pairs of such a file, in order; a note counts those that nobody has finished."""
    for number, (links, words, done) in enumerate(_pairs(path, lines), start=1):
        where = f"{shown(path)}, pair {number}"
        if words is not None:
            check_range(links.possible, (len(words.source), len(words.target)), where, "")
        if not done:
            notes.add(
                f"Pairs of {shown(path)} that are not marked as done: {{count}} (first: pair {{first}}). "
                "Their links count as they are.",
                str(number),
            )
        yield LinkLine(number - 1, number, None, links, path, "", words, done)


def _pairs(path: str | Path, lines: Iterator[str]) -> Iterator[Annotated]:
    first = next(lines, "")
    try:
        value = json.loads(first)
    except ValueError:
        value = None  # a project over several lines, or no JSON at all
    every = chain([first], lines)
    if not isinstance(value, dict) or "pairs" in value:
        records: Iterable[Any] = _project(path, "\n".join(every))
        read: Callable[[Mapping[str, Any]], Annotated] = _of_pair
    else:
        records = _records(path, every)
        read = _of_record
    for number, record in enumerate(records, start=1):
        try:
            yield read(record)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            reason = error if isinstance(error, ValueError) else "this is not a pair with words and links."
            raise InputError(f"{shown(path)}, pair {number}: {reason}") from error


def _records(path: str | Path, lines: Iterable[str]) -> Iterator[Any]:
    for number, line in enumerate(lines, start=1):
        try:
            yield json.loads(line) if line.strip() else {}
        except ValueError as error:
            raise InputError(f"{shown(path)}, line {number}: this is not JSON ({error}).") from error


def _project(path: str | Path, text: str) -> list[Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InputError(
            f"{shown(path)} is neither JSON lines nor the file of a project ({error})."
        ) from error
    if (
        not isinstance(value, dict)
        or value.get("format") != FORMAT
        or not isinstance(value.get("pairs"), list)
    ):
        raise InputError(f"{shown(path)} is not the file of an annotation project.")
    if not isinstance(value.get("version"), int) or value["version"] > VERSION:
        raise InputError(
            f"{shown(path)} was written by a newer wordalign (format {value.get('version')}): update this "
            "one first."
        )
    pairs: list[Any] = value["pairs"]
    return pairs


def _of_record(record: Mapping[str, Any]) -> Annotated:
    text = record.get("gold")
    if isinstance(text, str):
        links = LinkTokens(one_based=False, no_word=False).parse(text)[0]
    else:
        every = frozenset((_index(i), _index(j)) for i, j in record.get("links", ()))
        links = GoldAlignment(every, every)
    return links, _words(record), record.get("done", True) is not False


def _of_pair(pair: Mapping[str, Any]) -> Annotated:
    links = {_link(key): state for key, state in pair.get("links", {}).items()}
    if wrong := set(links.values()) - {"sure", "possible"}:
        raise ValueError(f"a link is sure or possible, and not {sorted(map(str, wrong))[0]!r}.")
    sure = frozenset(link for link, state in links.items() if state == "sure")
    return GoldAlignment(sure, frozenset(links)), _words(pair), pair.get("done") is True


def _words(record: Mapping[str, Any]) -> Pair | None:
    sides = [record.get(side) for side in ("source", "target")]
    if not all(isinstance(side, list) for side in sides):
        return None
    return Pair(*(Sentence.from_words(side) for side in sides if side is not None))


def _link(key: str) -> Link:
    source, dash, target = key.partition("-")
    if not (dash and source.isdecimal() and target.isdecimal()):
        raise ValueError(f"{key!r} is not a link; expected i-j, as in 0-2.")
    return int(source), int(target)


def _index(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not the number of a word.")
    return value
