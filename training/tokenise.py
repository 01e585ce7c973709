"""Raw text -> words, in three styles, so that the encoder meets differently tokenised input.

"I don't, l'été 1.5!"
unicode   I | do | n't | , | l' | été | 1.5 | !      (as raw text is split at run time)
spaces    I | don't | , | l'été | 1.5 | !            (hyphens and inner punctuation stay: "e-mail")
clitics   I | do | n't | , | l' | été | 1.5 | !      (treebank-like, as most gold sets)

Chinese, Japanese and Thai are written without spaces: half of their sentences are split as the package splits
raw text, half into words by the segmenters that people use (jieba, MeCab with UniDic, PyThaiNLP).
"""

from __future__ import annotations

import zlib
from functools import cache, partial
from typing import Any

import regex

from wordalign.text import split_words
from wordalign.text.segmenters import find_segmenter

UNSPACED = frozenset({"jpn", "zho", "tha", "lao", "khm", "mya"})

_PUNCTUATION = r"[\p{P}\p{S}]"
_EDGES = regex.compile(rf"^({_PUNCTUATION}*)(.*?)({_PUNCTUATION}*)$", flags=regex.DOTALL)
_RUNS = regex.compile(r"(\p{P}|\p{S})\1*|[^\p{P}\p{S}]+")
_ENGLISH_CLITIC = regex.compile(r"^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m))$", flags=regex.IGNORECASE)
_OTHER_CLITIC = regex.compile(r"^(\p{L}{1,6}['’])(\p{L}.*)$")


@cache
def _mecab() -> Any:
    import fugashi

    tagger = fugashi.Tagger()
    return lambda text: [word.surface for word in tagger(text)]


def _by_name(name: str) -> Any:
    segmenter = find_segmenter(name)
    return lambda text: split_words(text, segmenter).words


SEGMENTERS = {
    "zho": cache(partial(_by_name, "jieba")),
    "jpn": _mecab,
    "tha": cache(partial(_by_name, "pythainlp")),
}


def draw_style(text: str, side: str, shares: dict[str, float], seed: int) -> str:
    """The style of one side of a pair: always the same for the same text and seed."""
    point = zlib.crc32(f"{seed} {side} {text}".encode()) / 2**32
    for style, share in shares.items():
        if point < share:
            return style
        point -= share
    return next(iter(shares))


def tokenise(text: str, language: str, style: str) -> list[str]:
    """Split `text` into words in the given style; of unspaced scripts `unicode` means the package's own."""
    if style != "unicode" and language in SEGMENTERS:
        return [word for word in SEGMENTERS[language]()(text) if word.strip()]
    if style == "unicode" or language in UNSPACED:
        return list(split_words(text).words)
    words = [word for chunk in text.split() for word in _split_edges(chunk)]
    if style == "spaces":
        return words
    return [piece for word in words for piece in _split_inside(word, language)]


def _split_edges(chunk: str) -> list[str]:
    """`("Hello!")` -> `(` `"` `Hello` `!` `"` `)`; an apostrophe after a letter stays (`dell'`)."""
    before, core, after = _EDGES.match(chunk).groups()  # type: ignore[union-attr]
    if core and after[:1] in ("'", "’") and len(core) <= 5:
        core, after = core + after[0], after[1:]
    runs = [run.group() for run in _RUNS.finditer(before)]
    if core:
        runs.append(core)
    return runs + [run.group() for run in _RUNS.finditer(after)]


def _split_inside(word: str, language: str) -> list[str]:
    """Hyphens become words of their own, clitics are cut off."""
    parts = [part for part in regex.split(r"(-)", word) if part]
    pieces: list[str] = []
    for part in parts:
        clitic = (_ENGLISH_CLITIC if language == "eng" else _OTHER_CLITIC).match(part)
        pieces.extend(clitic.groups() if clitic else (part,))
    return pieces
