"""XLIFF files of translation tools, 1.2 (`<trans-unit>`) and 2.x (`<segment>`): a source and its translation.

Where a tool has cut a unit into sentences (`<mrk mtype="seg">` on both sides), each of them is a unit.
What a machine or a memory offers beside it (`<alt-trans>`, `<matches>`) is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wordalign.errors import InputError, counted
from wordalign.io.units import Chosen, Unit
from wordalign.io.xml import UnitReader, same_language

_UNITS = ("trans-unit", "segment")
_SIDES = ("source", "seg-source", "target")
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
        self._segments: dict[str, dict[str, str]] = {}  # sentences of each side, by their names
        self._side = ""
        self._marks: list[str | None] = []  # the sentences and, as None, other marks that are open
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
            self._texts, self._segments, self._begins = {}, {}, self.line
        elif name in _SIDES:
            self._side = name
            self.collect()
        elif name == "mrk":
            is_segment = attributes.get("mtype") == "seg"
            self._marks.append(attributes.get("mid", "") if is_segment else None)
            if is_segment:
                self.collect()

    def ended(self, name: str) -> None:
        if self._aside:
            self._aside -= 1
        elif name in _SIDES:
            self._texts[name] = self.collected() or " ".join(self._segments.get(name, {}).values())
        elif name == "mrk":
            segment = self._marks.pop()
            if segment is not None:
                self._segments.setdefault(self._side, {})[segment] = self.collected()
        elif name in _UNITS:
            sources = self._segments.get("seg-source") or self._segments.get("source")
            targets = self._segments.get("target")
            if sources and targets:
                for segment, source in sources.items():
                    self._add({"source": source, "target": targets.get(segment, "")})
            else:
                self._add(self._texts)

    def _add(self, texts: Mapping[str, str]) -> None:
        self._read += 1
        source, target = (texts.get(side, "") for side in self._order or ("", ""))
        self._pairs += bool(source and target)
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
