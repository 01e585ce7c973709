"""Pairs a second of an exported encoder, from words to similarities, as the package runs it.

python -m training.speed --encoder MODEL --gold GOLD/eng-deu
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from training.encoders import load_encoder
from training.metrics import read_gold
from training.similarity import similarities


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--encoder", type=Path, required=True, help="folder that export wrote")
    parser.add_argument("--gold", type=Path, required=True, help="a set whose sentences are aligned")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--words", type=int, default=25, help="words about an average pair should have a side"
    )
    arguments = parser.parse_args()
    gold = read_gold(arguments.gold)
    low, high = arguments.words * 0.7, arguments.words * 1.3
    chosen = [i for i in range(len(gold.english)) if low <= len(gold.english[i]) <= high]
    sides = [[side[i] for i in chosen] for side in (gold.english, gold.other)]
    gold = replace(gold, english=sides[0], other=sides[1])
    mean = np.mean([len(sentence) for side in sides for sentence in side])
    encode = load_encoder(arguments.encoder, None, arguments.threads)
    paces = []
    for _ in range(arguments.rounds + 1):
        start = time.perf_counter()
        similarities(gold, encode)
        paces.append(len(chosen) / (time.perf_counter() - start))
    print(
        f"{arguments.encoder.name}: {len(chosen)} pairs of {mean:.1f} words a side, "
        f"{arguments.threads} threads: best {max(paces[1:]):.0f}, median {np.median(paces[1:]):.0f} pairs/s"
    )


if __name__ == "__main__":
    main()
