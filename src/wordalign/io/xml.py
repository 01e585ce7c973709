"""XML of any length, read as a stream: what TMX and XLIFF share.

Nothing outside of the file is ever read, and a file that declares entities of its own is refused: with them a
short file can unfold to a text without end, and translation tools do not write them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

from wordalign.errors import InputError
from wordalign.io.lines import LONGEST_LINE, open_input, shown
from wordalign.io.units import Unit

_BLOCK = 1 << 16
_SPACE = re.compile(r"[ \t\r\n]+")
# Inline elements of TMX and XLIFF whose content is code of another format, and no text.
CODES = frozenset(("ph", "bpt", "ept", "it", "ut"))


class UnitReader:
    """The base of readers. A subclass says what begins and ends: `started` and `ended`, with names that have
    no prefix; what it puts into `units` is handed on.

    `text` collects the text of an element from `collect` to `collected`, without codes within it.
    """

    root = ""  # of documents of this format
    called = ""  # what the format is called

    def __init__(self, path: str | Path) -> None:
        self.name = shown(path)
        self._path = path
        self.units: deque[Unit] = deque()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data
        self._parser.EntityDeclHandler = self._refuse_entities
        self._parser.SkippedEntityHandler = self._refuse_unknown
        self._depth = 0
        self._codes = 0  # elements of codes that are open
        self._pieces: list[str] | None = None
        self._size = 0

    def __iter__(self) -> Iterator[Unit]:
        with open_input(self._path) as stream:
            more = True
            while more:
                block = _read(stream, self.name)
                more = bool(block)
                self._parse(block, not more)
                while self.units:
                    yield self.units.popleft()
        self.finished()

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def collect(self) -> None:
        self._pieces, self._size, self._codes = [], 0, 0

    def collected(self) -> str:
        """The text since `collect`, with one space for any white space."""
        text = "".join(self._pieces or ())
        self._pieces = None
        return _SPACE.sub(" ", text).strip(" ")

    def started(self, name: str, attributes: Mapping[str, str]) -> None:
        raise NotImplementedError

    def ended(self, name: str) -> None:
        raise NotImplementedError

    def finished(self) -> None:
        """The document has ended; a reader may still refuse it."""

    def error(self, reason: str) -> InputError:
        return InputError(f"{self.name}, line {self.line}: {reason}")

    def _parse(self, block: bytes, last: bool) -> None:
        try:
            self._parser.Parse(block, last)
        except expat.ExpatError as error:
            said = expat.ErrorString(error.code)
            if error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
                said = "the document ends too early"
            raise InputError(
                f"{self.name}, line {error.lineno}: an XML parser refuses it ({said}). Mend the file there, "
                "or export it again."
            ) from None
        except (LookupError, ValueError) as error:  # a code page that Python does not know
            raise self.error(f"its encoding cannot be read ({error}). Save it as UTF-8.") from error

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        self._depth += 1
        if self._depth == 1 and local != self.root:
            raise self.error(f"the document begins with <{name}>, so it is not {self.called}.")
        if self._pieces is not None and (self._codes or local in CODES):
            self._codes += 1
        self.started(local, attributes)

    def _end(self, name: str) -> None:
        self.ended(name.rpartition(":")[2])
        if self._codes:
            self._codes -= 1
        self._depth -= 1

    def _data(self, data: str) -> None:
        if self._pieces is None or self._codes:
            return
        self._size += len(data)
        if self._size > LONGEST_LINE:
            raise self.error(f"a text is longer than {LONGEST_LINE >> 20} MiB, which no sentence is.")
        self._pieces.append(data)

    def _refuse_entities(self, name: str, *_: object) -> None:
        raise self.error(
            f"the entity {name!r} is declared here, and files that declare entities are not read. Export the "
            "file again without a document type."
        )

    def _refuse_unknown(self, name: str, *_: object) -> None:
        raise self.error(f"&{name}; stands for a character that is not known. Write the character itself.")


def _read(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.read(_BLOCK)
    except OSError as error:
        raise InputError(f"Cannot read {name}: {error.strerror or error}.") from error


def same_language(one: str, other: str) -> bool:
    """Whether a language is what was asked for: `en` is also `en-US`, but not the other way round.

    >>> same_language("en", "EN-us"), same_language("en-GB", "en")
    (True, False)
    """
    one, other = one.lower().replace("_", "-"), other.lower().replace("_", "-")
    return other == one or other.startswith(f"{one}-")
