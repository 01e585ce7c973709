"""The situation of a pair: what its words tell, at a glance, of how far a model's scores can be trusted.

    alike      many words stand on both sides: two versions of a sentence, in one language or nearly so
    unspaced   a side is written without spaces, so that its words were cut by a segmenter or by rules
    usual      all else

A score that is right half of the time in one situation is right more often or less in another, so models have
a curve from scores to probabilities for each (`encoders/calibration.py`). Whatever needs a pair's situation
asks `situation_of`; the web page is told it by the service, and aligners in a browser have the same rules in
`serve/page/situation.js`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from wordalign.types import Bools, Ints

Situation: TypeAlias = Literal["usual", "unspaced", "alike"]
SITUATIONS: tuple[Situation, ...] = get_args(Situation)

# Of the distinct words of the shorter side, the share that also stands on the other. Of a thousand pairs of
# two languages 14 have more, of three hundred of English paraphrases 274; Portuguese and Spanish share 0.2.
ALIKE_SHARE = 0.4
# Of fewer words, a name or two would be such a share.
FEWEST_WORDS = 4
# Thai, Lao and Tibetan, Burmese, Khmer, Yi, Japanese and Chinese.
_UNSPACED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\ua000-\ua4cf\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def situation_of(source: Sequence[str], target: Sequence[str]) -> Situation:
    """The situation of a pair with these words; the same when source and target change places.

    >>> situation_of("the old bridge is closed".split(), "le vieux pont est fermé".split())
    'usual'
    >>> situation_of(["the", "bridge"], ["那", "座", "桥"])
    'unspaced'
    >>> situation_of("the old bridge is closed".split(), "the bridge is now closed".split())
    'alike'
    """
    sides = set(map(str.lower, source)), set(map(str.lower, target))
    shared = _with_letters(sides[0] & sides[1])
    # Few pairs share as much as the shortest ones would have to; only they are looked at closely.
    if shared >= ALIKE_SHARE * FEWEST_WORDS:
        shorter = min(map(_with_letters, sides))
        if shorter >= FEWEST_WORDS and shared >= ALIKE_SHARE * shorter:
            return "alike"
    if not has_unspaced([*source, *target]):
        return "usual"
    return "unspaced" if _is_unspaced(source) or _is_unspaced(target) else "usual"


def has_letters(word: str) -> bool:
    """False for numbers and punctuation, which are the same in all languages."""
    return word.isalpha() or any(map(str.isalpha, word))


def has_unspaced(words: Iterable[str]) -> bool:
    """Whether any letter is of a script without spaces."""
    return _UNSPACED.search("".join(words)) is not None


def perhaps_unusual(spelled: Ints, starts: Ints, unspaced: Bools) -> Ints:
    """The numbers of those pairs that may be in another situation than the usual; all others are in that.

    `spelled` is a number for each word of all sentences, source and target of each pair in turns: equal for
    equal words in lower case, 0 for those without letters. Sentence k has those from `starts[k]` on, and
    `unspaced[k]` says whether it has letters of a script without spaces.
    """
    sentence = np.repeat(np.arange(len(unspaced)), np.diff(starts))
    # One number for each word of a pair, behind which the same word of the other side is sorted.
    keys = (sentence >> 1 << 33 | spelled << 1 | sentence & 1)[spelled > 0]
    keys.sort()
    first = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    keys = keys[first]
    pair = keys >> 33
    on_both = keys[1:] >> 1 == keys[:-1] >> 1
    shared = np.bincount(pair[1:][on_both], minlength=len(unspaced) // 2)
    distinct = np.bincount(pair << 1 | keys & 1, minlength=len(unspaced)).reshape(-1, 2)
    shorter = distinct.min(axis=1)
    alike = (shorter >= FEWEST_WORDS) & (shared >= ALIKE_SHARE * shorter)
    return np.flatnonzero(alike | unspaced[0::2] | unspaced[1::2])


def _with_letters(words: Iterable[str]) -> int:
    return sum(map(has_letters, words))


def _is_unspaced(words: Sequence[str]) -> bool:
    """Whether at least a third of the characters are of scripts without spaces."""
    text = "".join(words)
    return bool(text) and 3 * len(_UNSPACED.findall(text)) >= len(text)
