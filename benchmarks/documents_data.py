"""Texts whose alignment is known, for `documents.py`: with gold groups of sentences or gold links."""

from __future__ import annotations

import ast
import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from wordalign.documents import Text
from wordalign.io.gold import read_gold
from wordalign.io.lines import read_lines
from wordalign.types import GoldAlignment

Bead = tuple[tuple[int, ...], tuple[int, ...]]


class Grouped(NamedTuple):
    """Two texts with their sentences, and which of these belong together."""

    source: Text
    target: Text
    gold: list[Bead]


def text_of_lines(lines: Sequence[str], language: str = "") -> Text:
    """A text whose sentences are these lines."""
    spans, place = [], 0
    for line in lines:
        spans.append((place, place + len(line)))
        place += len(line) + 1
    return Text("\n".join(lines), tuple(spans), (0,) * len(spans), language)


def bleualign_set(folder: Path, name: str) -> Grouped:
    """One of the sets in Vecalign's `bleualign_data`: `dev` is the year 1957, `test0` … `test6` are 1989."""
    sides = [
        text_of_lines([line.strip() for line in read_lines(folder / f"{name}.{side}")])
        for side in ("de", "fr")
    ]
    gold = []
    for line in read_lines(folder / f"{name}.defr"):
        one, other = line.strip().split(":")[:2]
        gold.append((tuple(ast.literal_eval(one)), tuple(ast.literal_eval(other))))
    return Grouped(sides[0], sides[1], gold)


def transread_set(folder: Path) -> Grouped:
    """A novel of TransRead's `dat/novels` (Xu and Yvon 2016): the part of it that was aligned by hand."""
    one, other = folder.name.split("_")[1].lower().split("-")
    files = [next(folder.glob(f"cut_*_{side}.xml")) for side in (one, other)]
    return _cross_linked(files[0], files[1], next(folder.glob("*_sent_align_*.xml")))


def mac_sets(folder: Path) -> list[Grouped]:
    """The chapters of MAC's `dev` or `test` (Liu and Zhu 2023): English translations of Chinese novels."""
    found = []
    for path in sorted(folder.glob("intertext/*_zh.*_en.xml")):
        chinese, english = path.stem.split("_zh.")
        target, source = (
            path.with_name(f"{name}.xml")
            for name in (f"{chinese}_zh", f"{chinese.rsplit('.', 1)[0]}.{english}")
        )
        found.append(_cross_linked(source, target, path))
    return found


def _cross_linked(source: Path, target: Path, links: Path) -> Grouped:
    """Two files of sentences with names, and one that says which of these belong together."""
    numbers: list[dict[str, int]] = []
    texts: list[Text] = []
    for path in (source, target):
        sentences = list(ElementTree.parse(path).iter("s"))
        numbers.append({sentence.attrib["id"]: number for number, sentence in enumerate(sentences)})
        texts.append(
            text_of_lines([" ".join(" ".join(sentence.itertext()).split()) for sentence in sentences])
        )
    gold: list[Bead] = []
    for link in ElementTree.parse(links).iter("link"):
        sides = [
            tuple(known[name] for name in names.split() if name in known)
            for names, known in zip(link.attrib["xtargets"].split(";"), numbers, strict=True)
        ]
        if any(sides):
            gold.append((sides[0], sides[1]))
    return Grouped(texts[0], texts[1], gold)


def disturbed(pairs: Iterable[tuple[str, str]], seed: int) -> Grouped:
    """Pairs of sentences as two texts in which some were joined and left out, at random but always the same.

    One pair of four is joined with the next one on one side, one of sixteen on both in different places; one
    sentence of twelve has no partner, and once in the text ten in a row have none.
    """
    dice = random.Random(seed)
    sides: tuple[list[str], list[str]] = [], []
    gold: list[Bead] = []
    queue = list(pairs)
    gap = dice.randrange(max(1, len(queue) - 10))
    at = 0
    while at < len(queue):
        draw = dice.random()
        if gap <= at < gap + 10 or draw < 1 / 12:
            side = 0 if gap % 2 else 1
            if not gap <= at < gap + 10:
                side = dice.randrange(2)
            bead: list[tuple[int, ...]] = [(), ()]
            bead[side] = (len(sides[side]),)
            sides[side].append(queue[at][side])
            gold.append((bead[0], bead[1]))
            at += 1
        elif draw < 1 / 3 and at + 1 < len(queue):
            whole = dice.randrange(2)  # this side has both sentences in one
            one = (len(sides[whole]),)
            two = (len(sides[1 - whole]), len(sides[1 - whole]) + 1)
            sides[whole].append(queue[at][whole] + " " + queue[at + 1][whole])
            sides[1 - whole].extend([queue[at][1 - whole], queue[at + 1][1 - whole]])
            gold.append((one, two) if whole == 0 else (two, one))
            at += 2
        else:
            gold.append(((len(sides[0]),), (len(sides[1]),)))
            sides[0].append(queue[at][0])
            sides[1].append(queue[at][1])
            at += 1
    return Grouped(text_of_lines(sides[0]), text_of_lines(sides[1]), gold)


class Linked(NamedTuple):
    """Tokenised sentences of two languages, with gold links."""

    source: list[list[str]]
    target: list[list[str]]
    gold: list[GoldAlignment]


def linked_set(folder: Path) -> Linked:
    """A folder of `eng.txt`, another language, and `gold.txt`."""
    texts = sorted(
        path for path in folder.glob("*.txt") if path.name.count(".") == 1 and path.name != "gold.txt"
    )
    first = next(path for path in texts if path.stem in ("eng", "eng1", "por"))
    second = next(path for path in texts if path != first)
    sides = [[line.split() for line in read_lines(path)] for path in (first, second)]
    return Linked(sides[0], sides[1], list(read_gold(folder / "gold.txt")))


def strict_and_lax(gold: Sequence[Sequence[Bead]], found: Sequence[Sequence[Bead]]) -> dict[str, float]:
    """Precision, recall and F1 of groups (Sennrich and Volk 2010; Thompson and Koehn 2019).

    Strictly, a group is right if it is one of the gold groups; laxly, if it shares a sentence of both sides
    with one. Sentences without a partner count for precision alone.
    """
    counts = {kind: [0, 0, 0, 0] for kind in ("strict", "lax")}  # right, found, recalled, wanted
    for one, other in zip(gold, found, strict=True):
        for place, (judged, reference) in enumerate(((other, one), (_full(one), _full(other)))):
            known = set(reference)
            partners: dict[int, set[int]] = {}
            for source, target in reference:
                for i in source:
                    partners.setdefault(i, set()).update(target)
            for bead in set(judged):
                strict = bead in known
                lax = strict or any(partners.get(i, set()) & set(bead[1]) for i in bead[0])
                for kind, right in (("strict", strict), ("lax", lax)):
                    counts[kind][2 * place] += right
                    counts[kind][2 * place + 1] += 1
    result = {}
    for kind, (right, judged_count, recalled, wanted) in counts.items():
        precision, recall = right / max(1, judged_count), recalled / max(1, wanted)
        result[f"{kind} precision"], result[f"{kind} recall"] = precision, recall
        result[f"{kind} F1"] = 2 * precision * recall / max(1e-9, precision + recall)
    return {name: round(value, 4) for name, value in result.items()}


def _full(beads: Sequence[Bead]) -> list[Bead]:
    return [bead for bead in beads if bead[0] and bead[1]]
