"""The interface of an engine, and the engines by name.

An engine learns from parallel text and finds the links of each direction. It sees numbers instead of words,
so a word may hold anything, white space included. It runs in processes of its own, so that a crash in native
code becomes an error message, and Ctrl-C ends it at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wordalign.errors import UnknownNameError
from wordalign.registry import Registry
from wordalign.types import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """The sentences of one language.

    `words` holds the words of all sentences, one sentence after the other, as numbers from 0; shape (words,).
    `lengths` holds the number of words of each sentence; shape (sentences,). `types` is the number of
    different words.
    """

    words: Ints
    lengths: Ints
    types: int

    def sentences(self) -> Iterator[list[int]]:
        words, end = self.words.tolist(), 0
        for length in self.lengths.tolist():
            start, end = end, end + length
            yield words[start:end]


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Parallel sentences. None is empty, and none is longer than the engine allows."""

    source: Side
    target: Side

    def __len__(self) -> int:
        return len(self.source.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """What an engine found in one direction.

    `partners` holds the position of the partner of every word of one side, or -1 where it has none; shape
    (words,). `probabilities`, where the engine has them, say how probable each word is as a translation of
    its partner.
    """

    partners: Ints
    probabilities: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Directed:
    """What an engine found: `forward` has a partner for each target word, `backward` for each source word."""

    forward: Direction
    backward: Direction


class Engine(Protocol):
    """A program or library that learns to align, with fixed settings."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """The name and version of the package that does the work."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings that the links depend on; they become part of signatures."""
        ...

    @property
    def max_length(self) -> int:
        """The number of words of the longest sentence that the engine takes."""
        ...

    def train(
        self, corpus: Corpus, wanted: int, seed: int | None, model: Path | None, scores: bool
    ) -> Directed:
        """Learn from the corpus, and align its first `wanted` pairs.

        The same seed gives the same result; without a seed the engine uses all cores. `model` is an empty
        folder to keep the model in, or None. If `scores` is false, the probabilities need not be computed.
        """
        ...

    def align(self, corpus: Corpus, seed: int | None, model: Path, scores: bool) -> Directed:
        """Align new text with a model that `train` kept. Numbers that it had not seen are unknown words."""
        ...


ENGINES: Registry[type[Engine]] = Registry(
    "aligner",
    {
        "eflomal_gpl": "wordalign.aligners.statistical.eflomal:EflomalGpl",
        **{
            name: f"wordalign.aligners.statistical.thot:{engine}"
            for name, engine in (
                ("eflomal", "Eflomal"),
                ("fast_align", "FastAlign"),
                ("ibm1", "Ibm1"),
                ("ibm2", "Ibm2"),
                ("hmm", "Hmm"),
                ("ibm3", "Ibm3"),
                ("ibm4", "Ibm4"),
            )
        },
    },
    entry_points="wordalign.aligners",
)


def make_engine(name: str) -> Engine:
    """The engine of that name, with the paper's settings. It is an error if its package is not installed."""
    spelled = name.lower().replace("-", "_")
    if spelled not in ENGINES:
        raise UnknownNameError("aligner", name, ENGINES)
    return ENGINES.get(spelled)()
