"""What an aligner asks of an engine, and the engines by name.

An engine sees numbers instead of words, so a word may hold anything, white space included. It works in
programs of its own: a crash in native code is an error with a sentence, and Ctrl-C ends it at once.
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
    """The sentences of one language, one after the other, their words as numbers from 0; shape (words,).

    `lengths` of shape (sentences,) says where one ends, `types` how many different words there are.
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
    """Parallel sentences; none is empty, none longer than the engine allows."""

    source: Side
    target: Side

    def __len__(self) -> int:
        return len(self.source.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Direction:
    """The partner of every word of one side, sentence after sentence, -1 for none; shape (words,).

    `probabilities`, where the engine has them, say how probable the word is as a translation of its partner.
    """

    partners: Ints
    probabilities: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Directed:
    """`forward` finds a partner for each target word, `backward` for each source word."""

    forward: Direction
    backward: Direction


class Engine(Protocol):
    """An engine with its settings."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Of the package that does the work."""
        ...

    @property
    def settings(self) -> Mapping[str, object]:
        """What the links depend on, for signatures."""
        ...

    @property
    def max_length(self) -> int:
        """The longest sentence it takes."""
        ...

    def train(
        self, corpus: Corpus, wanted: int, seed: int | None, model: Path | None, scores: bool
    ) -> Directed:
        """Learn from the corpus and align its first `wanted` pairs; keep the model in that empty folder.

        A seed makes the result the same each time; without one all cores are used. Without `scores`
        nobody looks at the probabilities.
        """
        ...

    def align(self, corpus: Corpus, seed: int | None, model: Path, scores: bool) -> Directed:
        """Align new text with a model. Numbers that training had not seen are unknown words."""
        ...


ENGINES: Registry[type[Engine]] = Registry(
    "aligner",
    {
        "eflomal": "wordalign.aligners.statistical.eflomal:Eflomal",
        **{
            name: f"wordalign.aligners.statistical.thot:{engine}"
            for name, engine in (
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
    """The engine of that name, with the paper's settings; an error if its packages are not installed."""
    spelled = name.lower().replace("-", "_")
    if spelled not in ENGINES:
        raise UnknownNameError("aligner", name, ENGINES)
    return ENGINES.get(spelled)()
