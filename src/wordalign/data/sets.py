"""The registry of public gold sets: `sets.toml` as values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wordalign.errors import UnknownNameError


@dataclass(frozen=True, slots=True)
class DataSet:
    """What is known of a gold set; `sets.toml` explains each field."""

    name: str
    use: str
    title: str
    origin: str
    licence: str
    citation: str
    layout: str
    urls: tuple[str, ...] = ()
    sha256: tuple[str, ...] = ()
    request: str = ""
    sentences: tuple[int, ...] = ()
    sure: tuple[int, ...] = ()
    possible: tuple[int, ...] = ()
    source: str = ""
    target: str = ""
    gold: str = ""
    encoding: str = "utf-8"
    base: int | None = None
    swapped: bool = False

    @property
    def languages(self) -> tuple[str, str]:
        """`eng-deu.bicici` -> `("eng", "deu")`."""
        return languages_of(self.name)

    def how_to_get(self, root: Path) -> str:
        """What a user can do to have the set in the data folder `root`, in sentences."""
        if self.urls:
            return f"Get it with `wordalign data get {self.name}`."
        files = ", ".join([*(f"{language}.txt" for language in self.languages), "gold.txt"])
        way = f"It cannot be downloaded by a program. {self.request} Page: {self.origin}."
        if self.layout != "folder":
            way += f" With the file: wordalign data get {self.name} --url FILE."
        return f"{way} Or put {files} into {root / self.name} (docs/data.md says in what form)."

    @property
    def verified(self) -> bool:
        """Whether this project has ever seen the files behind the addresses."""
        return bool(self.sha256)


def languages_of(name: str) -> tuple[str, str]:
    source, _, target = name.partition(".")[0].partition("-")
    return source, target


@cache
def known_sets() -> Mapping[str, DataSet]:
    """All registered sets by name, test sets first."""
    table = tomllib.loads(resources.files(__package__).joinpath("sets.toml").read_text("utf-8"))
    return MappingProxyType({name: _data_set(name, fields) for name, fields in table.items()})


def lookup(name: str) -> DataSet:
    """The set of that name; `UnknownNameError` with the nearest names if there is none."""
    if name not in known_sets():
        raise UnknownNameError("data set", name, known_sets())
    return known_sets()[name]


def _data_set(name: str, fields: Mapping[str, Any]) -> DataSet:
    frozen: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    return DataSet(name=name, **frozen)
