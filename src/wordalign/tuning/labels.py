"""Soft links of text without gold links: by a statistical aligner on that text, blended with a model's own.

A link that both directions of the statistical aligner have weighs 1, one that only grow-diag-final-and adds
weighs 0.5. How much the model's own opinion counts depends on how far it agrees with the sure ones of these
links: a model that knows the two languages agrees with most of them, and one that does not with few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from wordalign.text.characters import is_punctuation
from wordalign.types import GoldAlignment, Link, Pair

Words: TypeAlias = Sequence[str]
Labels: TypeAlias = Mapping[Link, float]

POSSIBLE = 0.5  # weight of a link that only one direction has
# All but frequent words are cut to a prefix for the statistical aligner: their own counts say too little.
RARE_BELOW = 100
PREFIX = 5
# The model's part in the labels: none where it agrees on `NOTHING_KNOWN` of the sure links or fewer, and
# `OWN_PART` where it agrees on `ALL_KNOWN` or more.
NOTHING_KNOWN, ALL_KNOWN, OWN_PART = 0.4, 0.8, 0.65


@dataclass(frozen=True, slots=True)
class StatisticalLinks:
    """The links of one pair by a statistical aligner: of both directions, and those that were added."""

    sure: frozenset[Link]
    added: frozenset[Link]

    def labels(self) -> dict[Link, float]:
        return {**dict.fromkeys(self.added, POSSIBLE), **dict.fromkeys(self.sure, 1.0)}

    def as_gold(self) -> GoldAlignment:
        """The same as if people had made them, for want of better ones."""
        return GoldAlignment(self.sure, self.sure | self.added)


def cut_rare_words(
    sentences: Sequence[Words], prefix: int = PREFIX, rare_below: int = RARE_BELOW
) -> list[list[str]]:
    """All but the frequent words, cut to a prefix.

    >>> cut_rare_words([["alignments", "are"], ["are"]], prefix=5, rare_below=2)
    [['align', 'are'], ['are']]
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    spelled = {word: word[:prefix] if count < rare_below else word for word, count in counts.items()}
    return [[spelled[word] for word in sentence] for sentence in sentences]


def statistical_links(
    pairs: Sequence[Pair],
    more: Sequence[Pair] = (),
    *,
    aligner: str = "eflomal",
    seed: int = 0,
    normalise: Callable[[str], str] = str.lower,
) -> list[StatisticalLinks]:
    """The links of these pairs, learned from them and `more` pairs; punctuation is never linked to words."""
    from wordalign.aligners.statistical import StatisticalAligner

    everything = [*pairs, *more]
    sides = []
    for sentences in ([pair.source for pair in everything], [pair.target for pair in everything]):
        # A word that is nothing but marks still stands for itself.
        normal = [["".join(normalise(word).split()) or "_" for word in found.words] for found in sentences]
        sides.append(cut_rare_words(normal))
    spelled = list(zip(*sides, strict=True))
    methods = ["intersection", "grow-diag-final-and"]
    engine = StatisticalAligner(aligner, symmetrize=methods, seed=seed, scores=False)
    found = engine.align_corpus_methods(spelled[: len(pairs)], spelled[len(pairs) :])
    links = []
    for pair, by_method in zip(pairs, found, strict=True):
        marks = [[is_punctuation(word) for word in side.words] for side in (pair.source, pair.target)]
        sure, all_links = (
            frozenset((i, j) for i, j in by_method[name].links if marks[0][i] == marks[1][j])
            for name in methods
        )
        links.append(StatisticalLinks(sure, all_links - sure))
    return links


def entry_links(entry: Pair) -> dict[Link, float] | None:
    """The links of a dictionary's entry, where they are certain: of one word and one word."""
    return {(0, 0): 1.0} if len(entry.source) == len(entry.target) == 1 else None


def own_part(agreement: float) -> float:
    """How much of the labels is the model's own opinion, by its agreement with the statistical aligner.

    >>> [round(own_part(share), 3) for share in (0.2, 0.6, 0.9)]
    [0.0, 0.325, 0.65]
    """
    return OWN_PART * min(1.0, max(0.0, (agreement - NOTHING_KNOWN) / (ALL_KNOWN - NOTHING_KNOWN)))


def blended(found: Labels, opinion: Labels, part: float) -> dict[Link, float]:
    """`part` of the model's opinion and the rest of what was found."""
    return {
        link: part * opinion.get(link, 0.0) + (1 - part) * found.get(link, 0.0)
        for link in sorted({*found, *(opinion if part else ())})
    }
