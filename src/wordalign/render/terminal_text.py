"""Pieces of a terminal's line: padded by the columns they take, coloured where that is wanted."""

from __future__ import annotations

from wordalign.render.characters import drawable, is_right_to_left

_RIGHT_TO_LEFT_ISOLATE, _POP = "\u2067", "\u2069"

# Of the 256 colours of terminals: six that read well on black and on white.
_HUES = (33, 208, 35, 170, 37, 178)
FAINT = "2"
SURE = "48;5;28;38;5;231"
POSSIBLE = "48;5;151;38;5;16"


def hue(number: int) -> str:
    return f"38;5;{_HUES[number % len(_HUES)]}"


def painted(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if colour and text else text


def shown(word: str) -> str:
    """A word that leaves the rest of its line alone, also on terminals that turn text around."""
    safe = drawable(word) or "∅"
    return f"{_RIGHT_TO_LEFT_ISOLATE}{safe}{_POP}" if is_right_to_left([safe]) else safe


def centred(text: str, taken: int, width: int) -> str:
    """The text, of which a terminal shows `taken` columns, in the middle of `width` columns."""
    left = (width - taken) // 2
    return " " * left + text + " " * (width - taken - left)
