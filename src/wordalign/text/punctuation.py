"""Which words are punctuation."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def is_punctuation(word: str) -> bool:
    """True for a word without a letter, a digit or a mark: `,` `...` `«`."""
    return not any(unicodedata.category(character)[0] in "LNM" for character in word)
