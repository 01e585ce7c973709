"""How many errors an annotator finds who looks at the least certain places first.

    python benchmarks/active.py --dev DEV --test TEST

DEV and TEST are folders of sets with links made by hand, each with two texts of words between spaces and
gold.txt. A place is a link that the method suggests, or one of a probability of at least 0.05 that it does
not suggest: what the page for annotation shows as doubtful. An error is a suggested link that is not even
possible, or a sure link that is not suggested; sure links of a lower probability are errors, too, which no
place shows.

Places are looked at in the order of the probability that the suggestion is wrong there, as many as a tenth
(and other shares) of the suggested links. Beside it stands what the same number of places taken at random
would find (its expectation), which share of the places looked at was wrong, and the AER before and after
what was found is corrected. `half_of_the_errors` is how many places, as a share of the links, show half of
all errors. Figures go to benchmarks/results/active.json.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from machine import describe

from wordalign import Aligner
from wordalign.evaluate import Counts, count, score
from wordalign.io.gold import read_gold
from wordalign.types import GoldAlignment, Link

RESULTS = Path(__file__).parent / "results/active.json"
FAINT = 0.05
SHARES = (0.05, 0.1, 0.2)
SILVER = ("silver", "composed", "eng-eng")  # not made by hand, or not of two languages


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--model", default="base")
    parser.add_argument("--most", type=int, default=600, help="pairs of a set (default: %(default)s)")
    arguments = parser.parse_args()
    everything = f"calibrated:always={FAINT},mutual={FAINT}"
    aligner = Aligner(arguments.model, method=["calibrated", everything])
    sets: dict[str, dict[str, Any]] = {"dev": {}, "test": {}}
    for kind, folder in (("dev", arguments.dev), ("test", arguments.test)):
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not any(name in path.name for name in SILVER):
                sets[kind][path.name] = found = measure(aligner, path, arguments.most)
                tenth = found["looked_at"]["0.1"]
                print(f"{path.name}: {tenth['found']:.2f} of the errors, at random {tenth['at_random']:.2f}")
    signature = aligner.signature(aligner.methods[0])
    RESULTS.write_text(
        json.dumps({"machine": describe(), "signature": signature, "sets": sets}, indent=1) + "\n", "utf-8"
    )


def measure(aligner: Aligner, folder: Path, most: int) -> dict[str, Any]:
    pairs, golds = read_set(folder, most)
    doubts: list[float] = []
    wrong: list[bool] = []
    places: list[tuple[int, Link]] = []
    suggestions: list[set[Link]] = []
    hidden = 0
    for number, (by_method, gold) in enumerate(zip(aligner.stream_methods(pairs), golds, strict=True)):
        suggested, every = by_method.values()
        links = set(suggested.links)
        suggestions.append(links)
        probability = dict(zip(every.links, every.scores, strict=True))
        probability |= dict(zip(suggested.links, suggested.scores, strict=True))
        for place, score_ in probability.items():
            linked = place in links
            places.append((number, place))
            doubts.append(1 - score_ if linked else score_)
            wrong.append(place not in gold.possible if linked else place in gold.sure)
        hidden += len(gold.sure - probability.keys())
    order = np.argsort(-np.array(doubts), kind="stable")
    is_wrong = np.array(wrong)[order]
    errors = int(is_wrong.sum()) + hidden
    links_of_all = sum(map(len, suggestions))
    looked_at = {}
    for share in SHARES:
        budget = round(share * links_of_all)
        corrected = [set(links) for links in suggestions]
        for index in order[:budget]:
            if wrong[index]:
                number, place = places[index]
                corrected[number] ^= {place}
        looked_at[str(share)] = {
            "places": budget,
            "found": round(float(is_wrong[:budget].sum()) / errors, 4),
            "wrong": round(float(is_wrong[:budget].mean()), 4),
            "wrong_at_random": round(float(is_wrong.mean()), 4),
            "at_random": round(budget / len(wrong) * float(is_wrong.sum()) / errors, 4),
            "aer_after": round(aer(golds, corrected), 4),
        }
    half = int(np.searchsorted(is_wrong.cumsum(), errors / 2)) + 1
    return {
        "half_of_the_errors": round(half / links_of_all, 4) if half <= len(wrong) else None,
        "pairs": len(golds),
        "links": links_of_all,
        "places": len(wrong),
        "errors": errors,
        "errors_at_no_place": hidden,
        "aer": round(aer(golds, suggestions), 4),
        "looked_at": looked_at,
    }


def read_set(folder: Path, most: int) -> tuple[list[tuple[list[str], list[str]]], list[GoldAlignment]]:
    names = folder.name.split(".")[0].split("-")
    texts = [_words(folder / f"{name}.txt") for name in names]
    golds = read_gold(folder / "gold.txt", report=lambda _: None)
    rows = [(source, target, gold) for source, target, gold in zip(*texts, golds, strict=True)][:most]
    return [(source, target) for source, target, _ in rows], [gold for *_, gold in rows]


def _words(path: Path) -> Iterator[list[str]]:
    return (line.split() for line in path.read_text("utf-8").splitlines())


def aer(golds: list[GoldAlignment], predictions: list[set[Link]]) -> float:
    total = Counts()
    for gold, links in zip(golds, predictions, strict=True):
        total += count(gold, links)
    return score(total).aer


if __name__ == "__main__":
    main()
