"""The sentences that `wordalign tune` carries, to see and to prevent that a model forgets languages.

    python -m training.sentences --text TEXT … --out src/wordalign/tuning/sentences.tsv.xz

Only sources in the public domain (CC0) are taken: TICO-19, whose English sentences are the same in all
languages, so that languages can be joined through them, and SuttaCentral. A line is: "rehearse" or "check",
the codes of two languages, and the two sentences. What is rehearsed is never checked.
"""

from __future__ import annotations

import argparse
import lzma
import random
from collections.abc import Iterator
from pathlib import Path

TICO = ("ara", "ben", "fas", "fra", "hin", "ind", "por", "rus", "spa", "swa", "tam", "zho")
SUTTA = ("ces", "deu", "jpn", "kor", "lit", "pol", "vie")
JOINED = (("fra", "rus"), ("spa", "zho"), ("hin", "ara"))
EACH = 12  # sentences of a language to rehearse, and as many to check
SHORTEST, LONGEST = 6, 24  # words of the English side


def read_source(folders: list[Path], language: str, source: str) -> dict[str, str]:
    """English sentence -> its translation, of one source."""
    found: dict[str, str] = {}
    for folder in folders:
        path = folder / f"eng-{language}.tsv.xz"
        if path.exists():
            with lzma.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    english, other, name = line.rstrip("\n").split("\t")
                    if name == source and SHORTEST <= len(english.split()) <= LONGEST:
                        found.setdefault(english, other)
    return found


def choose_sentences(folders: list[Path], seed: int = 1) -> Iterator[tuple[str, str, str, str, str]]:
    chance = random.Random(seed)
    tico = {language: read_source(folders, language, "tico19") for language in TICO}
    often = [english for english in tico["ben"] if sum(english in known for known in tico.values()) >= 10]
    order = chance.sample(sorted(often), len(often))
    # The first half of the English sentences is for one purpose, the second for the other, in all languages.
    halves = {"rehearse": order[: len(order) // 2], "check": order[len(order) // 2 :]}
    for purpose, sentences in halves.items():
        for language, known in tico.items():
            for english in [sentence for sentence in sentences if sentence in known][:EACH]:
                yield purpose, "eng", language, english, known[english]
    for one, two in JOINED:
        both = [english for english in halves["check"] if english in tico[one] and english in tico[two]]
        for english in both[:EACH]:
            yield "check", one, two, tico[one][english], tico[two][english]
    for language in SUTTA:
        known = read_source(folders, language, "suttacentral")
        taken = chance.sample(sorted(known), min(2 * EACH, len(known)))
        for number, english in enumerate(taken):
            yield ("rehearse", "check")[number % 2], "eng", language, english, known[english]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, nargs="+", required=True, help="folders of eng-*.tsv.xz")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = list(choose_sentences(arguments.text))
    with lzma.open(arguments.out, "wt", encoding="utf-8", preset=9) as file:
        file.writelines("\t".join(row) + "\n" for row in rows)
    print(f"{len(rows)} pairs, {arguments.out.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
