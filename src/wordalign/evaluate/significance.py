"""Is one system better than another by more than chance? Two tests on the same sentences.

Paired bootstrap (Koehn 2004; p-value with the shift of Riezler and Maxwell 2005): sentences are drawn with
replacement, the same for both systems, and the difference of their scores is computed for each draw. Its
spread gives the confidence interval; p is the share of draws that stray from the mean of all draws as far
as the observed difference is from zero.

Approximate randomisation (Noreen 1989): for each sentence a coin decides whether the systems swap their
links; p is the share of trials with at least the observed difference.

Both need only the counts of each sentence, so a thousand trials are one matrix product: (trials, sentences)
of weights times (sentences, 4) of counts. Both p-values are two-sided and counted as (hits + 1) / (trials +
1), so they are never 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from wordalign.errors import UsageError
from wordalign.evaluate.counts import METRICS, Evaluation, rates
from wordalign.types import Floats

_CELLS = 1 << 22  # of a block of weights: 32 MiB
_EQUAL = 1e-12  # differences this close are the same but for rounding


@dataclass(frozen=True, slots=True)
class Difference:
    """The score of the first system minus that of the second, with its interval and p-values."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float

    def significant(self, level: float = 0.05) -> bool:
        """Whether both tests find a difference at this level."""
        return max(self.p_bootstrap, self.p_randomisation) < level


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same gold sentences; `differences` by the names of `METRICS`."""

    sentences: int
    resamples: int
    confidence: float
    seed: int
    differences: Mapping[str, Difference]

    def verdict(self, first: str = "the first", second: str = "the second", metric: str = "f1") -> str:
        """The result in one sentence.

        >>> same = Difference(0.8, 0.8, 0.0, 0.0, 0.0, 1.0, 1.0)
        >>> Comparison(508, 1000, 0.95, 0, {"f1": same}).verdict("a.txt", "b.txt")
        'a.txt and b.txt are equal: F1 0.8000.'
        """
        found, shown = self.differences[metric], {"f1": "F1", "aer": "AER"}.get(metric, metric)
        if found.difference == 0:
            return f"{first} and {second} are equal: {shown} {found.first:.4f}."
        first_wins = (found.difference > 0) != (metric == "aer")
        better, worse = (first, second) if first_wins else (second, first)
        winner, loser = (found.first, found.second) if first_wins else (found.second, found.first)
        low, high = (found.low, found.high) if first_wins else (-found.high, -found.low)
        figures = (
            f"{shown} {winner:.4f} against {loser:.4f}, a difference of {winner - loser:+.4f} "
            f"({self.confidence:.0%} interval {low:+.4f} to {high:+.4f}; "
            f"p = {_p(found.p_bootstrap)} by bootstrap, {_p(found.p_randomisation)} by randomisation)"
        )
        if found.significant():
            return f"{better} is better than {worse}, by more than chance: {figures}."
        if min(found.p_bootstrap, found.p_randomisation) < 0.05:
            return f"{better} may be better than {worse}, but the two tests disagree: {figures}."
        return f"{better} is ahead of {worse}, but no more than by chance: {figures}."


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def compare(
    a: Evaluation,
    b: Evaluation,
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 20200,
) -> Comparison:
    """Paired bootstrap and approximate randomisation of two systems on the same gold sentences."""
    first, second = (side.per_sentence.astype(np.float64) for side in (a, b))
    if first.shape != second.shape or (first[:, 3] != second[:, 3]).any():
        raise UsageError("A paired comparison needs two evaluations on the same gold sentences.")
    if not len(first):
        raise UsageError("There are no sentences to compare on.")
    if resamples < 1 or not 0 < confidence < 1:
        raise UsageError("A comparison needs at least 1 resample and a confidence between 0 and 1.")
    totals = first.sum(axis=0), second.sum(axis=0)
    scores = rates(totals[0]), rates(totals[1])
    observed = scores[0] - scores[1]
    generator = np.random.default_rng(seed)
    drawn = np.concatenate(
        [
            rates(weights @ first) - rates(weights @ second)
            for weights in _draws(generator, *_size(a, resamples))
        ]
    )
    swap = second - first
    swapped = np.concatenate(
        [
            rates(totals[0] + moved) - rates(totals[1] - moved)
            for moved in (coins @ swap for coins in _coins(generator, *_size(a, resamples)))
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    p_bootstrap = _share_as_large(drawn - drawn.mean(axis=0), observed)
    p_randomisation = _share_as_large(swapped, observed)
    columns = (*scores, observed, low, high, p_bootstrap, p_randomisation)
    differences = {
        name: Difference(*(float(column[number]) for column in columns))
        for number, name in enumerate(METRICS)
    }
    return Comparison(len(first), resamples, confidence, seed, differences)


def _size(evaluation: Evaluation, resamples: int) -> tuple[int, int]:
    return resamples, len(evaluation.per_sentence)


def _draws(generator: np.random.Generator, resamples: int, sentences: int) -> Iterator[Floats]:
    """How often each sentence is drawn: blocks of (some resamples, sentences), rows of sum `sentences`."""
    for rows in _blocks(resamples, sentences):
        drawn = generator.integers(sentences, size=(rows, sentences))
        drawn += np.arange(rows)[:, None] * sentences
        counts = np.bincount(drawn.ravel(), minlength=rows * sentences)
        yield counts.reshape(rows, sentences).astype(np.float64)


def _coins(generator: np.random.Generator, resamples: int, sentences: int) -> Iterator[Floats]:
    """Which sentences swap: blocks of rows (some resamples, sentences) of 0 and 1."""
    for rows in _blocks(resamples, sentences):
        yield generator.integers(2, size=(rows, sentences), dtype=np.int8).astype(np.float64)


def _blocks(resamples: int, sentences: int) -> Iterator[int]:
    rows = max(1, _CELLS // sentences)
    for start in range(0, resamples, rows):
        yield min(rows, resamples - start)


def _share_as_large(differences: Floats, observed: Floats) -> Floats:
    hits = (np.abs(differences) >= np.abs(observed) - _EQUAL).sum(axis=0)
    share: Floats = (hits + 1) / (len(differences) + 1)
    return share
