"""What characters look like: which can be drawn, how wide they are, and which way they run.

Pictures are laid out without a font, so widths are estimates. They are a little too wide for the fonts of
most browsers and desktops, so that words do not touch.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS = "…"

_CLUSTER = regex.compile(r"\X")
# These are illegal in XML, harmful on a terminal, or reorder the text around them. Each is replaced
# by a visible sign.
_UNDRAWABLE = regex.compile(r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]")
_MARKS = "\u061c\u200e\u200f"  # single left-to-right or right-to-left marks do no harm

_NARROW = frozenset("iljtfrI.,:;'`|!()[]{}\"-/\\ ·’‘“”")
_BROAD = frozenset("mwMWQO@%&—…œæŒÆЖШЩЮжшщю")

# The font that each script is drawn in where it is installed. Elsewhere any sans-serif font will do.
_FACES = {
    "HIRAGANA": "Noto Sans CJK JP",
    "KATAKANA": "Noto Sans CJK JP",
    "HANGUL": "Noto Sans CJK KR",
    "CJK": "Noto Sans CJK SC",
    **{
        script.upper(): f"Noto Sans {script}"
        for script in (
            "Arabic", "Armenian", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi",
            "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Sinhala", "Tamil", "Telugu", "Thai",
        )
    },
}  # fmt: skip


def drawable(text: str) -> str:
    """Replace each character that cannot or must not be drawn by a visible sign.

    >>> drawable("a\\x1b[1mb")
    'a␛[1mb'
    """
    return _UNDRAWABLE.sub(_stand_in, text)


def ems(word: str) -> float:
    """Estimate the width of a drawn word, in units of the font size."""
    return sum(map(_em, word))


def columns(word: str) -> int:
    """Count the columns of a terminal that a word takes, two for a wide character and none for a
    combining one."""
    return sum(_columns(character) for character in word)


def is_right_to_left(words: Iterable[str]) -> bool:
    """Tell whether a sentence runs from right to left, by its first character that has a direction."""
    for word in words:
        for character in word:
            direction = unicodedata.bidirectional(character)
            if direction in ("L", "R", "AL"):
                return direction != "L"
    return False


def face(word: str) -> str | None:
    """Return the font for the word's script, None for scripts that every font has.

    The first letter decides, or a sign before it that belongs to one script: `،` is Arabic.
    """
    for character in word:
        script, _, _ = unicodedata.name(character, "").partition(" ")
        if script in _FACES or character.isalpha():
            return _FACES.get(script)
    return None


def shortened(word: str, limit: float) -> str:
    """Leave out the middle of a word of more than `limit` ems. Letters keep their combining marks."""
    if ems(word) <= limit:
        return word
    clusters = _CLUSTER.findall(word)
    head: list[str] = []
    tail: list[str] = []
    room = limit - ems(ELLIPSIS)
    # Two characters are kept at the front for each one at the back, since beginnings tell words apart.
    while clusters:
        part, cluster = (tail, clusters.pop()) if len(head) > 2 * len(tail) else (head, clusters.pop(0))
        room -= ems(cluster)
        if room < 0:
            break
        part.append(cluster)
    return "".join([*head, ELLIPSIS, *reversed(tail)])


def _stand_in(match: regex.Match[str]) -> str:
    character = match.group()
    if character in _MARKS:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\N{SYMBOL FOR DELETE}" if code == 0x7F else REPLACEMENT


def _em(character: str) -> float:
    category = unicodedata.category(character)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in _NARROW:
        return 0.42
    if character in _BROAD:
        return 0.98
    if category == "Lu":
        return 0.74
    return 0.62 if character.isascii() else 0.68


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
