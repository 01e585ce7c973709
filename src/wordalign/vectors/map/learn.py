"""Self-learning: a dictionary gives a map, the map gives a better dictionary, and so on.

At first each similarity counts only with probability 0.1, which is doubled whenever `patience`
iterations brought no better mean similarity, until all of them count (Artetxe et al. 2018, 3.3). The
random part works on the most frequent words alone, where it is as robust and much cheaper; the last
part, which is not random, on all words up to the cut-off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from wordalign.errors import UsageError
from wordalign.types import Floats
from wordalign.vectors.map.arrays import Array, Arrays
from wordalign.vectors.map.induce import Dictionary, Induced, induce
from wordalign.vectors.map.linear import orthogonal

MapProgress: TypeAlias = Callable[[int, float, float], None]


@dataclass(frozen=True, slots=True)
class MapSettings:
    """How a map is learned.

    `cutoff` words of each language take part, and only `random_cutoff` of them in the random phase.
    `neighbours` is the k of CSLS. A similarity that rises by less than `least_gain` in `patience` iterations
    (`last_patience` after the random phase) has converged.
    """

    cutoff: int = 20_000
    random_cutoff: int = 5_000
    neighbours: int = 10
    first_keep: float = 0.1
    patience: int = 40
    last_patience: int = 3
    least_gain: float = 1e-4
    most_iterations: int = 600
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.first_keep <= 1:
            raise UsageError(f"Cells are kept with a probability above 0 up to 1, not {self.first_keep}.")
        for name in ("cutoff", "random_cutoff", "neighbours", "patience", "last_patience"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more, not {getattr(self, name)}.")


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The rotation of the source space, the dictionary it implies, and how it got there."""

    rotation: Floats
    induced: Induced
    iterations: int
    converged: bool


def learn(
    x: Array,
    z: Array,
    start: Dictionary,
    settings: MapSettings,
    arrays: Arrays,
    report: MapProgress | None = None,
) -> Learned:
    """Learn a rotation from normalised rows of both languages, (n, d) and (m, d), and a first dictionary."""
    words, keep = settings.random_cutoff, settings.first_keep
    if keep >= 1:
        words = settings.cutoff
    best, waited, dictionary = float("-inf"), 0, start
    for iteration in range(1, settings.most_iterations + 1):
        rotation = fit(x, z, dictionary, arrays)
        induced = induce(x[:words] @ arrays.put(rotation), z[:words], arrays, settings.neighbours, keep)
        dictionary = induced.union
        if report is not None:
            report(iteration, keep, induced.similarity)
        if induced.similarity >= best + settings.least_gain:
            best, waited = induced.similarity, 0
            continue
        waited += 1
        if keep >= 1 and waited >= settings.last_patience:
            return Learned(rotation, induced, iteration, True)
        if keep < 1 and waited >= settings.patience:
            keep, waited = min(1.0, 2 * keep), 0
            if keep >= 1:
                words, best = settings.cutoff, float("-inf")
    return Learned(rotation, induced, settings.most_iterations, False)


def fit(x: Array, z: Array, dictionary: Dictionary, arrays: Arrays) -> Floats:
    """The rotation that the dictionary's pairs ask for, (d, d)."""
    product: Floats = arrays.get(x[dictionary.source].T @ z[dictionary.target])
    rotation: Floats = orthogonal(product).astype("float32")
    return rotation
