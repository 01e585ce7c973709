"""Raw text -> words with character offsets, by the Unicode word rules (UAX #29).

    "Don't stop: 東京へ."  ->  Do | n't | stop | : | 東 | 京 | へ | .

Addresses, tags and the like stay whole (`whole.py`); words with an apostrophe are cut as treebanks cut them
(`clitics.py`).
Scripts that write no spaces come out as characters (Chinese, Japanese) or syllables (Thai, Lao, Khmer,
Burmese, Tibetan; `syllables.py`). A segmenter replaces that: a function from a run of such text to its words,
in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

import regex

from wordalign.errors import InputError
from wordalign.text.clitics import clitic_cuts, depends_on_text
from wordalign.text.syllables import syllables
from wordalign.text.whole import may_have_whole, reaches_beyond_space, whole_spans
from wordalign.types import Sentence

Segmenter: TypeAlias = Callable[[str], Iterable[str]]
Span: TypeAlias = tuple[int, int]

# Scripts without spaces; those of one string stand mixed within words.
_UNSPACED = (
    r"\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー",
    *(rf"\p{{Script={name}}}" for name in ("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Yi")),
)
_UNSPACED_RUN = regex.compile(
    "|".join(rf"[{letters}][{letters}\p{{M}}\u200c\u200d]*+" for letters in _UNSPACED)
)
_ZERO_WIDTH_SPACE = "\u200b"  # separates words in Khmer, Thai and Burmese; `str.isspace` does not know it
# All unspaced scripts lie here: a text without such characters needs no search for them.
_HIGH = re.compile(r"[\u0e00-\u1fff\u2e80-\U0010ffff]")
_BOUNDARY = regex.compile(r"\b", flags=regex.WORD | regex.V1)

# Letters and digits that stick together, and marks that stand alone: most sentences of European languages
# have nothing else, and no mark where it could be part of a number, an abbreviation or an address. For them,
# two simple expressions do what all rules together do.
_LETTERS = "0-9A-Za-zÀ-ÖØ-öø-ɏΆΈ-ΊΌΎ-ΡΣ-ώЀ-ҁҊ-ӿ"
_MARKS = r",;:.!?()\[\]\"\-–—„“”«»"
_PLAIN = re.compile(rf"[{_LETTERS}{_MARKS} ]*+")
_INNER_MARK = re.compile(rf"[,;:.][{_LETTERS}]")
_PLAIN_WORD = re.compile(rf"[{_LETTERS}]+|[{_MARKS}]")

# Most of a text is made of few tokens, so how they are cut is remembered: some megabytes.
REMEMBERED_TOKENS = 1 << 16
LONGEST_REMEMBERED = 40
_CUTS: dict[str, tuple[Span, ...]] = {}
_ALONE: tuple[Span, ...] = ((0, 0),)  # the token is a word
_IN_CONTEXT: tuple[Span, ...] = ((1, 1),)  # the rest of the text decides
_JOINED: tuple[Span, ...] = ((2, 2),)  # its neighbours decide
# Marks and controls belong to what stands before them, be it a space, as does any other kind of space; and
# `regex` holds letters of flags together with the space behind them.
_HOLDER = r"[\p{M}\p{C}\p{Z}\p{WB=Extend}\p{WB=Format}]|\p{Regional_Indicator}"
_HOLDS_SPACE = regex.compile(f"^{_HOLDER}", flags=regex.V1)
_HOLDS_SPACE_INSIDE = regex.compile(_HOLDER, flags=regex.V1)


def split_words(text: str, segmenter: Segmenter | None = None) -> Sentence:
    """Find the words of `text`; white space is dropped, everything else belongs to some word."""
    if _PLAIN.fullmatch(text) and not _INNER_MARK.search(text):
        return Sentence(
            tuple(_PLAIN_WORD.findall(text)), text, tuple(map(re.Match.span, _PLAIN_WORD.finditer(text)))
        )
    spans: list[Span] = []
    end = 0
    for start, stop in whole_spans(text):
        _add_written(spans, text, end, start, segmenter)
        spans.append((start, stop))
        end = stop
    _add_written(spans, text, end, len(text), segmenter)
    return Sentence(tuple([text[start:end] for start, end in spans]), text, tuple(spans))


def find_words(text: str, segmenter: Segmenter | None = None) -> Sentence:
    """The same words without their places, which is quicker: for those who need no raw text again."""
    if _PLAIN.fullmatch(text) and not _INNER_MARK.search(text):
        return Sentence(tuple(_PLAIN_WORD.findall(text)))
    return Sentence(split_words(text, segmenter).words)


def words_of_token(token: str) -> tuple[str, ...] | None:
    """The words of what stands between two spaces, or None where the rest of its text may decide.

    A text of which all tokens have words has theirs, one after the other, whatever the segmenter.

    >>> words_of_token("(3.5%)"), words_of_token("foto's")
    (('(', '3.5', '%', ')'), None)
    """
    return find_words(token).words if _stands_alone(token) else None


def _stands_alone(token: str) -> bool:
    """Whether nothing beside a token, and no segmenter, has a say in its words."""
    if _PLAIN.fullmatch(token):
        return True
    if reaches_beyond_space(token) or depends_on_text(token):
        return False
    if _HIGH.search(token) and _UNSPACED_RUN.search(token):
        return False
    whole = may_have_whole(token)
    if not whole and ("://" in token or "www." in token):
        return False  # an odd address, which is looked for only if something else in the text is
    # Where an address or a clitic is taken out, what is behind it begins anew.
    inside = whole or "'" in token or "’" in token
    return (_HOLDS_SPACE_INSIDE if inside else _HOLDS_SPACE).search(token) is None


def _add_written(spans: list[Span], text: str, start: int, end: int, segmenter: Segmenter | None) -> None:
    """Add the words of `text[start:end]`, which is natural language in any mixture of scripts."""
    if _HIGH.search(text, start, end):
        for run in _UNSPACED_RUN.finditer(text, start, end):
            _add_spaced(spans, text, start, run.start())
            start = run.start()
            pieces = syllables(run.group()) if segmenter is None else _segmented(run.group(), segmenter)
            for piece in pieces:
                spans.append((start, start + len(piece)))
                start += len(piece)
    _add_spaced(spans, text, start, end)


def _add_spaced(spans: list[Span], text: str, start: int, end: int) -> None:
    """Add the words of `text[start:end]`, which has no letter of an unspaced script."""
    part = text[start:end]
    place, added = start, len(spans)
    # There is a boundary on both sides of every space, so what stands between two of them is cut by itself,
    # and the same piece of text always in the same way.
    for token in part.split(" "):
        if token:
            cuts = _CUTS.get(token)
            if cuts is None:
                cuts = _cuts(token)
            if cuts is _ALONE:
                spans.append((place, place + len(token)))
            elif cuts is _IN_CONTEXT:
                _add_pieces(spans, text, place, token)
            elif cuts is _JOINED:
                del spans[added:]
                _add_pieces(spans, text, start, part)
                return
            else:
                for first, last in cuts:
                    spans.append((place + first, place + last))
        place += len(token) + 1


def _add_pieces(spans: list[Span], text: str, start: int, part: str) -> None:
    """Add the words of `part`, which begins at `start` of the text."""
    clitics = "'" in part or "’" in part
    for piece in _BOUNDARY.split(part):
        end = start + len(piece)
        if piece and not piece.isspace() and piece != _ZERO_WIDTH_SPACE:
            if clitics and ("'" in piece or "’" in piece):
                for cut in clitic_cuts(piece, text):
                    spans.append((start, end - len(piece) + cut))
                    start = end - len(piece) + cut
            spans.append((start, end))
        start = end


def _cuts(token: str) -> tuple[Span, ...]:
    """Where the words of a token without spaces are, or one of three marks that say how to find out."""
    if len(_CUTS) >= REMEMBERED_TOKENS:
        _CUTS.clear()
    spans: list[Span] = []
    if _HOLDS_SPACE.search(token):
        found = _JOINED
    elif "'" in token or "’" in token:
        found = _IN_CONTEXT
    else:
        _add_pieces(spans, token, 0, token)
        found = _ALONE if spans == [(0, len(token))] else tuple(spans)
    if len(token) <= LONGEST_REMEMBERED:
        _CUTS[token] = found
    return found


def _segmented(run: str, segmenter: Segmenter) -> list[str]:
    try:
        pieces = [str(piece) for piece in segmenter(run)]
    except Exception as error:
        raise InputError(f"The segmenter failed on {run[:20]!r}: {error}") from error
    if "".join(pieces) != run or not all(pieces):
        raise InputError(
            f"The segmenter's words do not spell the text it was given ({run[:20]!r}): "
            "it must return consecutive, non-empty pieces of its input."
        )
    return pieces
