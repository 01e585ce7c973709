"""Vectors of one language from its text: skip-gram with character n-grams (Bojanowski et al. 2017)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from wordalign.encoders.static.vectors import Vectors
from wordalign.encoders.subwords import Cut
from wordalign.errors import InputError, MissingExtraError, UsageError
from wordalign.io.whole import refuse_unwritable, whole_file
from wordalign.vectors.write import WRITABLE, write_vectors

TrainProgress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """How vectors are learned: fastText's defaults, with the paper's dimensions and fewer buckets.

    One thread and the same seed give the same vectors; several threads write into the same table without
    waiting for each other, so that no two runs give the same.
    """

    dimensions: int = 300
    epochs: int = 5
    min_count: int = 5
    window: int = 5
    negative: int = 5
    shortest: int = 3
    longest: int = 6
    buckets: int = 500_000
    rate: float = 0.05
    sample: float = 1e-4
    threads: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("dimensions", "epochs", "min_count", "window", "negative", "buckets", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be 1 or more, not {getattr(self, name)}.")
        if not 1 <= self.shortest <= self.longest:
            raise UsageError(f"N-grams of {self.shortest} to {self.longest} characters are none.")


class Trained:
    """A learned model; `save` it as text, as numbers (.npy), or with its n-grams (.bin)."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def vectors(self) -> Vectors:
        """The words, the most frequent first; their n-grams are in the .bin file only."""
        return Vectors(tuple(self._model.wv.index_to_key), self._model.wv.vectors)

    def save(self, path: str | Path) -> None:
        path = Path(path)
        if path.suffix != ".bin":
            write_vectors(path, self.vectors)
            return
        from gensim.models.fasttext import save_facebook_model

        with whole_file(path) as temporary:
            save_facebook_model(self._model, str(temporary))


def check_outputs(paths: Iterable[str | Path]) -> None:
    """Refuse files that could not be written, before hours of work."""
    for path in map(Path, paths):
        if not path.name.endswith((*WRITABLE, ".bin")):
            raise UsageError(f"Vectors are written as {', '.join(WRITABLE)} or .bin, not as {path.name!r}.")
        refuse_unwritable(path)


def train(
    lines: Iterable[str], training: Training | None = None, report: TrainProgress | None = None
) -> Trained:
    """Learn from lines of tokens between spaces; `report(done, all)` hears how many lines were read."""
    try:
        from gensim.models import FastText
    except ModuleNotFoundError as error:
        raise MissingExtraError("Learning word vectors", "static") from error
    training = training or Training()
    with tempfile.TemporaryDirectory() as folder:
        corpus = _Corpus(Path(folder) / "corpus", lines, training.epochs, report)
        model = FastText(
            sg=1,
            vector_size=training.dimensions,
            window=training.window,
            min_count=training.min_count,
            negative=training.negative,
            alpha=training.rate,
            sample=training.sample,
            min_n=training.shortest,
            max_n=training.longest,
            bucket=training.buckets,
            workers=training.threads,
            seed=training.seed,
        )
        model.build_vocab(corpus)
        if len(model.wv) < 2:
            raise InputError(
                f"Only {len(model.wv)} words occur {training.min_count} times or more in "
                f"{corpus.lines:,} lines: give more text, or a lower minimum count."
            )
        model.train(
            corpus,
            total_examples=model.corpus_count,
            total_words=model.corpus_total_words,
            epochs=training.epochs,
        )
    return Trained(model)


def training_lines(
    sentences: Iterable[Sequence[str]], *, lowercase: bool = False, cut: Cut | None = None
) -> Iterator[str]:
    """A line of tokens between single spaces for each sentence that has any.

    White space inside a word (a no-break space in a number, say) separates tokens too.
    """
    for words in sentences:
        tokens = list(words) if cut is None else [piece for pieces in cut(words) for piece in pieces]
        line = " ".join(" ".join(tokens).split())
        if line:
            yield line.lower() if lowercase else line


class _Corpus:
    """Lines kept in a file, to be read once for the vocabulary and once an epoch."""

    def __init__(self, path: Path, lines: Iterable[str], epochs: int, report: TrainProgress | None) -> None:
        self._path = path
        self._report = report
        self.lines = 0
        with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
            for line in lines:
                stream.write(f"{line}\n")
                self.lines += 1
        self._done, self._all = 0, self.lines * (epochs + 1)

    def __iter__(self) -> Iterator[list[str]]:
        with self._path.open(encoding="utf-8", newline="\n") as stream:
            for line in stream:
                self._done += 1
                if self._report is not None and (self._done % 1000 == 0 or self._done == self._all):
                    self._report(self._done, self._all)
                yield line.split()
