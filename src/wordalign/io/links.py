"""Alignments as lines of text, one line a pair, and back.

pharaoh   `0-0 1-2`, with scores `0-0:0.9312 1-2:0.7005`; several methods are separated by tabs
tsv       source words, target words, links: three columns (and more for more methods)
jsonl     words, offsets where the text was raw, links, scores, signature
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import regex

from wordalign.errors import InputError
from wordalign.io.compression import without_suffix
from wordalign.io.lines import read_lines, shown
from wordalign.types import Alignment, Sentence

ByMethod: TypeAlias = Mapping[str, Alignment]
LineWriter: TypeAlias = Callable[[ByMethod], str]

LINK_FORMATS = ("pharaoh", "tsv", "jsonl")

_LINK = regex.compile(r"(\d+)-(\d+)(?::([0-9.eE+-]+))?")


def line_writer(link_format: str, scores: bool, signatures: Mapping[str, str]) -> LineWriter:
    """A function from the alignments of a pair to its line, without the line end."""
    if link_format == "jsonl":
        return lambda found: _to_json(found, scores, signatures)
    if link_format == "tsv":
        return lambda found: "\t".join([*_sides(found), *_columns(found, scores)])
    return lambda found: "\t".join(_columns(found, scores))


def parse_pharaoh(text: str) -> Alignment:
    """`0-0:0.93 1-2` -> links and scores; a link without a score counts as certain."""
    found: dict[tuple[int, int], float] = {}
    for token in text.split():
        match = _LINK.fullmatch(token)
        if match is None:
            raise ValueError(f"{token!r} is not a link; expected i-j, as in 0-0 1-2.")
        source, target, score = match.groups()
        found[int(source), int(target)] = 1.0 if score is None else float(score)
    links = sorted(found)
    return Alignment(tuple(links), tuple(found[link] for link in links))


def read_links(path: str | Path) -> Iterator[Alignment]:
    """The alignments of a Pharaoh, TSV (by its suffix) or JSONL file; the first method of several."""
    tsv = without_suffix(path).suffix.lower() == ".tsv"
    for number, line in enumerate(read_lines(path), start=1):
        try:
            yield _from_tsv(line) if tsv else _from_json(line) if line.startswith("{") else _first(line)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{shown(path)}, line {number}: {error}") from error


def _first(line: str) -> Alignment:
    return parse_pharaoh(line.partition("\t")[0])


def _from_tsv(line: str) -> Alignment:
    source, target, links = line.split("\t")[:3]
    found = parse_pharaoh(links)
    sides = (Sentence.from_words(filter(None, side.split(" "))) for side in (source, target))
    return Alignment(found.links, found.scores, *sides)


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
    return [" ".join(sentence.words) for sentence in (first.source, first.target)]


def _to_json(found: ByMethod, scores: bool, signatures: Mapping[str, str]) -> str:
    name, first = next(iter(found.items()))
    record: dict[str, Any] = {}
    for side, sentence in (("source", first.source), ("target", first.target)):
        record[side] = sentence.words
        if sentence.offsets is not None:
            record[f"{side}_text"] = sentence.text
            record[f"{side}_offsets"] = sentence.offsets
    record.update(_json_links(first, scores, signatures[name]))
    if len(found) > 1:
        record["methods"] = {
            method: _json_links(alignment, scores, signatures[method]) for method, alignment in found.items()
        }
    return json.dumps(record, ensure_ascii=False)


def _json_links(alignment: Alignment, scores: bool, signature: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"links": alignment.links}
    if scores:
        fields["scores"] = [round(score, 4) for score in alignment.scores]
    return {**fields, "signature": signature}


def _from_json(line: str) -> Alignment:
    record = json.loads(line)
    links = tuple((int(i), int(j)) for i, j in record["links"])
    scores = tuple(map(float, record.get("scores", [1.0] * len(links))))
    if len(scores) != len(links):
        raise ValueError(f"{len(links)} links but {len(scores)} scores.")
    return Alignment(links, scores, _sentence(record, "source"), _sentence(record, "target"))


def _sentence(record: dict[str, Any], side: str) -> Sentence:
    offsets = record.get(f"{side}_offsets")
    return Sentence(
        tuple(record.get(side, ())),
        record.get(f"{side}_text"),
        None if offsets is None else tuple((start, end) for start, end in offsets),
    )
