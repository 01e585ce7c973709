"""The publishers' layouts -> sentences and links in one shape: English first, counted from 0.

    wpt      `<s snum=0001> the house </s>` in two files, `0001 1 1 S` in a third (Mihalcea and Pedersen 2003)
    lines    two files of sentences and one of links, line by line: `1-1 2p3` or `1-1 2?3`
    bars     `das Haus ||| the house` in one file, links in another, perhaps for its first lines only
    tsv      sentence, translation and links in three columns
    tagged   <english>, <czech>, <sure> and <possible> inside <s>, with unescaped & and < in the text
    folder   this project's own: eng.txt, deu.txt, gold.txt

A link listed as sure and as possible is sure; one listed twice counts once; one to a word that is not there
is left out, and a note says how many. If there are many of those, the links are not what they were taken
for, and the set is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from wordalign.data.archive import Members
from wordalign.data.gold import GOLD_FILE
from wordalign.data.sets import DataSet
from wordalign.errors import InputError
from wordalign.io.gold import parse_gold
from wordalign.types import GoldAlignment, Link

MOST_OUT_OF_RANGE = 0.01

_WORD = re.compile(r"[^ \t\r\n]+")  # other white space, such as a no-break space, belongs to a word
_SNUM = re.compile(r"<s\s+snum=\"?(\d+)\"?\s*>(.*?)</s>", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<s\b[^>]*>(.*?)</s>", re.DOTALL)


class SetSize(NamedTuple):
    """How large a set is; `possible` counts the links that are possible and not sure."""

    sentences: int
    sure: int
    possible: int


@dataclass(frozen=True, slots=True)
class Aligned:
    """A pair with its gold links."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    gold: GoldAlignment

    def gold_line(self) -> str:
        """The links as in `0-0 1p2`, where `-` is sure and `p` is possible."""
        sure, links = self.gold.sure, sorted(self.gold.possible)
        return " ".join(f"{i}{'-' if (i, j) in sure else 'p'}{j}" for i, j in links)


@dataclass(frozen=True, slots=True)
class Listed:
    """A pair as its publisher has it: links in the publisher's order and numbers."""

    where: str
    source: str
    target: str
    gold: GoldAlignment


Reader: TypeAlias = Callable[[Members, DataSet], Iterator[Listed]]


def patterns(data_set: DataSet) -> tuple[str, ...]:
    """The patterns of the files that `convert` reads."""
    given = (data_set.source, data_set.target, data_set.gold)
    return (*filter(None, given), *_own_files(data_set))


def convert(members: Members, data_set: DataSet) -> tuple[list[Aligned], list[str]]:
    """The pairs of a set, and notes of what was changed on the way, one sentence each."""
    own = members.has(f"*/{GOLD_FILE}")
    listed = list(READERS["folder" if own else data_set.layout](members, data_set))
    links = [link for pair in listed for link in pair.gold.possible]
    if not links:
        raise InputError(f"The download of {data_set.name} holds no links: it is not the set.")
    base = 0 if own else data_set.base
    if base is None:
        base = min(1, *map(min, links))
    settled = [_settle(pair, base, data_set.swapped and not own) for pair in listed]
    outside = [link for _, missing in settled for link in missing]
    if len(outside) > MOST_OUT_OF_RANGE * len(links):
        raise InputError(
            f"{len(outside):,} of the {len(links):,} links of {data_set.name} point to words that are not "
            f"there (first: {outside[0]}): the files do not belong together, or their layout has changed."
        )
    notes = [f"Left out a link to a word that is not there: {link}." for link in outside]
    return [pair for pair, _ in settled], notes


def count(pairs: Iterable[Aligned]) -> SetSize:
    sentences = sure = possible = 0
    for pair in pairs:
        sentences += 1
        sure += len(pair.gold.sure)
        possible += len(pair.gold.possible - pair.gold.sure)
    return SetSize(sentences, sure, possible)


def _settle(pair: Listed, base: int, swapped: bool) -> tuple[Aligned, list[str]]:
    """The pair with English first and counted from 0, and its links to words that are not there."""
    source, target = (tuple(_WORD.findall(side)) for side in (pair.source, pair.target))

    def moved(link: Link) -> Link:
        i, j = reversed(link) if swapped else link
        return i - base, j - base

    inside, outside = set(), []
    for link in sorted(pair.gold.possible):
        i, j = moved(link)
        if 0 <= i < len(source) and 0 <= j < len(target):
            inside.add((i, j))
        else:
            outside.append(f"{link[0]}-{link[1]} of {pair.where}")
    sure = frozenset(map(moved, pair.gold.sure)) & inside
    return Aligned(source, target, GoldAlignment(sure, frozenset(inside))), outside


