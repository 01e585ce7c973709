"""Links -> the probability that two sentences are translations of each other.

Good pairs have links for most words of both sides, and few words that are the same on both. What else a pair
can be leaves traces in the links: in an unrelated pair they are few and weak, in one that was cut a stretch
of words has none, and in one that was copied all linked words are the same. `translation_features` measures
these traces, and a logistic regression on them, `score.json`, gives the probability. It was learned from good
pairs and as many with made-up faults (`benchmarks/check.py --fit`), with the probabilities that the bundled
models give their links. Links of other models have similarities for scores: they rank pairs well, but the
result is no probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

from wordalign.text import is_punctuation
from wordalign.types import Alignment

WIDE_LETTERS = 2.5
_WIDE = "\u2e80"
# The same for both directions: it does not matter which language is the source.
FEATURES = (
    "constant",
    "link probability",  # the mean of all links
    "gap",  # logarithm of the longest stretch of words without a link
    "gap share",  # the same as a share of the words of its side
    "length ratio",  # the absolute logarithm of the ratio of lengths, without the usual one
    "length",  # logarithm of the number of words
    "copied",  # the share of words that are linked with the same word
    "copied stretch",  # logarithm of the longest stretch of words that stand on the other side, too
    "identical",  # 1 where all words are the same
)


def translation_score(alignment: Alignment, usual_ratio: float = 0.0) -> float:
    """The probability that the sentences are translations of each other; 0 where a side has no words.

    `usual_ratio` is the logarithm of how much longer a target is than its source in these languages.
    """
    if not alignment.source.words or not alignment.target.words:
        return 0.0
    features = translation_features(alignment, usual_ratio)
    weights = stored_weights()["weights"]
    odds = sum(weights[name] * value for name, value in zip(FEATURES, features, strict=True))
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def translation_features(alignment: Alignment, usual_ratio: float = 0.0) -> list[float]:
    """What `FEATURES` names. Punctuation counts only where there is nothing else."""
    words = alignment.source.words, alignment.target.words
    best = best_links(alignment)
    same: tuple[set[int], set[int]] = set(), set()
    for i, j in alignment.links:
        if words[0][i] == words[1][j]:
            same[0].add(i)
            same[1].add(j)
    gaps, shares, copied, stretches = [], [], [], []
    counted = [_counted(side) for side in words]
    for side in (0, 1):
        kept, other = counted[side], set(words[1 - side])
        gaps.append(_longest([best[side][k] == 0 for k in kept]))
        shares.append(gaps[side] / len(kept))
        # Names and numbers are the same in good translations, and so are, by accident, some short words.
        plain = [k for k in kept if is_plain(words[side][k])]
        long = [k for k in plain if len(words[side][k]) > 3 or not words[side][k].islower()]
        copied.append(len(same[side].intersection(long)) / max(1, len(long)))
        stretches.append(_longest([words[side][k] in other for k in plain]))
    return [
        1.0,
        sum(_scores(alignment)) / max(1, len(alignment.links)),
        math.log1p(max(gaps)),
        max(shares),
        abs(length_ratio(alignment) - usual_ratio),
        math.log(len(counted[0]) + len(counted[1])),
        max(copied),
        math.log1p(min(stretches)),
        float(words[0] == words[1]),
    ]


def best_links(alignment: Alignment) -> tuple[list[float], list[float]]:
    """The probability of the best link of each source word and of each target word; 0 without one."""
    best = [0.0] * len(alignment.source), [0.0] * len(alignment.target)
    for (i, j), probability in zip(alignment.links, _scores(alignment), strict=True):
        best[0][i] = max(best[0][i], probability)
        best[1][j] = max(best[1][j], probability)
    return best


def _scores(alignment: Alignment) -> tuple[float, ...]:
    """The scores of the links, which count as certain where they have none."""
    return alignment.scores or (1.0,) * len(alignment.links)


def length_ratio(alignment: Alignment) -> float:
    """The logarithm of the length of the target as a multiple of that of the source."""
    source, target = (sum(map(_length, side.words)) + 5 for side in (alignment.source, alignment.target))
    return math.log(target / source)


def _length(word: str) -> float:
    """The number of letters, of which a sign of Chinese, Japanese or Korean stands for several."""
    return len(word) if word < _WIDE else sum(WIDE_LETTERS if sign >= _WIDE else 1 for sign in word)


def is_plain(word: str) -> bool:
    """Whether a word is no name and no number, by its first character."""
    return word[:1].isalpha() and not word[:1].isupper()


def _counted(words: Sequence[str]) -> Sequence[int]:
    """The words that are no punctuation; all, where there are no others."""
    return [k for k, word in enumerate(words) if not is_punctuation(word)] or range(len(words))


def _longest(flags: Sequence[bool]) -> int:
    """The length of the longest stretch of true ones."""
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


@cache
def stored_weights() -> dict[str, Any]:
    """What `benchmarks/check.py --fit` has learned."""
    stored: dict[str, Any] = json.loads(
        (resources.files("wordalign.project") / "score.json").read_text("utf-8")
    )
    return stored
