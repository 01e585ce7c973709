"""The paper's test sets, found by the package's registry; `eng.upos.txt` beside one has its words' tags."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from reproduction.lab.systems import NotRunError
from wordalign import data
from wordalign.data import where
from wordalign.io import read_lines
from wordalign.types import GoldAlignment

WordPair = tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class GoldSet:
    """Sentences, links and, where there are any, the parts of speech of the English words."""

    language: str
    pairs: tuple[WordPair, ...]
    golds: tuple[GoldAlignment, ...]
    tags: tuple[tuple[str, ...], ...] | None
    checksum: str

    @property
    def name(self) -> str:
        return f"eng-{self.language}"

    def counts(self) -> dict[str, int]:
        """As in Table 1: `possible` are those that are not sure."""
        sure = sum(len(gold.sure) for gold in self.golds)
        possible = sum(len(gold.possible) for gold in self.golds)
        return {"sentences": len(self.pairs), "sure": sure, "possible": possible - sure}


def read_set(folder: Path | None, language: str, limit: int | None, report: Callable[[str], None]) -> GoldSet:
    """A set, or its first `limit` sentences; `NotRunError` where it is not on this machine."""
    found = where(f"eng-{language}", folder)
    if found is None:
        raise NotRunError("gold not available")
    opened = data.GoldSet.open(found)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        golds = tuple(opened.gold)
    for note in notes:
        report(str(note.message))
    files = [opened.source_path, opened.target_path, opened.gold_path]
    tagged = found / "eng.upos.txt"
    tags = None
    if tagged.is_file():
        files.append(tagged)
        tags = tuple(tuple(line.split()) for line in read_lines(tagged))[:limit]
    checksum = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
    sides = zip(opened.source, opened.target, strict=True)
    pairs = tuple((source.words, target.words) for source, target in sides)
    return GoldSet(language, pairs[:limit], golds[:limit], tags, checksum)
