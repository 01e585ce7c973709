"""Parallel text for the statistical aligners, tokenised by the package's own rules."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from wordalign.text import split_words

WordPair = tuple[tuple[str, ...], tuple[str, ...]]

# The paper trains ENG-DEU on EuroParl alone; where a file names each line's source, so do we.
ONE_SOURCE = {"deu": "europarl-direct"}


def find_text(folder: Path | None, language: str) -> Path | None:
    """`eng-deu.tsv`, or the same compressed."""
    names = [f"eng-{language}.tsv{ending}" for ending in ("", ".xz", ".gz")]
    return next((folder / name for name in names if folder and (folder / name).is_file()), None)


def read_text(path: Path, language: str, limit: int) -> list[WordPair]:
    """The first pairs of a file (English, other language, and maybe the source's name), as words."""
    # Each word is kept once, however often it occurs: the text would not fit otherwise.
    known: dict[str, str] = {}

    def words(text: str) -> tuple[str, ...]:
        return tuple(known.setdefault(word, word) for word in split_words(text).words)

    pairs = islice(_columns(path, ONE_SOURCE.get(language)), limit)
    return [(words(english), words(other)) for english, other in pairs]


def _columns(path: Path, source: str | None) -> Iterator[tuple[str, str]]:
    openers = {".xz": lzma.open, ".gz": gzip.open}
    with openers.get(path.suffix, open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            english, other, *rest = line.rstrip("\n").split("\t")
            if not rest or source is None or rest[0] == source:
                yield english, other
