"""Is a learned map any good? Without a dictionary to compare with, three figures tell.

similarity   mean cosine of all words to their nearest word of the other language
mutual       share of words that are their nearest word's nearest word
recovered    the map is learned again from a few of the mutual pairs, half as many as the vectors really
             have dimensions: the share of all other mutual pairs that this finds again

A map can be fitted to any two sets of vectors, with fair similarity and many mutual pairs, so the first two
figures alone prove nothing. But only where the two spaces really have the same shape do a few pairs, too
few to fix a rotation, lead back to the same map: unrelated vectors recover next to nothing. Vectors from too
little text lie along a few directions, whatever their length, so these are what counts as dimensions.

The figures part good maps from noise, and not from doubtful ones: some maps that recover 4 to 10 % of the
pairs align as well as the paper's. So only a map that recovers as little as noise does is refused, and one in
between is kept with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordalign.errors import ModelError
from wordalign.types import Floats
from wordalign.vectors.map.arrays import Array, Arrays
from wordalign.vectors.map.induce import Dictionary, Induced, induce
from wordalign.vectors.map.learn import MapSettings, fit

LEAST_MUTUAL = 0.05
LEAST_RECOVERED = 0.3  # of a map that is certainly good
NOISE_RECOVERED = 0.02  # unrelated vectors stay below this
ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Quality:
    """The three figures of a map; shares are between 0 and 1."""

    similarity: float
    mutual: float
    recovered: float

    @property
    def good(self) -> bool:
        """Whether the map can be trusted."""
        return self.mutual >= LEAST_MUTUAL and self.recovered >= LEAST_RECOVERED

    @property
    def hopeless(self) -> bool:
        """Whether the map is no better than one of noise."""
        return self.mutual < LEAST_MUTUAL or self.recovered < NOISE_RECOVERED

    def __str__(self) -> str:
        return (
            f"mean similarity {self.similarity:.3f}, {self.mutual:.1%} of the words mutually nearest, "
            f"{self.recovered:.1%} of their pairs recovered from a few"
        )

    def check(self) -> None:
        """Raise `ModelError` for a map that is no better than one of noise."""
        if self.hopeless:
            raise ModelError(
                f"The mapping failed: {self} (noise has less than {LEAST_MUTUAL:.0%} and "
                f"{NOISE_RECOVERED:.0%}). {_ADVICE}, or keep the result with --force."
            )

    def doubt(self) -> str:
        """A warning for a map that may be good or not; an empty string for a good one."""
        if self.good:
            return ""
        return (
            f"it is not certain that the mapping is right: {self} (a good one has {LEAST_RECOVERED:.0%} or "
            f"more). Look at some links before you use it. To do better: {_ADVICE[0].lower()}{_ADVICE[1:]}."
        )


_ADVICE = (
    "Give vectors from more text or from more similar text, start from --dictionary or --identical, or try "
    "another --seed"
)


def measure(x: Array, z: Array, induced: Induced, settings: MapSettings, arrays: Arrays) -> Quality:
    """The quality of a map, from normalised rows and the dictionary that was learned on them."""
    share = len(induced.mutual) / max(1, min(len(induced.forward), len(induced.backward)))
    words = settings.random_cutoff
    recovered = _recovered(x[:words], z[:words], induced.mutual, settings, arrays)
    return Quality(induced.similarity, share, recovered)


def _recovered(x: Array, z: Array, pairs: Dictionary, settings: MapSettings, arrays: Arrays) -> float:
    known = np.flatnonzero((pairs.source < len(x)) & (pairs.target < len(z)))
    shuffled = np.random.default_rng(settings.seed).permutation(known)
    dimensions = min(_dimensions(arrays.get(side.T @ side)) for side in (x, z))
    few, others = np.split(shuffled, [max(2, round(dimensions / 2))])
    if not len(others):
        return 0.0
    dictionary = Dictionary(pairs.source[few], pairs.target[few])
    for _ in range(ROUNDS):
        again = induce(x @ arrays.put(fit(x, z, dictionary, arrays)), z, arrays, settings.neighbours)
        dictionary = again.union
    return float((again.forward[pairs.source[others]] == pairs.target[others]).mean())


def _dimensions(product: Floats) -> float:
    """How many directions the rows with this xᵀ x really use: (sum of variances)² / sum of their squares."""
    variances = np.linalg.eigvalsh(product.astype(np.float64))
    return float(variances.sum() ** 2 / (variances**2).sum())
