"""Null: a word that is not particularly similar to any word of the other side loses its links.

    similarity of one word        normalised entropy
    .9  .05 .05                   0.36      clear favourite: keep
    .33 .33 .33                   1.00      no favourite: drop

The threshold tau depends on the similarities of the model at hand, so it is usually set to a percentile
of the entropies of all the links of a corpus. `EntropyPercentile` finds that in one pass and constant
memory; the value it gives can be stored and used on a stream.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from wordalign.config import NullThresholds
from wordalign.errors import InputError, UsageError
from wordalign.types import Bools, Floats

_KIND = "wordalign null thresholds"


def link_entropy(similarity: Floats) -> Floats:
    """For each cell, the smaller of its row's and its column's normalised entropy.

    min(-sum_k Sh[i, k] log Sh[i, k] / log n,  -sum_k Sv[k, j] log Sv[k, j] / log m), where Sh and Sv are
    S divided by its row and column sums (Jalili Sabet et al. 2020, 2.2), and n and m count the cells of the
    row and of the column that are not zero: words that can have no link, as punctuation beside words, say
    nothing about the choice among the others. A choice of one has no uncertainty: its entropy is 0. Shape
    (m, n), or a zero-padded stack (..., m, n); values in [0, 1].
    """
    return np.minimum(_normalised_entropy(similarity, axis=-1), _normalised_entropy(similarity, axis=-2))


def _normalised_entropy(similarity: Floats, axis: int) -> Floats:
    values = similarity.astype(np.float64)
    size = np.maximum((values > 0).sum(axis=axis, keepdims=True), 2)
    total = values.sum(axis=axis, keepdims=True)
    share = values / np.where(total > 0, total, 1)
    terms = share * np.log(np.where(share > 0, share, 1))
    entropy: Floats = np.clip(-terms.sum(axis=axis, keepdims=True) / np.log(size), 0, 1)
    return entropy


def drop_null(links: Bools, similarity: Floats, tau: float) -> Bools:
    """Remove the links whose `link_entropy` is above `tau`."""
    return links & (link_entropy(similarity) <= tau)


def write_null_thresholds(thresholds: NullThresholds, path: str | Path) -> None:
    """Write thresholds as a small JSON file, to be kept beside the results they gave."""
    # Extraction itself touches no files, and should load nothing that does.
    from wordalign.io.output import open_output

    with open_output(path) as write:
        write(json.dumps({"kind": _KIND, **asdict(thresholds)}, indent=2))


def read_null_thresholds(path: str | Path) -> NullThresholds:
    try:
        fields = json.loads(Path(path).read_text(encoding="utf-8"))
        if "kind" not in fields and "tau" in fields:
            # Entropies were counted in another way then: the same number would drop other links.
            raise InputError(f"{path} is of wordalign 0.1: find the thresholds again (null-threshold).")
        if fields["kind"] != _KIND:
            raise ValueError(fields["kind"])
        tau = {str(method): float(value) for method, value in fields["tau"].items()}
        return NullThresholds(float(fields["percentile"]), tau, fields["links"], str(fields["signature"]))
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path} holds no null thresholds; `wordalign null-threshold` makes them."
        ) from error


class EntropyPercentile:
    """Percentiles of the entropies of any number of links, in constant memory.

    Entropies lie in [0, 1], so a fine histogram is exact to a millionth, whatever the corpus's size.
    """

    _BINS = 1 << 20

    def __init__(self) -> None:
        self._counts = np.zeros(self._BINS + 1, dtype=np.int64)

    @property
    def links(self) -> int:
        return int(self._counts.sum())

    def add(self, links: Bools, similarity: Floats) -> None:
        # Rounded up, so that no link lies above the hundredth percentile.
        bins = np.ceil(link_entropy(similarity)[links] * self._BINS).astype(np.int64)
        np.add.at(self._counts, bins, 1)

    def tau(self, percentile: float = 95.0) -> float:
        """The entropy below which `percentile` percent of the links lie (linear between neighbours)."""
        if not 0 <= percentile <= 100:
            raise UsageError(f"A percentile lies between 0 and 100, not {percentile}.")
        if not self.links:
            return 1.0
        cumulative = self._counts.cumsum()
        rank = percentile / 100 * (self.links - 1)
        below, above = np.searchsorted(cumulative, [np.floor(rank), np.ceil(rank)], side="right")
        return float((below + (above - below) * (rank % 1)) / self._BINS)
