"""The first dictionary: by similarity distributions, by identical strings, or from a file.

Without any supervision (Artetxe et al. 2018, 3.2): a word's similarities to the other words of its own
language, sorted, look much like those of its translation, whatever the languages' axes are. Words with
similar sorted rows are taken for translations. Few of these are right, but more than chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from wordalign.encoders.static.space import centre_of, normalise
from wordalign.encoders.static.vectors import row_of_word
from wordalign.errors import InputError
from wordalign.types import Floats
from wordalign.vectors.map.arrays import Arrays
from wordalign.vectors.map.induce import Dictionary, induce


def by_distributions(x: Floats, z: Floats, arrays: Arrays, k: int, words: int = 4000) -> Dictionary:
    """A dictionary of the `words` most frequent words of both languages, from normalised rows."""
    words = min(words, len(x), len(z))
    profiles = []
    for side in (x[:words], z[:words]):
        profile = arrays.get(arrays.sort(arrays.put(_root_of_similarities(side))))
        profiles.append(arrays.put(normalise(profile, centre_of(profile))))
    return induce(profiles[0], profiles[1], arrays, k).union


def _root_of_similarities(x: Floats) -> Floats:
    """(x xᵀ)^(1/2), shape (n, n): sharper than the similarities, as the authors found.

    From the small side: with xᵀ x = V D Vᵀ it is x V D^(-1/2) Vᵀ xᵀ.
    """
    values, axes = np.linalg.eigh((x.T @ x).astype(np.float64))
    roots = np.sqrt(np.clip(values, 0, None))
    inverse = np.divide(1, roots, out=np.zeros_like(roots), where=roots > 1e-6 * roots.max(initial=0))
    half: Floats = x @ (axes * np.sqrt(inverse)).astype(np.float32)
    return half @ half.T


def by_identical_strings(source: Sequence[str], target: Sequence[str]) -> Dictionary:
    return by_pairs(((word, word) for word in source), source, target, "identical words")


def by_pairs(
    pairs: Iterable[tuple[str, str]], source: Sequence[str], target: Sequence[str], what: str
) -> Dictionary:
    """The pairs of which both words have vectors; words as they are, or in lower case."""
    of_source, of_target = row_of_word(source), row_of_word(target)
    found: dict[tuple[int, int], None] = {}
    for left, right in pairs:
        one = of_source.get(left, of_source.get(left.lower()))
        other = of_target.get(right, of_target.get(right.lower()))
        if one is not None and other is not None:
            found[one, other] = None
    if len(found) < 5:
        raise InputError(
            f"Only {len(found)} {what} have vectors in both languages: too few to start from. "
            "Leave the dictionary out, or give a larger one."
        )
    rows = np.array(list(found), dtype=np.intp)
    return Dictionary(rows[:, 0], rows[:, 1])
