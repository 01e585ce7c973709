"""How well `Alignment.score` tells translations from faulty pairs, and how its weights are learned.

    python benchmarks/check.py --text TEXT --gold GOLD --fit    # learns the weights anew, then measures
    python benchmarks/check.py --text TEXT --gold GOLD          # measures

TEXT is a folder of files eng-XXX.tsv.xz (English, TAB, translation), GOLD one of folders eng-XXX with eng.txt
and XXX.txt, whose sentences the bundled models were not trained on. Every good pair is beside one of each
fault:

shuffled        the translation of another sentence, of the length that is nearest
cut             the translation without its second half
added           the translation with that of another sentence behind it
copied          the source once more
half            the second half of the translation is that of the source, not translated
wrong language  the same sentence in a third language (from TEXT, where a sentence stands in several files)

The area under the ROC curve (AUC) says how often a good pair scores above a faulty one. Beside it stand the
ratio of lengths, and the share of words whose translation by a dictionary, made of 20,000 pairs of TEXT by
co-occurrence, stands on the other side. The weights are learned from the last lines of all files of TEXT and
go to src/wordalign/project/score.json, the figures to benchmarks/results/check.json.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
from machine import describe
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from wordalign import Aligner, Alignment
from wordalign.project.check import ENOUGH, TextModel, check_pair, unlinked_stretches
from wordalign.project.score import (
    FEATURES,
    length_ratio,
    stored_weights,
    translation_features,
    translation_score,
)
from wordalign.text import is_punctuation, split_words

HERE = Path(__file__).parent
WEIGHTS = HERE.parent / "src/wordalign/project/score.json"
Words = tuple[str, ...]
Pair = tuple[Words, Words]

TEST_LANGUAGES = ("ces", "deu", "fra", "hin", "ron")
MOST_OF_A_TEST = 300  # pairs
DICTIONARY = 20_000


def lines_of(text: Path, language: str) -> list[tuple[str, str]]:
    with lzma.open(text / f"eng-{language}.tsv.xz", "rt", encoding="utf-8") as stream:
        return [(cells[0], cells[1]) for cells in (line.rstrip("\n").split("\t") for line in stream)]


def words(text: str) -> Words:
    return split_words(text).words


def faulty(pairs: Sequence[Pair], chance: random.Random) -> dict[str, list[Pair]]:
    """A pair of each fault for each good one."""
    by_length = sorted(range(len(pairs)), key=lambda k: (len(pairs[k][1]), k))
    place = {k: position for position, k in enumerate(by_length)}
    found: dict[str, list[Pair]] = defaultdict(list)
    for k, (source, target) in enumerate(pairs):
        position = place[k]
        near = by_length[position + 1] if position + 1 < len(by_length) else by_length[position - 1]
        other = pairs[near][1] if pairs[near][1] != target else chance.choice(pairs)[1]
        half, source_half = len(target) // 2, len(source) // 2
        found["shuffled"].append((source, other))
        found["cut"].append((source, target[: max(1, half)]))
        found["added"].append((source, target + chance.choice(pairs)[1]))
        found["copied"].append((source, source))
        found["half"].append((source, target[:half] + source[source_half:]))
    return dict(found)


def usable(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs of four words and more that are not the same on both sides."""
    return [(s, t) for s, t in pairs if len(s) >= 4 and len(t) >= 4 and s != t]


def learn(aligner: Aligner, text: Path, a_language: int) -> dict[str, object]:
    """The weights of the score and of words without a partner, learned from the last lines of every file."""
    chance = random.Random(0)
    features: list[list[float]] = []
    labels: list[int] = []
    shares: list[float] = []
    word_features: list[list[float]] = []
    word_labels: list[int] = []
    for file in sorted(text.glob("eng-*.tsv.xz")):
        language = file.name[4:7]
        last = lines_of(text, language)[-4 * a_language :]
        pairs = usable((words(source), words(target)) for source, target in last)[:a_language]
        if chance.random() < 0.5:  # which language is the source must not matter
            pairs = [pair[::-1] for pair in pairs]
        good = aligner.align_batch(pairs)
        # One half learns with the usual ratio of lengths, and the other without it, as the score is used.
        usual = float(np.median([length_ratio(alignment) for alignment in good])) * (chance.random() < 0.5)
        bad = faulty(pairs, chance)
        found = {kind: aligner.align_batch(made) for kind, made in bad.items()}
        for alignments, label, share in [(good, 1, 1.0), *((one, 0, 1 / len(bad)) for one in found.values())]:
            features += [translation_features(alignment, usual) for alignment in alignments]
            labels += [label] * len(alignments)
            shares += [share] * len(alignments)
        for whole, cut in zip(good, found["cut"], strict=True):
            for feature, label in (*words_that_were_cut(whole, whole), *words_that_were_cut(whole, cut)):
                word_features.append(feature)
                word_labels.append(label)
        print(language, len(pairs), flush=True)
    weights = logistic(features, labels, shares, SIGNS)
    of_words = logistic(word_features, word_labels, [1.0] * len(word_labels), [0, 1, 1, 1])
    return {
        "made_by": "benchmarks/check.py --fit",
        "model": aligner.encoder.signature,
        "pairs": int(sum(labels)),
        "weights": {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)},
        "untranslated": [round(float(weight), 4) for weight in of_words],
    }


