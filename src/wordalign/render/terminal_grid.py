"""A grid for a terminal: source words as rows, target words as columns, named by a staircase.

            ┌ Das
            │ ┌ Museum
            │ │ ┌ ist
      The   ● · ·
    museum  · ● ·
        is  · · ●

A filled circle is a link of both methods or of the only one, ○ one of the first alone, □ of the second
alone. Gold cells stand in brackets, [ ] for sure and ( ) for possible ones, and on green.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wordalign.render.characters import columns, is_right_to_left, shortened
from wordalign.render.marks import Marks, marks
from wordalign.render.terminal_text import FAINT, POSSIBLE, SURE, painted, shown
from wordalign.types import GoldAlignment, Link

_SIGNS = {"common": "●", "first": "○", "second": "□"}
_NEXT_TO_A_LABEL = 2
LONGEST_WORD = 14.0  # ems


def grid_text(
    source_words: Sequence[str],
    target_words: Sequence[str],
    *,
    first: Iterable[Link],
    second: Iterable[Link] | None = None,
    gold: GoldAlignment | None = None,
    labels: tuple[str, str] = ("first", "second"),
    width: int = 80,
    colour: bool = False,
) -> str:
    """The grid as lines; columns that do not fit `width` follow below."""
    drawn = marks((source_words, target_words), first, second, gold)
    rows = [shown(shortened(word, LONGEST_WORD)) for word in source_words]
    names = [shown(shortened(word, LONGEST_WORD)) for word in target_words]
    cell = 3 if gold is not None else 2
    left = max(map(columns, rows), default=0) + _NEXT_TO_A_LABEL
    order = list(range(len(names)))
    if is_right_to_left(target_words):
        order.reverse()
    at_once = max(1, (width - left - max(map(columns, names), default=0)) // cell)
    blocks = [order[start : start + at_once] for start in range(0, len(order), at_once)] or [[]]
    lines: list[str] = []
    for block in blocks:
        lines += ["", *_stairs([names[j] for j in block], left, cell)]
        for i, row in enumerate(rows):
            label = " " * (left - _NEXT_TO_A_LABEL - columns(row)) + row + " " * _NEXT_TO_A_LABEL
            lines.append(label + "".join(_cell((i, j), drawn, cell, colour) for j in block))
    key = _legend(labels, second is not None, gold is not None)
    return "\n".join(line.rstrip() for line in [*lines[1:], *(["", key] if key else [])])


def _stairs(names: Sequence[str], left: int, cell: int) -> list[str]:
    before = " " * (left + (cell - 1) // 2)
    gap = " " * (cell - 1)
    return [before + f"│{gap}" * number + f"┌ {name}" for number, name in enumerate(names)]


def _cell(link: Link, drawn: Marks, cell: int, colour: bool) -> str:
    sign = _SIGNS[drawn.part(link)] if link in drawn.predicted else None
    if cell == 2:
        return f"{sign or painted('·', FAINT, colour)} "
    if link in drawn.sure:
        return painted(f"[{sign or ' '}]", SURE, colour)
    if link in drawn.possible:
        return painted(f"({sign or ' '})", POSSIBLE, colour)
    return f" {sign or painted('·', FAINT, colour)} "


def _legend(labels: tuple[str, str], comparing: bool, gold: bool) -> str:
    parts = [f"● both   ○ {labels[0]} only   □ {labels[1]} only"] if comparing else []
    if gold:
        parts.append("[ ] sure   ( ) possible")
    return "   ".join(parts)
