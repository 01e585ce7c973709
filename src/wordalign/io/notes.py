"""What a reader noticed on the way through a file: how often, and where first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Report: TypeAlias = Callable[[str], None]


class Notes:
    """
    >>> notes = Notes()
    >>> notes.add("Empty lines: {count} (first: line {first}).", "3")
    >>> notes.add("Empty lines: {count} (first: line {first}).", "8")
    >>> notes.report(print)
    Empty lines: 2 (first: line 3).
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, sentence: str, where: str = "", times: int = 1) -> None:
        """`sentence` has a place for {count} and may have one for {first}."""
        seen, first = self._found.get(sentence, (0, where))
        self._found[sentence] = seen + times, first

    def report(self, to: Report) -> None:
        for sentence, (count, first) in self._found.items():
            to(sentence.replace("{count}", f"{count:,}").replace("{first}", first))
