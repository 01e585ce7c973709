"""A pattern of Python's `re` or of `regex` -> the same pattern for JavaScript's RegExp, with the flag `u`.

    (?i:qu)['’](?=\\w++)   ->   [qQ][uU][\\u{27}\\u{2019}](?=(?=(?<p1>[\\p{L}\\p{N}_]+))\\k<p1>)

JavaScript has no possessive runs: a group inside a lookahead is never entered again, so that does the same.
Letters that are read in any case are spelled out, because not every engine can switch that within a pattern.
What cannot be translated is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex

# What Python calls white space (`str.isspace`) and a digit.
SPACE = r"\t-\r\u{1c}-\u{20}\u{85}\u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}"
DIGIT = r"\p{Nd}"
# A letter of a word: `re` has no marks in it, `regex` has.
WORD = r"\p{L}\p{N}_"
WORD_OF_REGEX = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u{200c}\u{200d}"

_PROPERTY = re.compile(r"\\p\{([A-Za-z_]+(?:=[A-Za-z_]+)?)\}")
_PRIVATE = 0xF8A0  # characters that stand for properties, which `re` cannot read

Matches = Callable[[str, str], bool]


def javascript(pattern: str, engine: Any = re) -> str:
    """The pattern for `new RegExp(source, "u")`; `engine` is the module that it was written for."""
    properties: list[str] = []

    def stand_in(found: re.Match[str]) -> str:
        properties.append(found[0])
        return chr(_PRIVATE + len(properties) - 1)

    return _Writer(properties, engine).write(parser.parse(_PROPERTY.sub(stand_in, pattern)), any_case=False)


class _Writer:
    def __init__(self, properties: list[str], engine: Any) -> None:
        self._properties = properties
        self._engine = engine
        self._atoms = 0

    def write(self, items: Iterable[Any], any_case: bool) -> str:
        return "".join(self._item(kind, value, any_case) for kind, value in items)

    def _item(self, kind: Any, value: Any, any_case: bool) -> str:
        if kind is kinds.LITERAL:
            return self._class([(kind, value)], any_case)
        if kind is kinds.NOT_LITERAL:
            return self._class([(kinds.NEGATE, None), (kinds.LITERAL, value)], any_case)
        if kind is kinds.ANY:
            return r"[^\n]"
        if kind is kinds.IN:
            return self._class(value, any_case)
        if kind is kinds.BRANCH:
            return f"(?:{'|'.join(self.write(branch, any_case) for branch in value[1])})"
        if kind is kinds.SUBPATTERN:
            return self._group(*value, any_case)
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            return self._repeat(kind, *value, any_case)
        if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
            direction, inner = value
            sign = "=" if kind is kinds.ASSERT else "!"
            return f"(?{'<' if direction < 0 else ''}{sign}{self.write(inner, any_case)})"
        if kind is kinds.AT:
            return self._place(value)
        raise ValueError(f"{kind} cannot be written for JavaScript yet")

    def _group(self, number: int | None, on: int, off: int, inner: Any, any_case: bool) -> str:
        if off or on & ~re.IGNORECASE:
            raise ValueError("only the flag (?i:…) can be written for JavaScript")
        written = self.write(inner, any_case or bool(on & re.IGNORECASE))
        # A pattern has one group with a name or a number at most.
        return f"(?:{written})" if number is None else f"(?<found>{written})"

    def _repeat(self, kind: Any, least: int, most: int, inner: Any, any_case: bool) -> str:
        many = most is kinds.MAXREPEAT
        count = {(0, True): "*", (1, True): "+", (0, False): "?" if most == 1 else ""}.get((least, many), "")
        count = count or (f"{{{least},}}" if many else f"{{{least},{most}}}")
        repeated = f"(?:{self.write(inner, any_case)}){count}"
        if kind is kinds.MIN_REPEAT:
            return f"{repeated}?"
        if kind is kinds.MAX_REPEAT:
            return repeated
        self._atoms += 1
        return f"(?=(?<p{self._atoms}>{repeated}))\\k<p{self._atoms}>"

    def _place(self, place: Any) -> str:
        if place is kinds.AT_BEGINNING_STRING or place is kinds.AT_BEGINNING:
            return "(?<![^])"
        if place is kinds.AT_END_STRING or place is kinds.AT_END:  # no word ends with a line break
            return "(?![^])"
        if place is kinds.AT_BOUNDARY and self._engine is regex:
            word = f"[{WORD_OF_REGEX}]"
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        raise ValueError(f"{place} cannot be written for JavaScript yet")

    def _class(self, members: list[tuple[Any, Any]], any_case: bool) -> str:
        negated = members[0][0] is kinds.NEGATE
        inside, beside = [], []
        for kind, value in members[negated:]:
            if kind is kinds.LITERAL:
                inside.append(self._literal(value, any_case))
            elif kind is kinds.RANGE and any_case:
                inside += [self._literal(number, any_case) for number in range(value[0], value[1] + 1)]
            elif kind is kinds.RANGE:
                inside.append(f"{_escaped(value[0])}-{_escaped(value[1])}")
            elif value is kinds.CATEGORY_SPACE:
                inside.append(SPACE)
            elif value is kinds.CATEGORY_DIGIT:
                inside.append(DIGIT)
            elif value is kinds.CATEGORY_WORD and self._engine is re:
                inside.append(WORD)
            elif value is kinds.CATEGORY_NOT_WORD and self._engine is re and not negated:
                beside.append(f"[^{WORD}]")  # a class of JavaScript cannot hold the opposite of another one
            else:
                raise ValueError(f"{kind} {value} cannot be written for JavaScript yet")
        if negated and any_case:
            raise ValueError("a negated class in any case cannot be written for JavaScript yet")
        written = "".join(inside)
        if not negated and not beside and len(members) == 1 and len(set(written)) == len(written) == 1:
            return written
        return (
            "|".join([f"[{'^' * negated}{written}]", *beside])
            if not beside
            else (f"(?:{'|'.join([f'[{written}]'] * bool(inside) + beside)})")
        )

    def _literal(self, number: int, any_case: bool) -> str:
        if _PRIVATE <= number < _PRIVATE + len(self._properties):
            return self._properties[number - _PRIVATE]
        if not any_case:
            return _escaped(number)
        return "".join(_escaped(ord(letter)) for letter in _in_any_case(chr(number), self._engine))


def _escaped(number: int) -> str:
    letter = chr(number)
    return letter if letter.isascii() and letter.isalnum() else f"\\u{{{number:x}}}"


@cache
def _in_any_case(letter: str, engine: Any) -> tuple[str, ...]:
    """The characters that the engine takes for the letter when case does not count."""
    relatives = _relatives()
    found = {letter, *(other for key in _keys(letter) for other in relatives.get(key, ()))}
    pattern = engine.compile(f"(?i:{re.escape(letter)})")
    return tuple(sorted(other for other in found if pattern.fullmatch(other)))


def _keys(letter: str) -> set[str]:
    # A single letter of several counts too: İ is written small as i with a dot above it.
    return {letter, letter.upper(), letter.upper().lower(), letter.lower()[0], letter.casefold()[0]}


@cache
def _relatives() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number in range(0x110000):
        letter = chr(number)
        for key in _keys(letter):
            if key != letter:
                found.setdefault(key, []).append(letter)
                found.setdefault(letter, []).append(key)
    return {key: [other for other in others if len(other) == 1] for key, others in found.items()}
