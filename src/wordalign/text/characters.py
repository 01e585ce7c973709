"""What the characters of a word say: whether it is punctuation, and which of them are no text.

>>> is_punctuation("..."), is_punctuation("3.")
(True, False)
>>> without_controls("Mu\\0seum"), without_controls("\\u202e\\x07")
('Museum', '')
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BREAKS = re.compile("[\x09-\x0d\x1c-\x1f\x85]+")
# Joiners are not among them: they are spelling.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]+")


@lru_cache(maxsize=1 << 16)
def is_punctuation(word: str) -> bool:
    """True for a word without a letter, a digit or a mark: `,` `...` `«`."""
    return not any(unicodedata.category(character)[0] in "LNM" for character in word)


def without_controls(word: str) -> str:
    """The word as a model reads it; tabs and line breaks inside it count as spaces.

    Controls and direction marks stand in web text by accident. A model has hardly ever seen them and finds
    any two of them alike, so they are taken out before words are cut into subwords; a word of nothing else
    has no subwords.
    """
    if word.isprintable():
        return word
    return _CONTROLS.sub("", _BREAKS.sub(" ", word)).strip(" ")
