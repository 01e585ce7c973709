"""TMX files, the memories of translation tools: units (`<tu>`) with texts in two languages or more (`<tuv>`).

The source is the language that was chosen, or the one that the header names (`srclang`), or the first one
of the file; the target is the one that was chosen, or the only other one. A file with more languages must
be told which, so that no unit gets lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from wordalign.errors import InputError
from wordalign.io.units import Chosen, Unit
from wordalign.io.xml import UnitReader, same_language

_ANY = "*all*"  # srclang of files in which each language may be the source
_SHOWN = 20


def read_tmx(path: str | Path, chosen: Chosen) -> Iterator[Unit]:
    """The units of a TMX file; inline codes are left out of the texts."""
    return iter(_TmxReader(path, chosen))


class _TmxReader(UnitReader):
    root, called = "tmx", "a TMX file"

    def __init__(self, path: str | Path, chosen: Chosen) -> None:
        super().__init__(path)
        self._wanted = [chosen.source_language, chosen.target_language]
        self._is_sure = [language is not None for language in self._wanted]
        self._seen: dict[str, None] = {}  # languages, in order
        self._pairs = 0
        self._texts: dict[str, str] = {}  # of the unit, by language
        self._language = ""
        self._begins = 0

    def started(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "header":
            self._read_header(attributes.get("srclang", _ANY))
        elif name == "tu":
            self._texts, self._begins = {}, self.line
        elif name == "tuv":
            self._language = attributes.get("xml:lang") or attributes.get("lang") or ""
        elif name == "seg":
            self.collect()

    def ended(self, name: str) -> None:
        if name == "seg":
            self._texts.setdefault(self._language, self.collected())
        elif name == "tu":
            self._seen |= dict.fromkeys(self._texts)
            source, target = self._languages()
            self._pairs += source is not None and target is not None
            sides = ["" if language is None else self._texts[language] for language in (source, target)]
            self.units.append(Unit(sides[0], sides[1], self._begins))

    def finished(self) -> None:
        if self._seen and not self._pairs:
            source, target = (language or "another language" for language in self._wanted)
            raise InputError(
                f"No unit of {self.name} has texts in {source} and in {target}. Its languages are "
                f"{self._listed()}: choose among them with --source-language and --target-language."
            )

    def _read_header(self, language: str) -> None:
        source, target = self._wanted
        reversed_ = target is not None and _match(target, [language]) is not None
        if source is None and language.lower() != _ANY and not reversed_:
            self._wanted[0], self._is_sure[0] = language, True

    def _languages(self) -> list[str | None]:
        """Find the languages of the unit that are the source and the target; None where it has no such text.

        A side that nobody has chosen is the first language that is left over. Then a third one is an error.
        """
        found: list[str | None] = []
        rest = list(self._texts)
        for wanted in self._wanted:
            match = None if wanted is None else _match(wanted, rest)
            found.append(match)
            if match is not None:
                rest.remove(match)
        for side in range(2):
            if self._wanted[side] is None and rest:
                self._wanted[side] = found[side] = rest.pop(0)
        if rest and not all(self._is_sure):
            raise self.error(
                f"there are more than two languages, {self._listed()}: choose two with --source-language "
                "and --target-language."
            )
        return found

    def _listed(self) -> str:
        return ", ".join(name or "one without a name" for name in list(self._seen)[:_SHOWN])


def _match(wanted: str, languages: list[str]) -> str | None:
    """The language that is meant: the same one, or else the first that is a kind of it."""
    exact = (language for language in languages if language.lower() == wanted.lower())
    kinds = (language for language in languages if same_language(wanted, language))
    return next(exact, None) or next(kinds, None)
