"""XLIFF files of translation tools, 1.2 (`<trans-unit>`) and 2.x (`<segment>`): a source and its translation.

What a machine or a memory offers beside it (`<alt-trans>`, `<matches>`) is not read. A unit without a
translation has two empty sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wordalign.errors import InputError, counted
from wordalign.io.units import Chosen, Unit
from wordalign.io.xml import UnitReader, same_language

_UNITS = ("trans-unit", "segment")
# What holds other sources and targets than those of the unit itself.
_ASIDE = ("alt-trans", "matches", "glossary", "ignorable", "note")


def read_xliff(path: str | Path, chosen: Chosen) -> Iterator[Unit]:
    """The units of an XLIFF file; inline codes are left out of the texts."""
    return iter(_XliffReader(path, chosen))


class _XliffReader(UnitReader):
    root, called = "xliff", "an XLIFF file"

    def __init__(self, path: str | Path, chosen: Chosen) -> None:
        super().__init__(path)
        self._wanted = (chosen.source_language, chosen.target_language)
        self._languages: tuple[str, str] = ("", "")  # as the file says; empty where it does not
        self._seen: dict[tuple[str, str], None] = {}
        self._order: tuple[str, str] | None = ("source", "target")  # None where the languages are others
        self._texts: dict[str, str] = {}
        self._aside = 0
        self._begins = self._read = self._pairs = 0

    def started(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._aside or name in _ASIDE:
            self._aside += 1
        elif name in ("xliff", "file"):
            source = attributes.get("srcLang") or attributes.get("source-language")
            target = attributes.get("trgLang") or attributes.get("target-language")
            self._languages = (source or self._languages[0], target or self._languages[1])
            if name == "file":
                self._choose()
        elif name in _UNITS:
            self._texts, self._begins = {}, self.line
        elif name in ("source", "target"):
            self.collect()

    def ended(self, name: str) -> None:
        if self._aside:
            self._aside -= 1
        elif name in ("source", "target"):
            self._texts[name] = self.collected()
        elif name in _UNITS:
            self._read += 1
            if self._order is None or not all(map(self._texts.get, self._order)):
                self.units.append(Unit(line=self._begins))
            else:
                self._pairs += 1
                source, target = (self._texts[side] for side in self._order)
                self.units.append(Unit(source, target, self._begins))

    def finished(self) -> None:
        if self._read and not self._pairs:
            listed = "; ".join(f"from {one or '?'} to {other or '?'}" for one, other in self._seen)
            raise InputError(
                f"{self.name} has {counted(self._read, 'unit')}, but no translation that was asked for. Its "
                f"languages: {listed}."
            )

    def _choose(self) -> None:
        """Decide how the units of this part are read: as they are, the other way round, or not at all."""
        self._seen[self._languages] = None
        if len(self._seen) > 1 and self._wanted == (None, None):
            listed = "; ".join(f"from {one or '?'} to {other or '?'}" for one, other in self._seen)
            raise self.error(
                f"there are several pairs of languages ({listed}): choose one with --source-language and "
                "--target-language."
            )
        source, target = self._languages
        if _fits(self._wanted, (source, target)):
            self._order = ("source", "target")
        else:
            self._order = ("target", "source") if _fits(self._wanted, (target, source)) else None


def _fits(wanted: tuple[str | None, str | None], languages: tuple[str, str]) -> bool:
    """Whether these languages are the wanted ones; a language that the file does not name may be any."""
    pairs = zip(wanted, languages, strict=True)
    return all(not one or not other or same_language(one, other) for one, other in pairs)
