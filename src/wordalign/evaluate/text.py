"""Counting links without parsing them: two lines are compared as sets of their tokens.

`3-4` is written in one way only, so equal links are equal text. Lines with anything else (leading zeros, a
link given twice, a word that is no link) are left to the parser: the answer for them is None.

>>> TextCounter()("0-0 1p2 2-1", "0-0 1-2 3-3")
Counts(predicted=3, right_possible=2, right_sure=1, sure=2)
>>> TextCounter()("0-0", "0-0 00-1") is None
True
"""

from __future__ import annotations

import regex

from wordalign.evaluate.counts import Counts

_PLAIN = regex.compile(r"(?:0|[1-9][0-9]*)[-p](?:0|[1-9][0-9]*)")
_MOST_TOKENS = 1 << 16


class TextCounter:
    """Remembers the tokens that were found to be links: corpora repeat the same few thousand."""

    def __init__(self) -> None:
        self._plain: set[str] = set()

    def __call__(self, gold: str, links: str) -> Counts | None:
        """The counts of one sentence from its gold and its predicted line, both counted from 0."""
        listed = gold.split()
        expected, predicted = set(listed), set(links.split())
        if len(expected) < len(listed) or "p" in links:
            return None
        plain = self._plain
        if not (expected <= plain and predicted <= plain) and not self._learn(expected | predicted):
            return None
        right_sure = len(predicted & expected)
        if "p" not in gold:
            return Counts(len(predicted), right_sure, right_sure, len(expected))
        possible = set(gold.replace("p", "-").split())
        if len(possible) < len(expected):
            return None
        return Counts(len(predicted), len(predicted & possible), right_sure, gold.count("-"))

    def _learn(self, tokens: set[str]) -> bool:
        if not all(map(_PLAIN.fullmatch, tokens)):
            return False
        if len(self._plain) < _MOST_TOKENS:
            self._plain |= tokens
        return True
