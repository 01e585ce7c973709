"""What the aligner asks of an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from wordalign.types import Encoding, Floats


class Encoder(Protocol):
    """The two things every encoder has. It may also have

    `calibration`      a `Calibration`; then link scores are probabilities
    `target`           the encoder of target sentences, where each language has its own vectors
    `default_method`   and `default_level`, where others than itermax and subword work better
    `subwords(words)`  what each row of a sentence's `Encoding` stands for, for those who look at it
    `on_device`        how vectors stay on a GPU when only links are wanted (`huggingface.rows.RowEncoder`)
    `chunk_pairs`      how many pairs it likes to be given at once
    """

    @property
    def signature(self) -> str:
        """Name, revision and layer: what a score needs to be compared with another."""
        ...

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        """One `Encoding` a sentence, in order. No sentence is ever cut off."""
        ...


def unit_rows(vectors: Floats) -> Floats:
    """Scale each row to length 1; a row of zeros stays zero. Shape (rows, d) -> (rows, d)."""
    length = np.sqrt(np.einsum("rd,rd->r", vectors, vectors))[:, None]
    return vectors / np.where(length > 0, length, 1)
