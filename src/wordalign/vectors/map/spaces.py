"""The steps of mapping in a row: two matrices in, a linear map for each of them out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from wordalign.encoders.static.space import SpaceMap, centre_of, normalise
from wordalign.errors import InputError
from wordalign.types import Floats
from wordalign.vectors.map.arrays import choose_arrays
from wordalign.vectors.map.induce import Dictionary
from wordalign.vectors.map.learn import MapProgress, MapSettings, learn
from wordalign.vectors.map.linear import reweighted
from wordalign.vectors.map.quality import Quality, measure
from wordalign.vectors.map.start import by_distributions


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    source: SpaceMap
    target: SpaceMap
    quality: Quality
    iterations: int
    converged: bool
    device: str
    seconds: dict[str, float] = field(default_factory=dict)


def map_spaces(
    source: Floats,
    target: Floats,
    settings: MapSettings | None = None,
    *,
    dictionary: Dictionary | None = None,
    device: str | None = None,
    report: MapProgress | None = None,
) -> Mapped:
    """Maps for both matrices, (words, d), the most frequent words first.

    Memory is bounded by the cut-off: beyond it rows are only looked at in blocks, for their centre.
    `dictionary` replaces the unsupervised start. Whether the result is good is for `quality` to say.
    """
    settings = settings or MapSettings()
    if source.shape[1] != target.shape[1]:
        raise InputError(
            f"Vectors of {source.shape[1]} and of {target.shape[1]} dimensions cannot be mapped: "
            "train both with the same."
        )
    if min(len(source), len(target)) < 2 * settings.neighbours:
        raise InputError(f"Too few words to map: {len(source)} and {len(target)}.")
    arrays = choose_arrays(device, settings.seed)
    clock = _Clock()
    centres = centre_of(source), centre_of(target)
    x, z = (
        normalise(side[: settings.cutoff], centre)
        for side, centre in zip((source, target), centres, strict=True)
    )
    clock.lap("normalise")
    if dictionary is None:
        start = by_distributions(x, z, arrays, settings.neighbours)
    else:
        start = _within(dictionary, len(x), len(z))
    clock.lap("start")
    on_x, on_z = arrays.put(x), arrays.put(z)
    learned = learn(on_x, on_z, start, settings, arrays, report)
    clock.lap("learn")
    quality = measure(on_x, on_z, learned.induced, settings, arrays)
    clock.lap("check")
    pairs = learned.induced.union
    maps = reweighted(x[pairs.source], z[pairs.target])
    clock.lap("re-weight")
    source_map, target_map = (
        SpaceMap(centre, matrix.astype(np.float32)) for centre, matrix in zip(centres, maps, strict=True)
    )
    return Mapped(
        source=source_map,
        target=target_map,
        quality=quality,
        iterations=learned.iterations,
        converged=learned.converged,
        device=arrays.name,
        seconds=clock.seconds,
    )


def _within(dictionary: Dictionary, words: int, others: int) -> Dictionary:
    """The pairs of a dictionary that are within the cut-off."""
    kept = (dictionary.source < words) & (dictionary.target < others)
    if not kept.any():
        raise InputError("No pair of the dictionary is among the words up to the cut-off.")
    return Dictionary(dictionary.source[kept], dictionary.target[kept])


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = round(now - self._last, 2)
        self._last = now
