"""Every error this package raises on purpose, in one tree.

    WordalignError
    ├── UsageError             the call itself is wrong; the command line exits with 2
    │   └── UnknownNameError   no model, method … of that name; says which there are
    ├── InputError             a file or a line of it cannot be used; says which
    ├── OutputError            the result cannot be written
    ├── MissingExtraError      an optional dependency is not installed; says the install command
    └── ModelError             a model cannot be loaded or used
        ├── DownloadError      … because it could not be fetched
        └── DeviceMemoryError  … because even one sentence does not fit the device's memory

Each message says what happened and what to do next, in words a user can act on.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class WordalignError(Exception):
    """Anything that wordalign explains instead of crashing on; exits with 1."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as its sentence, which some errors make from other arguments: workers send errors.
        return _unpickled, (type(self), self.args), self.__dict__


class UsageError(WordalignError):
    """A wrong argument."""


class UnknownNameError(UsageError):
    """A name that is not registered, with the nearest ones that are."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        message = f"There is no {kind} {name!r}."
        if near:
            message += f" Did you mean {' or '.join(map(repr, near))}?"
        if known:
            message += f" Known: {', '.join(known)}."
        super().__init__(f"{message} {hint}".rstrip())


class InputError(WordalignError):
    """Input that cannot be used."""


class OutputError(WordalignError):
    """A result that cannot be written."""


class MissingExtraError(WordalignError):
    """An optional dependency that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs more packages: pip install 'wordalign[{extra}]'")


class ModelError(WordalignError):
    """A model that cannot be loaded or used."""


class DownloadError(ModelError):
    """A model that could not be fetched."""


class DeviceMemoryError(ModelError):
    """A device too small for even one sentence."""


def counted(number: int, one: str, several: str | None = None) -> str:
    """How many there are, in words of a message.

    >>> counted(1, "line"), counted(2000, "line"), counted(2, "entry", "entries")
    ('1 line', '2,000 lines', '2 entries')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def _unpickled(kind: type[WordalignError], arguments: tuple[Any, ...]) -> WordalignError:
    return kind.__new__(kind, *arguments)
