"""Languages that a model was never trained on: are they noticed, and which links are best there?

    python -m training.untrained --model MODEL --dev GOLD-DEV --catalogues FOLDER [--report report.json]

FOLDER holds Python packages as wheels that bring message catalogues in many languages (Django, Wagtail,
Sphinx …). Of each language, parts of 50 messages of three words and more are judged as `Aligner.doubt` judges
them. There are no gold links in such languages, so the second question is asked of development sets in Latin
letters, where a share of the other language's words is respelt: vowels become other vowels, and consonants
other consonants.
"""

from __future__ import annotations

import argparse
import gettext
import io
import json
import re
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from training.metrics import GoldSet, links_of, read_sets, score_links
from training.similarity import similarities
from wordalign import Aligner, Pair
from wordalign.encoders.base import Encoder
from wordalign.encoders.calibration import Calibration
from wordalign.links import argmax, calibrated
from wordalign.links.doubt import ENOUGH_PAIRS, long_enough, mean_best, surplus_pieces
from wordalign.text import split_words
from wordalign.text.situations import situation_of

MOST_PARTS = 6  # of a language
SHARES = (0.0, 0.3, 0.6, 1.0)
RESPELT = str.maketrans("aeioubcdfghjklmnpqrstvwxyz", "uoaiezxwvtsrqpnmlkjhgfdcby")
_CATALOGUE = re.compile(r"/locale/([^/]+)/LC_MESSAGES/[^/]+\.mo$")
_MARKUP = re.compile(r"%\([^)]*\)[a-z]|%[a-z]|\{[^}]*\}|<[^>]*>|&[a-z]+;")


def read_catalogues(folder: Path) -> dict[str, list[Pair]]:
    """The messages of all wheels by locale, English first, without placeholders and markup."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if place := _CATALOGUE.search(name):
                    found[place[1]].update(_messages(archive.read(name)))
    return {
        locale: [
            pair for pair in map(_pair, *zip(*sorted(messages.items()), strict=True)) if long_enough(pair)
        ]
        for locale, messages in sorted(found.items())
        if messages
    }


def _messages(catalogue: bytes) -> Iterator[tuple[str, str]]:
    stored = gettext.GNUTranslations(io.BytesIO(catalogue))._catalog  # type: ignore[attr-defined]
    for key, translation in stored.items():
        # Plural forms are numbered; a context stands before the message.
        english = str(key[0] if isinstance(key, tuple) else key).split("\x04")[-1]
        if english and translation and english != translation:
            yield english, translation


def _pair(english: str, translation: str) -> Pair:
    return Pair(*(split_words(_MARKUP.sub(" ", text)) for text in (english, translation)))


def judge(aligner: Aligner, pairs: list[Pair]) -> dict[str, Any]:
    """How many parts of 50 pairs are doubtful, and the mean of both signs."""
    parts = [pairs[start : start + ENOUGH_PAIRS] for start in range(0, len(pairs), ENOUGH_PAIRS)]
    parts = [part for part in parts if len(part) == ENOUGH_PAIRS][:MOST_PARTS]
    best = [mean_best(part, aligner.matrices(part), aligner.encoder) for part in parts]
    pieces = [surplus_pieces([pair.target.words for pair in part], aligner.encoder) for part in parts]
    return {
        "parts": len(parts),
        "doubtful": sum(aligner.doubt(part) is not None for part in parts),
        "best link": round(float(np.mean(best)), 3),
        "pieces beyond limit": round(float(np.mean(pieces)), 3),
    }


def is_respellable(gold: GoldSet) -> bool:
    """Whether the other language is not English, and written in Latin letters."""
    if gold.name.startswith("eng-eng"):
        return False
    text = "".join(word for words in gold.other for word in words)
    return 2 * len(re.findall("[a-z]", text)) > len(text)


def respelt(gold: GoldSet, share: float) -> GoldSet:
    """The set with that share of the other language's distinct words in other letters."""

    def changed(word: str) -> str:
        lower = word.lower()
        return lower.translate(RESPELT) if zlib.crc32(lower.encode()) % 1000 < 1000 * share else word

    return replace(gold, other=[[changed(word) for word in words] for words in gold.other])


def score_methods(
    gold: GoldSet, encoder: Encoder, thresholds: dict[str, float]
) -> dict[str, dict[str, float]]:
    """Precision, recall and AER of links with the model's thresholds, and with lower ones for mutual best."""
    assert encoder.calibration is not None
    found = similarities(gold, encoder)
    curves = [
        encoder.calibration.in_situation(situation_of(*words))
        for words in zip(gold.english, gold.other, strict=True)
    ]
    methods: dict[str, Callable[[np.ndarray, Calibration], np.ndarray]] = {
        "calibrated": partial(_links, **thresholds),
        "calibrated:mutual=0.2": partial(_links, **{**thresholds, "mutual": 0.2}),
        "argmax": lambda matrix, curve: argmax(matrix),
    }
    return {
        name: score_links(gold, [links_of(method(*given)) for given in zip(found, curves, strict=True)])
        for name, method in methods.items()
    }


def _links(matrix: np.ndarray, curve: Calibration, always: float, mutual: float) -> np.ndarray:
    return calibrated(matrix, always, mutual, calibration=curve)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--catalogues", type=Path, required=True)
    parser.add_argument("--report", type=Path)
    arguments = parser.parse_args()
    aligner = Aligner(str(arguments.model))
    wheels = [wheel.name for wheel in sorted(arguments.catalogues.glob("*.whl"))]
    report: dict[str, Any] = {"model": aligner.encoder.signature, "catalogues": wheels, "locales": {}}
    for locale, pairs in read_catalogues(arguments.catalogues).items():
        if len(pairs) >= ENOUGH_PAIRS:
            report["locales"][locale] = judge(aligner, pairs)
            print(locale, report["locales"][locale], flush=True)
    thresholds = json.loads((arguments.model / "model.json").read_text())["thresholds"]
    latin = [gold for gold in read_sets(arguments.dev) if gold.complete and is_respellable(gold)]
    report["respelt"] = {}
    for share in SHARES:
        scores = [score_methods(respelt(gold, share), aligner.encoder, thresholds) for gold in latin]
        report["respelt"][str(share)] = {
            method: {
                key: round(float(np.mean([one[method][key] for one in scores])), 3)
                for key in ("precision", "recall", "aer")
            }
            for method in scores[0]
        }
        print(share, report["respelt"][str(share)], flush=True)
    if arguments.report:
        arguments.report.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