# Whether a feature may speak for (1) or against (-1) a translation, so that the score does what its reader
# expects also where nothing like it was learned from.
SIGNS = [0, 1, -1, -1, -1, 0, -1, -1, -1]


def logistic(
    features: Sequence[Sequence[float]], labels: Sequence[int], shares: Sequence[float], signs: Sequence[int]
) -> np.ndarray:
    """Logistic regression whose weights have given signs (0 is either)."""
    plain = np.array(features)
    scale = plain.std(axis=0)
    scale[scale == 0] = 1
    x, sign, share = plain / scale, 2 * np.array(labels) - 1, np.array(shares)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (x @ weights)
        value = (share * np.logaddexp(0, -margin)).sum() + 0.05 * (weights[1:] ** 2).sum()
        slope = -(x.T @ (share * sign / (1 + np.exp(np.clip(margin, -500, 500)))))
        slope[1:] += 0.1 * weights[1:]
        return value, slope

    bounds = [{1: (0, None), -1: (None, 0), 0: (None, None)}[sign] for sign in signs]
    start = np.zeros(plain.shape[1])
    return (
        minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 5000}).x / scale
    )


def words_that_were_cut(whole: Alignment, cut: Alignment) -> Iterable[tuple[list[float], int]]:
    """The features of each unlinked source word of a pair that was cut, and 1 where its partner is gone."""
    partners = defaultdict(set)
    for (i, j), probability in zip(whole.links, whole.scores, strict=True):
        if probability > 0.5:
            partners[i].add(j)
    for stretch, features in unlinked_stretches(cut, 0):
        for k in stretch:
            yield features, int(bool(partners[k]) and min(partners[k]) >= len(cut.target))


Score = Callable[[Alignment, int], float]  # of an alignment and its number


def dictionary_of(pairs: Iterable[Pair]) -> dict[str, set[str]]:
    """For each word the three words of the other language that stand most often beside it (Dice)."""
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    of_source: Counter[str] = Counter()
    of_target: Counter[str] = Counter()
    for source, target in pairs:
        left, right = (
            {word.lower() for word in side if not is_punctuation(word)} for side in (source, target)
        )
        of_source.update(left)
        of_target.update(right)
        for word in left:
            beside[word].update(right)
    return {
        word: set(
            sorted(found, key=lambda other: -2 * found[other] / (of_source[word] + of_target[other]))[:3]
        )
        for word, found in beside.items()
    }


def baselines(pairs: Sequence[Pair]) -> dict[str, Score]:
    """The scores that this one is compared with, learned from other pairs of the two languages."""
    ratios = [math.log(characters(target) / characters(source)) for source, target in pairs]
    usual = float(np.median(ratios))
    dictionaries = dictionary_of(pairs), dictionary_of((target, source) for source, target in pairs)

    def ratio(found: Alignment, _: int) -> float:
        return -abs(math.log(characters(found.target.words) / characters(found.source.words)) - usual)

    def dictionary(found: Alignment, _: int) -> float:
        sides = [
            {word.lower() for word in sentence.words if not is_punctuation(word)}
            for sentence in (found.source, found.target)
        ]
        known = [
            sum(bool(entries.get(word, set()) & sides[1 - side]) for word in sides[side])
            / max(1, len(sides[side]))
            for side, entries in enumerate(dictionaries)
        ]
        return min(known)

    return {"length ratio": ratio, "dictionary": dictionary}


def characters(side: Words) -> int:
    return sum(map(len, side)) + 1


def in_a_text(good: Sequence[Alignment]) -> Score:
    """The score of a pair of a text, whose languages and lengths are learned from the other half of it.

    Nothing is learned where that is too short.
    """
    others = [good[1 - half :: 2] for half in (0, 1)]
    models = [TextModel.of(other) if len(other) >= ENOUGH else None for other in others]
    return lambda found, k: check_pair(found, models[k % 2]).score


