"""A gold set on disk: two files of tokenised sentences and one of gold links, line by line.

eng-deu/eng.txt    the house is small
eng-deu/deu.txt    das Haus ist klein
eng-deu/gold.txt   0-0 1-1 2-2 3p3           counted from 0; - sure, p possible; English first
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wordalign.data.sets import languages_of
from wordalign.errors import InputError
from wordalign.io import check_parallel, read_lines, tokenized
from wordalign.types import GoldAlignment, Sentence

GOLD_FILE = "gold.txt"


@dataclass(frozen=True)
class GoldSet:
    """A gold set; its files are read when they are first asked for."""

    name: str
    languages: tuple[str, str]
    source_path: Path
    target_path: Path
    gold_path: Path

    @classmethod
    def open(cls, folder: Path) -> GoldSet:
        """The set in a folder, after a check that its files are there and have equally many lines."""
        gold = folder / GOLD_FILE
        if not gold.is_file():
            raise InputError(f"{folder} is not a gold set: it has no {GOLD_FILE}.")
        languages = _languages(folder)
        source, target = (folder / f"{language}.txt" for language in languages)
        check_parallel(source, target)
        check_parallel(source, gold)
        return cls(folder.name, languages, source, target, gold)

    @cached_property
    def source(self) -> list[Sentence]:
        return [tokenized(line) for line in read_lines(self.source_path)]

    @cached_property
    def target(self) -> list[Sentence]:
        return [tokenized(line) for line in read_lines(self.target_path)]

    @cached_property
    def gold(self) -> list[GoldAlignment]:
        from wordalign.io.gold import read_gold

        source_words, target_words = map(len, self.source), map(len, self.target)
        return list(
            read_gold(
                self.gold_path, gold_format="pharaoh", source_words=source_words, target_words=target_words
            )
        )


def _languages(folder: Path) -> tuple[str, str]:
    """The languages by the folder's name, or else by the only two files of text; English comes first."""
    named = languages_of(folder.name)
    if all(named) and all((folder / f"{language}.txt").is_file() for language in named):
        return named
    stems = {path.stem for path in folder.glob("*.txt") if path.name != GOLD_FILE and "." not in path.stem}
    if len(stems) != 2:
        raise InputError(
            f"{folder} is not a gold set: beside {GOLD_FILE} it needs one file of sentences for each "
            f"language, as in eng.txt and deu.txt; it has {', '.join(sorted(stems)) or 'none'}."
        )
    first, second = sorted(stems, key=lambda stem: (stem != "eng", stem))
    return first, second
