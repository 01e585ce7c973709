"""Alignments as lines of text, one line for each pair, and back.

pharaoh   `0-0 1-2`, with scores `0-0:0.9312 1-2:0.7005`; several methods are separated by tabs
tsv       source words, target words, links: three columns (and more for more methods)
jsonl     words, offsets where the text was raw, the score of the pair, links, scores, signature

Every pair has exactly one line. A word that holds a tab, a line break, a space or a backslash is escaped in
TSV (`\\t`, `\\n`, `\\r`, `\\s`, `\\\\`), and an empty word is `\\e`, so that the same words are read back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from wordalign.errors import InputError
from wordalign.io.compression import without_suffix
from wordalign.io.lines import read_lines, shown
from wordalign.types import Alignment, Ints, Link, Sentence

ByMethod: TypeAlias = Mapping[str, Alignment]
LineWriter: TypeAlias = Callable[[ByMethod], str]

LINK_FORMATS = ("pharaoh", "tsv", "jsonl")

_LINK = re.compile(r"([0-9]+)-([0-9]+)(?::([0-9.eE+-]+))?")
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", " ": "\\s"}
_ESCAPED = str.maketrans(_ESCAPES)
_PLAIN = {escape: character for character, escape in _ESCAPES.items()} | {"\\e": ""}
_ESCAPE = re.compile(r"\\[\\tnrse]")


def line_writer(
    link_format: str, scores: bool, signatures: Mapping[str, str], min_score: float = 0.0
) -> LineWriter:
    """A function from the alignments of a pair to its line, without the line end.

    A pair whose score is below `min_score` is probably no translation, and is written without links.
    """
    if link_format == "jsonl":
        return lambda found: _to_json(found, scores, signatures, min_score)
    if min_score > 0:
        to_line = line_writer(link_format, scores, signatures)
        return lambda found: to_line({name: _good(one, one.score, min_score) for name, one in found.items()})
    if link_format == "tsv":
        return lambda found: "\t".join([*_sides(found), *_columns(found, scores)])
    return lambda found: "\t".join(_columns(found, scores))


def pharaoh_lines(bounds: Sequence[int], source: Ints, target: Ints) -> list[str]:
    """The lines of many pairs at once: that of pair k has the links from `bounds[k]` on, in their order.

    >>> import numpy as np
    >>> pharaoh_lines([0, 2, 2], np.array([0, 1]), np.array([0, 2]))
    ['0-0 1-2', '']
    """
    links = list(map(_LINK_TEXTS.__getitem__, (source << _BITS | target).tolist()))
    return [" ".join(links[first:last]) for first, last in pairwise(bounds)]


class _LinkTexts(dict[int, str]):
    """A link as one number -> `i-j`. Few links are most of a corpus, and some megabytes are remembered."""

    def __missing__(self, link: int) -> str:
        text = f"{link >> _BITS}-{link & (1 << _BITS) - 1}"
        if len(self) < _MOST_TEXTS:
            self[link] = text
        return text


_BITS = 31
_MOST_TEXTS = 1 << 16
_LINK_TEXTS = _LinkTexts()


def parse_pharaoh(text: str) -> Alignment:
    """`0-0:0.93 1-2` -> links and scores; a link without a score counts as certain."""
    found: dict[tuple[int, int], float] = {}
    for token in text.split():
        match = _LINK.fullmatch(token)
        if match is None:
            raise ValueError(f"{token!r} is not a link; expected i-j, as in 0-0 1-2.")
        source, target, score = match.groups()
        found[int(source), int(target)] = 1.0 if score is None else float(score)
    return _sorted(found)


def parse_tsv(line: str) -> Alignment:
    """Words and links of a TSV line; of several methods the first."""
    columns = line.split("\t")
    if len(columns) < 3:
        raise ValueError("expected source, TAB, target, TAB, links.")
    return replace(parse_pharaoh(columns[2]), source=_words(columns[0]), target=_words(columns[1]))


def alignment_of(record: Any) -> Alignment:
    """Words, links and scores of a JSON line that was parsed; of several methods the first."""
    if not isinstance(record, dict) or "links" not in record:
        raise ValueError("expected {\"links\": [[0, 0], …]}; there is no 'links'.")
    links = [_json_link(link) for link in record["links"]]
    scores = record.get("scores", [1.0] * len(links))
    if len(scores) != len(links):
        raise ValueError(f"{len(links)} links but {len(scores)} scores.")
    found = _sorted(dict(zip(links, map(float, scores), strict=True)))
    return replace(found, source=_sentence(record, "source"), target=_sentence(record, "target"))


def is_tsv(path: str | Path) -> bool:
    """Whether the name of a file says that it is TSV, compressed or not."""
    return without_suffix(path).suffix.lower() == ".tsv"


def read_links(path: str | Path) -> Iterator[Alignment]:
    """The alignments of a Pharaoh, TSV (by its suffix) or JSONL file; of several methods the first."""
    tsv = is_tsv(path)
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield (
                parse_tsv(line)
                if tsv
                else alignment_of(json.loads(line))
                if line.startswith("{")
                else _first(line)
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{shown(path)}, line {number}: {error}") from error


def _good(alignment: Alignment, score: float, min_score: float) -> Alignment:
    return alignment if score >= min_score else replace(alignment, links=(), scores=())


def _sorted(scores: Mapping[Link, float]) -> Alignment:
    links = sorted(scores)
    return Alignment(tuple(links), tuple(scores[link] for link in links))


def _first(line: str) -> Alignment:
    return parse_pharaoh(line.partition("\t")[0])


def _words(column: str) -> Sentence:
    words = [word for word in column.split(" ") if word]
    if "\\" in column:
        words = [_ESCAPE.sub(lambda found: _PLAIN[found[0]], word) for word in words]
    return Sentence.from_words(words)


def _column(words: Sequence[str]) -> str:
    return " ".join([word.translate(_ESCAPED) or "\\e" for word in words])


def _json_link(link: Any) -> Link:
    if not (isinstance(link, list) and len(link) == 2 and all(type(i) is int and i >= 0 for i in link)):
        raise ValueError(f"{json.dumps(link)} is not a link; expected two numbers from 0 on, as in [0, 2].")
    return link[0], link[1]


def _columns(found: ByMethod, scores: bool) -> list[str]:
    if not scores:
        return [alignment.pharaoh() for alignment in found.values()]
    return [
        " ".join(
            f"{i}-{j}:{score:.4f}" for (i, j), score in zip(alignment.links, alignment.scores, strict=True)
        )
        for alignment in found.values()
    ]


def _sides(found: ByMethod) -> list[str]:
    first = next(iter(found.values()))
    return [_column(sentence.words) for sentence in (first.source, first.target)]


def _to_json(found: ByMethod, scores: bool, signatures: Mapping[str, str], min_score: float) -> str:
    name, first = next(iter(found.items()))
    record: dict[str, Any] = {}
    for side, sentence in (("source", first.source), ("target", first.target)):
        record[side] = sentence.words
        if sentence.offsets is not None:
            record[f"{side}_text"] = sentence.text
            record[f"{side}_offsets"] = sentence.offsets
    record.update(_json_links(first, scores, signatures[name], min_score))
    if len(found) > 1:
        record["methods"] = {
            method: _json_links(alignment, scores, signatures[method], min_score)
            for method, alignment in found.items()
        }
    return json.dumps(record, ensure_ascii=False)


def _json_links(alignment: Alignment, scores: bool, signature: str, min_score: float) -> dict[str, Any]:
    score = alignment.score
    alignment = _good(alignment, score, min_score)
    fields: dict[str, Any] = {"score": round(score, 4), "links": alignment.links}
    if scores:
        fields["scores"] = [round(score, 4) for score in alignment.scores]
    return {**fields, "signature": signature}


def _sentence(record: dict[str, Any], side: str) -> Sentence:
    offsets, words = record.get(f"{side}_offsets"), record.get(side, ())
    return Sentence(
        tuple(words) if isinstance(words, list) else (),
        record.get(f"{side}_text"),
        None if offsets is None else tuple((start, end) for start, end in offsets),
    )