def _read_wpt(members: Members, data_set: DataSet) -> Iterator[Listed]:
    source = _numbered_sentences(members, data_set.source, data_set.encoding)
    target = _numbered_sentences(members, data_set.target, data_set.encoding)
    if source.keys() != target.keys():
        odd = min(source.keys() ^ target.keys())
        raise InputError(f"Sentence {odd} of {data_set.name} is there in one language only.")
    sure: dict[int, set[Link]] = {number: set() for number in source}
    possible: dict[int, set[Link]] = {number: set() for number in source}
    for name, content in members.matching(data_set.gold):
        for at, line in enumerate(_text(name, content, "ascii").splitlines(), start=1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) < 3 or not all(field.isdigit() for field in fields[:3]):
                raise InputError(f"{name}, line {at}: expected `sentence word word S`, found {line[:60]!r}.")
            number, i, j = map(int, fields[:3])
            if number not in source:
                raise InputError(f"{name}, line {at}: there is no sentence {number}.")
            (possible if fields[3:4] == ["P"] else sure)[number].add((i, j))
    for number in sorted(source):
        gold = GoldAlignment(frozenset(sure[number]), frozenset(possible[number]))
        yield Listed(f"sentence {number}", source[number], target[number], gold)


def _numbered_sentences(members: Members, pattern: str, encoding: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for name, content in members.matching(pattern):
        for number, text in _SNUM.findall(_text(name, content, encoding)):
            if int(number) in found:
                raise InputError(f"{name} has a second sentence {number}: the files do not belong together.")
            found[int(number)] = text
    return found


def _read_lines(members: Members, data_set: DataSet) -> Iterator[Listed]:
    yield from _beside(
        data_set.name,
        _lines(members, data_set.source, data_set.encoding),
        _lines(members, data_set.target, data_set.encoding),
        _lines(members, data_set.gold, "ascii"),
    )


def _read_folder(members: Members, data_set: DataSet) -> Iterator[Listed]:
    source, target, gold = (_lines(members, pattern, "utf-8") for pattern in _own_files(data_set))
    yield from _beside(data_set.name, source, target, gold)


def _read_bars(members: Members, data_set: DataSet) -> Iterator[Listed]:
    gold = _lines(members, data_set.gold, "ascii")
    texts = _lines(members, data_set.source, data_set.encoding)[: len(gold)]
    sides = [text.partition("|||") for text in texts]
    source, target = [left for left, _, _ in sides], [right for _, _, right in sides]
    if data_set.swapped:
        source, target = target, source
    yield from _beside(data_set.name, source, target, gold)


def _read_tsv(members: Members, data_set: DataSet) -> Iterator[Listed]:
    rows = [row.split("\t") for row in _lines(members, data_set.source, data_set.encoding)]
    for at, row in enumerate(rows, start=1):
        if len(row) < 3:
            raise InputError(f"{data_set.name}, line {at}: expected three columns, found {len(row)}.")
    yield from _beside(data_set.name, *([row[column] for row in rows] for column in range(3)))


def _read_tagged(members: Members, data_set: DataSet) -> Iterator[Listed]:
    for name, content in members.matching(data_set.source):
        pairs = _TAGGED.findall(_text(name, content, data_set.encoding))
        for at, pair in enumerate(pairs, start=1):
            where = f"{name}, sentence {at}"
            sure, possible = (_links(_tag(pair, tag), where) for tag in ("sure", "possible"))
            gold = GoldAlignment(sure.possible, possible.possible)
            yield Listed(where, _tag(pair, "english"), _tag(pair, "czech"), gold)


READERS: dict[str, Reader] = {
    "wpt": _read_wpt,
    "lines": _read_lines,
    "bars": _read_bars,
    "tsv": _read_tsv,
    "tagged": _read_tagged,
    "folder": _read_folder,
}


def _tag(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return found[1] if found else ""


def _beside(name: str, source: list[str], target: list[str], gold: list[str]) -> Iterator[Listed]:
    if not len(source) == len(target) == len(gold):
        raise InputError(
            f"The files of {name} are not parallel: {len(source):,} and {len(target):,} lines of text, "
            f"{len(gold):,} of links."
        )
    rows = list(zip(source, target, gold, strict=True))
    while rows and not any(map(_WORD.search, rows[-1])):  # empty lines at the end of all files
        rows.pop()
    for at, (left, right, links) in enumerate(rows, start=1):
        where = f"sentence {at}"
        yield Listed(where, left, right, _links(links, where))


def _links(text: str, where: str) -> GoldAlignment:
    try:
        return parse_gold(text)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from error


def _lines(members: Members, pattern: str, encoding: str) -> list[str]:
    """The lines of the one file that fits the pattern."""
    (name, content), *more = members.matching(pattern)
    if more:
        raise InputError(f"The download has more than one file {pattern}: {name}, {more[0][0]}.")
    lines = _text(name, content, encoding).removesuffix("\n").split("\n")
    return [line.removesuffix("\r") for line in lines]


def _text(name: str, content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {line}: not {encoding}; it is not the file that was expected."
        ) from error


def _own_files(data_set: DataSet) -> tuple[str, str, str]:
    source, target = data_set.languages
    return f"*/{source}.txt", f"*/{target}.txt", f"*/{GOLD_FILE}"
