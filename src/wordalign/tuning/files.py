"""Files of text, gold links and dictionary entries -> what `tune` takes.

Gold links come in one of these ways:

    links.txt                   the links of the first lines of the text; an empty line has no gold links
    source.txt target.txt links.txt
    gold.txt                    lines of `source ||| target ||| 0-0 1p2`; or .tsv; or .jsonl with "links",
                                or with "gold": "0-0 1p2", as the page for annotation writes it
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordalign.errors import InputError, UsageError
from wordalign.io import tokenized
from wordalign.io.gold import parse_gold, read_gold
from wordalign.io.lines import read_lines, shown
from wordalign.io.link_lines import check_range
from wordalign.io.pairs import guess_pair_format
from wordalign.run.text import ParallelText
from wordalign.text import split_words
from wordalign.text.segmenters import find_segmenter
from wordalign.text.words import Segmenter
from wordalign.tuning.material import Linked
from wordalign.types import GoldAlignment, Pair, Sentence


@dataclass(frozen=True, slots=True)
class Given:
    """What the files hold."""

    text: list[Pair]
    gold: list[Linked]
    dev: list[Linked]
    entries: list[Pair]


@dataclass(frozen=True, slots=True)
class _Reader:
    """How lines become words."""

    input_format: str | None
    raw: bool
    segmenter: str | None

    def pairs(self, files: Sequence[str]) -> list[Pair]:
        return list(ParallelText(files, self.input_format, raw=self.raw, segmenter=self.segmenter).pairs())

    def sentence(self, text: str | list[str]) -> Sentence:
        if isinstance(text, list):
            return Sentence.from_words(text)
        if not self.raw:
            return tokenized(text)
        segmenter: Segmenter | None = find_segmenter(self.segmenter) if self.segmenter else None
        return split_words(text, segmenter)


def read_material(
    text: Sequence[str] = (),
    gold: Sequence[str] | None = None,
    dev: Sequence[str] | None = None,
    dictionary: str | None = None,
    *,
    input_format: str | None = None,
    raw: bool = False,
    segmenter: str | None = None,
) -> Given:
    """Read all files; errors say which line of which file cannot be used."""
    if not (text or gold or dictionary):
        raise UsageError("Give parallel text, or gold links with --gold, or a --dictionary to learn from.")
    reader = _Reader(input_format, raw, segmenter)
    pairs = reader.pairs(text) if text else []
    learned: list[Linked] = []
    if gold is not None and len(gold) == 1 and not _holds_words(gold[0]):
        if not pairs:
            raise UsageError(
                f"{gold[0]} holds links alone: give the text that they belong to, or three files (source, "
                "target, links)."
            )
        pairs, learned = _divided(pairs, gold[0])
    elif gold is not None:
        learned = _read_linked(gold, "--gold", reader)
    judged = [] if dev is None else _read_linked(dev, "--dev", reader)
    entries = [] if dictionary is None else list(_read_entries(dictionary, reader))
    return Given(pairs, learned, judged, entries)


def _holds_words(path: str) -> bool:
    if guess_pair_format(path) != "bars":
        return True
    first = next((line for line in read_lines(path) if line.strip()), "")
    return "|||" in first


def _divided(pairs: Sequence[Pair], links: str) -> tuple[list[Pair], list[Linked]]:
    """The pairs without gold links, and those with some."""
    count = sum(1 for _ in read_lines(links))
    if count > len(pairs):
        raise InputError(
            f"{shown(links)} has {count:,} lines, and the text has {len(pairs):,}: the gold links do not "
            "belong to this text."
        )
    first = pairs[:count]
    golds = read_gold(
        links,
        source_words=[len(pair.source) for pair in first],
        target_words=[len(pair.target) for pair in first],
        report=lambda note: None,
    )
    rest, learned = list(pairs[count:]), []
    for pair, found in zip(first, golds, strict=True):
        if found.possible:
            learned.append(Linked(pair, found))
        else:
            rest.append(pair)
    return rest, learned


def _read_linked(files: Sequence[str], option: str, reader: _Reader) -> list[Linked]:
    if len(files) == 3:
        pairs = _Reader(None, reader.raw, reader.segmenter).pairs(files[:2])
        golds = read_gold(
            files[2],
            source_words=[len(pair.source) for pair in pairs],
            target_words=[len(pair.target) for pair in pairs],
        )
        return [Linked(pair, found) for pair, found in zip(pairs, golds, strict=True)]
    if len(files) != 1 or not _holds_words(files[0]):
        raise UsageError(
            f"{option} takes three files (source, target, links), or one that holds all three "
            "('source ||| target ||| 0-0 1-2', .tsv or .jsonl)."
        )
    return list(_read_whole(files[0], reader))


def _read_whole(path: str, reader: _Reader) -> Iterator[Linked]:
    """Pairs and links of one file."""
    kind = guess_pair_format(path)
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        where = f"{shown(path)}, line {number}"
        try:
            source, target, links = _from_json(line) if kind == "jsonl" else _from_columns(line, kind)
            pair = Pair(reader.sentence(source), reader.sentence(target))
            check_range(links.possible, (len(pair.source), len(pair.target)), where)
        except ValueError as error:
            raise InputError(f"{where}: {error}") from error
        yield Linked(pair, links)


def _from_columns(line: str, kind: str) -> tuple[str, str, GoldAlignment]:
    parts = line.split("\t") if kind == "tsv" else [part.strip() for part in line.split("|||")]
    if len(parts) != 3:
        raise ValueError(f"expected source, target and links, found {len(parts)} columns.")
    return parts[0], parts[1], parse_gold(parts[2])


def _from_json(line: str) -> tuple[list[str], list[str], GoldAlignment]:
    wanted = 'expected {"source": [words], "target": [words], "links": [[0, 0], …]}'
    try:
        record = json.loads(line)
        words = [[str(word) for word in record[side]] for side in ("source", "target")]
        if any(isinstance(record[side], str) for side in ("source", "target")):
            raise TypeError
        if isinstance(
            record.get("gold"), str
        ):  # of the page for annotation: `links` has the possible ones too
            return words[0], words[1], parse_gold(record["gold"])
        sure = frozenset((int(link[0]), int(link[1])) for link in record["links"])
        possible = frozenset((int(link[0]), int(link[1])) for link in record.get("possible", ()))
    except (ValueError, RecursionError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"{wanted}.") from error
    return words[0], words[1], GoldAlignment(sure, possible)


def _read_entries(path: str, reader: _Reader) -> Iterator[Pair]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        parts = line.split("\t")
        if len(parts) < 2:
            raise InputError(
                f"{shown(path)}, line {number}: expected a word or phrase, a TAB and its translation, found "
                f"{line[:40]!r}."
            )
        yield Pair(reader.sentence(parts[0].strip()), reader.sentence(parts[1].strip()))
