"""Sentences in many languages that the package carries, and how far two models agree on them.

What a model links in languages that it was not tuned for should stay as it was. Nobody has made gold links
for these sentences: what is measured is agreement with the parent. A tuned model may differ from it and be
better; but where it differs much, it has forgotten.

`training/sentences.py` chose the sentences, from sources in the public domain.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

from wordalign.aligners.neural import Aligner
from wordalign.text import split_words
from wordalign.types import Link, Pair

# Where two models agree less than this, something was lost. Of a model and its float weights, .98 is usual.
FORGOTTEN = 0.9


@cache
def shipped_pairs(purpose: Literal["rehearse", "check"]) -> Mapping[str, list[Pair]]:
    """The pairs of each two languages (`eng-deu`), to rehearse while a model learns or to check it after."""
    data = resources.files("wordalign.tuning").joinpath("sentences.tsv.xz").read_bytes()
    found: dict[str, list[Pair]] = {}
    for line in lzma.decompress(data).decode().splitlines():
        kind, one, two, source, target = line.split("\t")
        if kind == purpose:
            found.setdefault(f"{one}-{two}", []).append(Pair(split_words(source), split_words(target)))
    return found


def agreement(parent: Aligner, tuned: Aligner) -> dict[str, float]:
    """F1 of a tuned model's links against its parent's on the sentences to check, by languages."""
    found = {}
    for languages, pairs in shipped_pairs("check").items():
        links = [[set(one.links) for one in aligner.align_batch(pairs)] for aligner in (parent, tuned)]
        found[languages] = round(f1_of(*links), 4)
    return found


def f1_of(ours: list[set[Link]], theirs: list[set[Link]]) -> float:
    """The F1 of two lists of links with each other."""
    both = sum(len(a & b) for a, b in zip(ours, theirs, strict=True))
    all_of = sum(map(len, ours)) + sum(map(len, theirs))
    return 2 * both / all_of if all_of else 1.0
