"""SimAlign 0.4's `SentenceAligner`, for programs that were written for it.

    from wordalign.compat import SentenceAligner      # was: from simalign import SentenceAligner

Same constructor, letters, call, result dictionary and links, to the link; only sentences beyond the
model's window differ, since they are no longer cut off. SimAlign's arithmetic departs from the paper in
small ways, which are kept here and only here:

- distortion counts positions over `len - 1` instead of `len`, and is skipped for one-word sides;
- itermax stops once one side is fully aligned, and is plain argmax where a side has two units or fewer.

Letters and keys of the result: a inter, m mwmf, i itermax, f fwd, r rev.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordalign.encoders import load_encoder, resolve
from wordalign.errors import UnknownNameError, UsageError
from wordalign.links import argmax, forward, match, reverse
from wordalign.links.similarity import cosine_similarity, unit_rows, word_means
from wordalign.types import Bools, Encoding, Floats

_KEYS = {"a": "inter", "m": "mwmf", "i": "itermax", "f": "fwd", "r": "rev"}
DEFAULT_LAYER = 8
_MODELS = {"bert": "bert-base-multilingual-cased", "xlmr": "xlm-roberta-base"}


class SentenceAligner:
    def __init__(
        self,
        model: str = "bert",
        token_type: str = "bpe",
        distortion: float = 0.0,
        matching_methods: str = "mai",
        device: str = "cpu",
        layer: int = DEFAULT_LAYER,
    ) -> None:
        if token_type not in ("bpe", "word"):
            raise UnknownNameError("token type", token_type, ("bpe", "word"))
        unknown = [letter for letter in matching_methods if letter not in _KEYS]
        if unknown:
            raise UsageError(f"Unknown matching method {unknown[0]!r}: the letters are {', '.join(_KEYS)}.")
        self.model = _MODELS.get(model, model)
        self.token_type = token_type
        self.distortion = distortion
        self.matching_methods = [_KEYS[letter] for letter in matching_methods]
        self.device = device
        # SimAlign's models all have layers; for one of ours that has none, its default is no wish.
        has_layers = layer != DEFAULT_LAYER or resolve(self.model).kind == "huggingface"
        self._encoder = load_encoder(self.model, layer=layer if has_layers else None, device=device)

    def get_word_aligns(
        self, src_sent: str | list[str], trg_sent: str | list[str]
    ) -> dict[str, list[tuple[int, int]]]:
        """Word links by method, each sorted: `{"mwmf": [(0, 0), ...], "inter": ..., "itermax": ...}`."""
        sentences = [side.split() if isinstance(side, str) else list(side) for side in (src_sent, trg_sent)]
        source, target = map(self._units, self._encoder.encode(sentences))
        similarity = self.apply_distortion(cosine_similarity(source.vectors, target.vectors), self.distortion)
        extract: dict[str, Callable[[Floats], Bools]] = {
            "inter": argmax,
            "mwmf": match,
            "itermax": self.iter_max,
            "fwd": forward,
            "rev": reverse,
        }
        aligns = {}
        for method in self.matching_methods:
            rows, columns = np.nonzero(extract[method](similarity))
            words = zip(source.word_of_row[rows].tolist(), target.word_of_row[columns].tolist(), strict=True)
            aligns[method] = sorted(set(words))
        return aligns

    def _units(self, encoding: Encoding) -> Encoding:
        units = word_means(encoding) if self.token_type == "word" else encoding
        return Encoding(unit_rows(units.vectors), units.word_of_row)

    @staticmethod
    def apply_distortion(sim_matrix: Floats, ratio: float = 0.5) -> Floats:
        m, n = sim_matrix.shape
        if m < 2 or n < 2 or ratio == 0.0:
            return sim_matrix
        rows, columns = np.arange(m) / (m - 1), np.arange(n) / (n - 1)
        distorted: Floats = sim_matrix * (1.0 - ratio * (columns[None, :] - rows[:, None]) ** 2)
        return distorted

    @staticmethod
    def iter_max(sim_matrix: Floats, max_count: int = 2) -> Bools:
        links = argmax(sim_matrix)
        if min(sim_matrix.shape) <= 2:
            return links
        for _ in range(max_count - 1):
            row_free = ~links.any(axis=1, keepdims=True)
            column_free = ~links.any(axis=0, keepdims=True)
            if not row_free.any() or not column_free.any():
                break
            weight = np.clip(0.9 * row_free + 0.9 * column_free, 0.0, 1.0)
            added = argmax(sim_matrix * weight) & (row_free | column_free)
            if not added.any():
                break
            links = links | added
        return links
