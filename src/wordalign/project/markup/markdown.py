"""Emphasis, code and links of Markdown, as elements of plain text.

    "Press **Save** in [the menu](menu.md)."   ->   ** ** over "Save", [ ](menu.md) over "the menu"

Marks that have no partner are text, as Markdown has it. Tags of HTML are kept as points.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from wordalign.project.markup.syntax import (
    ANCHOR,
    DEEPEST,
    PLACEHOLDER,
    Element,
    MalformedError,
    Marked,
    finished,
)

_INLINE = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)(?P<code>(?:(?!(?P=ticks)).)+?)(?P=ticks)(?!`)"
    r"|(?P<tag><[^<>\s][^<>]*>)"
    r"|(?P<link>!?\[)"
    r"|(?P<end>\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)|\[[^\[\]]*\])?)"
    r"|(?P<mark>\*\*\*|___|\*\*|__|~~|\*|_)",
    re.DOTALL,
)


@dataclass(slots=True)
class _Piece:
    """A stretch of the line: text, or a mark that may open or close an element."""

    written: str
    kind: str = "text"
    opens: bool = False
    closes: bool = False
    partner: int = -1


def parse_markdown(written: str, in_target: Counter[str] | None = None) -> Marked:
    """Read one paragraph, heading or item."""
    pieces = list(_pieces(written))
    _pair(pieces)
    left = Counter(in_target or ())
    text: list[str] = []
    size = 0
    anchors: dict[int, str] = {}
    levels: list[list[Element]] = [[]]
    opened: list[int] = []

    def add(piece: str) -> None:
        nonlocal size
        text.append(piece)
        size += len(piece)

    def add_thing(piece: str, is_text: bool) -> None:
        if left[piece] > 0:
            left[piece] -= 1
            anchors[size] = piece
            add(ANCHOR)
        else:
            levels[-1].append(Element(piece, "", size, size, is_text=is_text))

    for number, piece in enumerate(pieces):
        if piece.partner > number:
            if len(levels) > DEEPEST:
                raise MalformedError(f"Elements are nested more than {DEEPEST} deep.")
            levels.append([])
            opened.append(size)
        elif piece.partner >= 0:
            inner, start = tuple(levels.pop()), opened.pop()
            levels[-1].append(Element(pieces[piece.partner].written, piece.written, start, size, inner))
        elif piece.kind == "point":
            add_thing(piece.written, is_text=False)
        else:
            place = 0
            for found in PLACEHOLDER.finditer(piece.written):
                add(piece.written[place : found.start()])
                add_thing(found.group(), is_text=True)
                place = found.end()
            add(piece.written[place:])
    return finished("".join(text), tuple(levels[0]), anchors)


def _pieces(written: str) -> Iterator[_Piece]:
    place = 0
    for found in _INLINE.finditer(written):
        if found.start() > place:
            yield _Piece(written[place : found.start()])
        place = found.end()
        before, after = written[max(0, found.start() - 1) : found.start()], written[place : place + 1]
        if found["code"]:
            yield _Piece(found["ticks"], "code", opens=True)
            yield _Piece(found["code"])
            yield _Piece(found["ticks"], "code", closes=True)
        elif found["tag"]:
            yield _Piece(found.group(), "point")
        elif found["link"]:
            yield _Piece(found.group(), "link", opens=True)
        elif found["end"]:
            yield _Piece(found.group(), "link", closes=len(found.group()) > 1)
        elif found["mark"]:
            inside = "_" in found.group() and before.isalnum() and after.isalnum()
            opens, closes = bool(after.strip()) and not inside, bool(before.strip()) and not inside
            yield _Piece(found.group(), found.group(), opens, closes)
        else:
            yield _Piece(found.group())
    yield _Piece(written[place:])


def _pair(pieces: list[_Piece]) -> None:
    """Say of each mark which other one it belongs to; what stands open between two partners is text."""
    waiting: list[int] = []
    for number, piece in enumerate(pieces):
        if piece.closes:
            at = next(
                (k for k in reversed(range(len(waiting))) if pieces[waiting[k]].kind == piece.kind), None
            )
            if at is not None and number - waiting[at] > 1:
                piece.partner, pieces[waiting[at]].partner = waiting[at], number
                del waiting[at:]
                continue
        if piece.opens:
            waiting.append(number)