def measure(aligner: Aligner, text: Path, gold: Path) -> dict[str, object]:
    """The AUC of each score for each fault and language, and how well the score is calibrated."""
    chance = random.Random(1)
    by_language: dict[str, dict[str, dict[str, float]]] = {}
    scored: list[tuple[float, int, float]] = []
    for place, language in enumerate(TEST_LANGUAGES):
        folder = gold / f"eng-{language}"
        sides = [(folder / f"{name}.txt").read_text("utf-8").splitlines() for name in ("eng", language)]
        split = [[tuple(line.split()) for line in side] for side in sides]
        pairs = usable(zip(*split, strict=True))[:MOST_OF_A_TEST]
        lines = lines_of(text, language)
        known = [(words(source), words(target)) for source, target in lines[:DICTIONARY]]
        good = aligner.align_batch(pairs)
        bad = {kind: aligner.align_batch(made) for kind, made in faulty(pairs, chance).items()}
        scores: dict[str, Score] = {
            "score": lambda found, _: translation_score(found),
            "in a text": in_a_text(good),
            **baselines(known),
        }
        scored += [(translation_score(found), 1, 1.0) for found in good]
        scored += [(translation_score(one), 0, 1 / len(bad)) for found in bad.values() for one in found]
        table = {kind: auc(good, found, scores) for kind, found in bad.items()}
        third = TEST_LANGUAGES[(place + 1) % len(TEST_LANGUAGES)]
        right, wrong = in_two_languages(lines[DICTIONARY:], lines_of(text, third))
        right, wrong = aligner.align_batch(right), aligner.align_batch(wrong)
        table["wrong language"] = auc(right, wrong, {**scores, "in a text": in_a_text(right)})
        by_language[language] = table
        print(language, json.dumps(table), flush=True)
    kinds, names = table, table["cut"]
    mean = {
        kind: {
            name: round(float(np.mean([by_language[one][kind][name] for one in by_language])), 4)
            for name in names
        }
        for kind in kinds
    }
    return {"auc": mean, "by_language": by_language, "calibration": calibration(scored)}


def auc(good: Sequence[Alignment], bad: Sequence[Alignment], scores: dict[str, Score]) -> dict[str, float]:
    labels = [1] * len(good) + [0] * len(bad)
    found = {
        name: [score(alignment, k) for side in (good, bad) for k, alignment in enumerate(side)]
        for name, score in scores.items()
    }
    return {name: round(float(roc_auc_score(labels, values)), 4) for name, values in found.items()}


def in_two_languages(
    lines: Sequence[tuple[str, str]], third: Sequence[tuple[str, str]]
) -> tuple[list[Pair], list[Pair]]:
    """Pairs of the language, and the same English sentences with their translation into the third one."""
    other = dict(third)
    shared = [(source, target) for source, target in lines if source in other and len(source.split()) > 4][
        :300
    ]
    right = [(words(source), words(target)) for source, target in shared]
    return right, [(words(source), words(other[source])) for source, _ in shared]


def calibration(scored: Sequence[tuple[float, int, float]]) -> dict[str, object]:
    """Of the pairs with a score of about p, how many are good? Half of all pairs are good ones."""
    values, labels, shares = map(np.array, zip(*scored, strict=True))
    tenth = np.minimum((values * 10).astype(int), 9)
    rows, error = [], 0.0
    for k in range(10):
        inside = tenth == k
        if inside.any():
            share = shares[inside]
            said, true = np.average(values[inside], weights=share), np.average(labels[inside], weights=share)
            rows.append(
                {"said": round(float(said), 3), "true": round(float(true), 3), "pairs": int(inside.sum())}
            )
            error += abs(said - true) * share.sum() / shares.sum()
    return {"expected_calibration_error": round(float(error), 4), "tenths": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--fit", action="store_true", help="learn the weights anew")
    parser.add_argument("--pairs", type=int, default=100, help="of each language to learn from")
    arguments = parser.parse_args()
    base = Aligner()
    if arguments.fit:
        WEIGHTS.write_text(json.dumps(learn(base, arguments.text, arguments.pairs), indent=1) + "\n", "utf-8")
        stored_weights.cache_clear()
    results = {
        "machine": describe(),
        "base": {"signature": base.signature(), **measure(base, arguments.text, arguments.gold)},
    }
    tiny = Aligner("tiny")
    results["tiny"] = {"signature": tiny.signature(), **measure(tiny, arguments.text, arguments.gold)}
    (HERE / "results/check.json").write_text(json.dumps(results, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
