"""Is a learned map any good? Without a dictionary to compare with, three figures tell.

similarity   mean cosine of all words to their nearest word of the other language
mutual       share of words that are their nearest word's nearest word
recovered    the map is learned again from a few of the mutual pairs, half as many as the vectors really
             have dimensions: the share of all other mutual pairs that this finds again

A map can be fitted to any two sets of vectors, with fair similarity and many mutual pairs, so the first two
figures alone prove nothing. But only where the two spaces really have the same shape do a few pairs, too
few to fix a rotation, lead back to the same map: unrelated vectors recover next to nothing. Vectors from too
little text lie along a few directions, whatever their length, so these are what counts as dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordalign.errors import ModelError
from wordalign.types import Floats
from wordalign.vectors.map.arrays import Array, Arrays
from wordalign.vectors.map.induce import Dictionary, Induced, induce
from wordalign.vectors.map.learn import Settings, fit

LEAST_MUTUAL = 0.05
LEAST_RECOVERED = 0.3
ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Quality:
    similarity: float
    mutual: float
    recovered: float

    @property
    def good(self) -> bool:
        return self.mutual >= LEAST_MUTUAL and self.recovered >= LEAST_RECOVERED

    def __str__(self) -> str:
        return (
            f"mean similarity {self.similarity:.3f}, {self.mutual:.1%} of the words mutually nearest, "
            f"{self.recovered:.1%} of their pairs recovered from a few"
        )

    def check(self) -> None:
        """Raise `ModelError` for a map that is not to be trusted."""
        if not self.good:
            raise ModelError(
                f"The mapping failed: {self} (needed: {LEAST_MUTUAL:.0%} and {LEAST_RECOVERED:.0%}). The two "
                "spaces are too different, or come from too little text to tell: give vectors from more text "
                "or more similar text, start from --dictionary or --identical, try another --seed, or keep "
                "the result with --force."
            )


def measure(x: Array, z: Array, induced: Induced, settings: Settings, arrays: Arrays) -> Quality:
    """Of normalised rows and the dictionary learned on them."""
    share = len(induced.mutual) / max(1, min(len(induced.forward), len(induced.backward)))
    words = settings.random_cutoff
    recovered = _recovered(x[:words], z[:words], induced.mutual, settings, arrays)
    return Quality(induced.similarity, share, recovered)


def _recovered(x: Array, z: Array, pairs: Dictionary, settings: Settings, arrays: Arrays) -> float:
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
    """How many directions rows with this xᵀ x really use: (sum of variances)² / sum of their squares."""
    variances = np.linalg.eigvalsh(product.astype(np.float64))
    return float(variances.sum() ** 2 / (variances**2).sum())
