"""What an encoder is: everything that the rest of the package may ask of one, with defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from wordalign.encoders.calibration import Calibration
from wordalign.types import Encoding

if TYPE_CHECKING:
    from wordalign.encoders.device.rows import RowEncoder
    from wordalign.encoders.remote import RemoteRows


class Encoder(ABC):
    """Turns words into vectors. A subclass needs a `signature` and `encode`; all else has a default.

    `signature`             name, revision and layer: what a score needs to be compared with another
    `calibration`           how similarities become probabilities, for models that have learned it
    `default_method`        the spec of the method that works best with its vectors
    `default_level`         the level that works best, "word" or "subword"
    `target`                the encoder of target sentences, where each language has its own vectors
    `languages`             ISO 639-3 codes of the languages it was made for, where they are known
    `device`                where it computes, as torch names devices
    `on_device`             the way to keep vectors on that device when only links are wanted
    `chunk_pairs`           the number of pairs that it is best given at once
    `one_process_per_core`  whether processes with one thread each are faster than one with several threads
    `int8_operations`       in the matrix products for one token, where they are products of int8 matrices
    """

    signature: str
    calibration: Calibration | None = None
    default_method: str = "itermax"
    default_level: str = "subword"
    target: Encoder | None = None
    languages: tuple[str, ...] | None = None
    device: str = "cpu"
    on_device: RowEncoder | RemoteRows | None = None
    chunk_pairs: int = 256
    one_process_per_core: bool = False
    int8_operations: float | None = None

    @abstractmethod
    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        """One `Encoding` for each sentence, in order. No sentence is ever cut off."""

    def encode_each(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[int, Encoding]]:
        """The number and the `Encoding` of each sentence, in any order: whoever is done with one lets it go.

        Memory for the vectors of a whole chunk is needed only where all of them are.
        """
        yield from enumerate(self.encode(sentences))

    def unload(self) -> None:  # noqa: B027 - most have nothing to do
        """Give memory back until the next sentence comes, where the model can be loaded again by itself."""

    def subwords(self, words: Sequence[str]) -> Sequence[str]:
        """The text of each row of this sentence's `Encoding`: the words, where they are not cut."""
        return words
