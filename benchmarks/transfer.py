"""How many elements of markup go to where people put them, how fast, and whether any string breaks it.

    python benchmarks/transfer.py FOLDER [--pairs 200] [--fuzzed 10000]

FOLDER is a copy of the Salesforce localization XML MT set (GitHub `salesforce/localization-xml-mt`, CC
BY-NC): segments of its development part with tags, in seven languages, placed by professional translators.
The tags of the translation are taken out and put in again, and compared with theirs:

exact       elements whose two tags stand exactly where people put them
structure   segments whose tree of elements is that of the people, as the authors' script counts it
whole       segments in which every element is exact

beside two baselines: links by argmax, each element from the first linked word to the last, and places
proportional to the length of the sentence. Rules were made on segments with even numbers, after a look at the
first segments of each language; the figures of those with odd numbers stand apart. Random strings of markup,
with random links, must come out with each tag once, or be refused. Results go to
benchmarks/results/transfer.json and are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
from fuzzed_markup import TARGETS, carried, random_markup, tags
from machine import describe

from wordalign import Aligner
from wordalign.project.markup.syntax import Element, parse_source
from wordalign.project.markup.transfer import Prepared, finish, prepare, transfer_stream
from wordalign.types import Alignment

HERE = Path(__file__).parent
LANGUAGES = ("de", "fi", "fr", "ja", "nl", "ru", "zh")
_TAG = re.compile(r"</?[a-z]+>")


class Segment(NamedTuple):
    number: int
    source: str
    gold: str

    @property
    def plain(self) -> str:
        return _TAG.sub("", self.gold)


def segments(folder: Path, language: str) -> Iterator[Segment]:
    """The segments of the development part that have tags."""
    place = folder / "data" / f"en{language}"
    sides = [
        json.loads((place / f"en{language}_{side}_dev.json").read_text("utf-8"))["text"]
        for side in ("en", language)
    ]
    for key, source in sides[0].items():
        if _TAG.search(source):
            yield Segment(int(key.rpartition("_")[2]), source, sides[1][key])


def places(written: str) -> Counter[tuple[str, int, int]]:
    """Each element by its tag and its first and last character, without white space at the edges."""
    marked = parse_source(written, "xml")
    shift = [0]
    for sign in marked.text:  # breaks without width stand only where tags are
        shift.append(shift[-1] + (sign != "\u200b"))

    def of(elements: tuple[Element, ...]) -> Iterator[tuple[str, int, int]]:
        for element in elements:
            start, end = element.start, element.end
            while start < end and (marked.text[start].isspace() or marked.text[start] == "\u200b"):
                start += 1
            while start < end and (marked.text[end - 1].isspace() or marked.text[end - 1] == "\u200b"):
                end -= 1
            yield element.opening, shift[start], shift[end]
            yield from of(element.children)

    return Counter(of(marked.elements))


def structure(written: str) -> object:
    def tree(node: ElementTree.Element) -> object:
        return node.tag, [tree(child) for child in node]

    try:
        return tree(ElementTree.fromstring(f"<r>{written}</r>"))
    except ElementTree.ParseError:
        return None


def by_hull(prepared: Prepared, links: Alignment) -> dict[Element, tuple[int, int]]:
    """Each element from the first word that is linked to it to the last; none where there is none."""
    found = {}
    for element, words in words_of(prepared):
        linked = [j for i, j in links.links if i in words]
        if linked:
            found[element] = min(linked), max(linked) + 1
    return found


def by_position(prepared: Prepared) -> dict[Element, tuple[int, int]]:
    """Each element where it would be if the words had the same order and the same number."""
    ratio = len(prepared.pair.target) / max(1, len(prepared.pair.source))
    found = {}
    for element, words in words_of(prepared):
        start = min(round(words.start * ratio), len(prepared.pair.target) - 1)
        found[element] = start, max(start + 1, round(words.stop * ratio))
    return found


def words_of(prepared: Prepared) -> Iterator[tuple[Element, range]]:
    offsets = prepared.pair.source.offsets or ()

    def walk(elements: tuple[Element, ...]) -> Iterator[Element]:
        for element in elements:
            yield element
            yield from walk(element.children)

    for element in walk(prepared.marked.elements):
        inside = [i for i, (start, end) in enumerate(offsets) if end > element.start and start < element.end]
        if inside:
            yield element, range(inside[0], inside[-1] + 1)


def naive(
    prepared: Prepared, found: dict[Element, tuple[int, int]]
) -> tuple[Counter[tuple[str, int, int]], str]:
    """Where a baseline puts the elements, and the translation with their tags, nested or not."""
    offsets = prepared.pair.target.offsets or ()
    at: Counter[tuple[str, int, int]] = Counter()
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    for element, (first, last) in found.items():
        start, end = offsets[first][0], offsets[last - 1][1]
        at[element.opening, start, end] += 1
        opened.setdefault(start, []).append(element.opening)
        closed.setdefault(end, []).insert(0, element.closing)
    pieces = []
    for place in range(len(prepared.target.text) + 1):
        pieces += [*closed.get(place, ()), *opened.get(place, ())]
        pieces.append(prepared.target.written[slice(*prepared.target.places[place : place + 2])])
    return at, "".join(pieces)


class Count:
    def __init__(self) -> None:
        self.elements = self.exact = self.segments = self.structure = self.whole = 0
        self.hits: list[int] = []  # of each segment, in order
        self.sizes: list[int] = []

    def add(self, gold: str, at: Counter[tuple[str, int, int]], written: str) -> None:
        wanted = places(gold)
        self.hits.append((wanted & at).total())
        self.sizes.append(wanted.total())
        hits = (wanted & at).total()
        self.elements += wanted.total()
        self.exact += hits
        self.segments += 1
        self.structure += structure(written) == structure(gold)
        self.whole += hits == wanted.total()

    def shares(self) -> dict[str, float]:
        return {
            "elements": self.elements,
            "segments": self.segments,
            "exact": round(self.exact / self.elements, 4),
            "structure": round(self.structure / self.segments, 4),
            "whole": round(self.whole / self.segments, 4),
        }


def ahead(one: Count, other: Count, samples: int = 2000) -> dict[str, object]:
    """By how much the share of exact elements is larger, with its 95 % interval (paired bootstrap)."""
    sizes, hits = np.array(one.sizes), np.array([one.hits, other.hits])
    drawn = np.random.default_rng(0).integers(0, len(sizes), (samples, len(sizes)))
    gains = (hits[0] - hits[1])[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(gains, (0.025, 0.975))
    gain = (hits[0] - hits[1]).sum() / sizes.sum()
    return {"exact": round(float(gain), 4), "interval": [round(float(low), 4), round(float(high), 4)]}


def quality(folder: Path, model: str) -> dict[str, object]:
    counts: dict[tuple[str, str], Count] = {}
    unsure: Counter[str] = Counter()
    aligner = Aligner(model, method=["calibrated", "argmax"])
    usual, argmax = aligner.methods
    for language in LANGUAGES:
        every = list(segments(folder, language))
        prepared = [prepare(segment.source, segment.plain, "xml") for segment in every]
        found = aligner.stream_methods([one.pair for one in prepared], workers=0)
        for segment, one, links in zip(every, prepared, found, strict=True):
            results = {}
            for name, method in (("transfer", usual), ("argmax links", argmax)):
                done = finish(one, links[method])
                results[name] = places(done.text), done.text
                unsure[name] += len(done.unsure)
            results["argmax, first to last"] = naive(one, by_hull(one, links[argmax]))
            results["relative position"] = naive(one, by_position(one))
            half = "even numbers" if segment.number % 2 == 0 else "odd numbers"
            for name, (at, written) in results.items():
                for group in (language, half, "all"):
                    counts.setdefault((name, group), Count()).add(segment.gold, at, written)
        print(language, counts["transfer", language].shares(), flush=True)
    table: dict[str, object] = {}
    for (name, group), count in counts.items():
        table.setdefault(name, {})[group] = count.shares()  # type: ignore[index]
    return {
        "signature": aligner.signature(usual),
        "systems": table,
        "ahead_of": {
            name: {
                group: ahead(counts["transfer", group], counts[name, group])
                for group in ("odd numbers", "all")
            }
            for name in table
            if name != "transfer"
        },
        "elements_without_a_link": dict(unsure),
    }


def speed(folder: Path, model: str, pairs: int, rounds: int = 7) -> dict[str, object]:
    """Processor time beside that of `align` on the same text without tags, in turn."""
    chosen = [segment for language in LANGUAGES for segment in list(segments(folder, language))[: pairs // 7]]
    aligner = Aligner(model)
    marked = [(segment.source, segment.plain) for segment in chosen]
    plain = [(_TAG.sub("", source), target) for source, target in marked]
    ratios = []
    for _ in range(rounds):
        start = time.process_time()
        aligner.align_batch(plain)
        middle = time.process_time()
        list(transfer_stream(marked, aligner, syntax="xml"))
        ratios.append((time.process_time() - middle) / (middle - start))
    return {
        "pairs": len(chosen),
        "transfer / align": round(median(ratios), 3),
        "of_rounds": [round(ratio, 3) for ratio in ratios],
    }


def fuzz(count: int, seed: int = 0) -> dict[str, int]:
    """Random strings with random links: each must come out with every tag once, or be refused."""
    chance = random.Random(seed)
    outcome: Counter[str] = Counter({"lost or twice": 0})
    for _ in range(count):
        source, syntax = random_markup(chance), chance.choice(("html", "xml", "xliff"))
        target = "".join(chance.choice(TARGETS) for _ in range(chance.randint(0, 14)))
        found = carried(source, target, syntax, chance)
        outcome["refused" if found is None else "carried"] += 1
        outcome["lost or twice"] += found is not None and tags(found.text, syntax) != tags(source, syntax)
    return dict(outcome)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="base")
    parser.add_argument("--pairs", type=int, default=210)
    parser.add_argument("--fuzzed", type=int, default=10_000)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "transfer.json")
    arguments = parser.parse_args()
    result = {
        "machine": describe(),
        "fuzzed": fuzz(arguments.fuzzed),
        "speed": speed(arguments.folder, arguments.model, arguments.pairs),
        "quality": quality(arguments.folder, arguments.model),
    }
    text = json.dumps(result, indent=2, ensure_ascii=False) + "\n"
    print(text)
    arguments.output.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
