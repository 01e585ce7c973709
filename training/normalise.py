"""What counts as the same spelling, in one table used twice: in Python and inside `tokenizer.json`.

    normalise("Café’s")  ->  "cafe's"        normalise("كتابٌ")  ->  "کتاب"

The steps, in order: NFKC, lower case, NFD, marks removed (`STRIPPED`), NFC, characters replaced (`FOLDED`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Marks go only after Latin and Greek letters, so that й stays й; three marks are kept because
# Vietnamese tells words apart by them (hook above, horn, dot below).
_LETTERS = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02B8\u1E00-\u1EFF\u2C60-\u2C7F\uA722-\uA787"
    r"\u0370-\u03FF\u1F00-\u1FFF"
)
_LATIN_MARKS = rf"(?<=[{_LETTERS}])[\u0300-\u0308\u030A-\u031A\u031C-\u0322\u0324-\u036F]+"
# Arabic vowel signs, tatweel, hamza and madda; Hebrew points; Devanagari nukta; joiners, soft hyphen.
_OTHER_MARKS = (
    r"[\u0610-\u061A\u0640\u064B-\u0655\u0670"
    r"\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7"
    r"\u093C\u200B-\u200F\u00AD\uFEFF]+"
)
# Written out as characters: not every regular-expression engine knows \\u escapes.
STRIPPED: tuple[str, ...] = tuple(
    re.sub(r"\\u([0-9A-F]{4})", lambda code: chr(int(code[1], 16)), pattern)
    for pattern in (_LATIN_MARKS, _OTHER_MARKS)
)

# The digit 0 of other scripts: Arabic, Persian, Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu,
# Kannada,
# Malayalam, Thai, Burmese, Khmer.
_ZEROS = (0x660, 0x6F0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0x1040, 0x17E0)

FOLDED: dict[str, str] = {
    **dict.fromkeys("\u0649\u064a", "\u06cc"),  # Arabic yeh and alef maksura -> Persian yeh
    "\u0643": "\u06a9",  # Arabic kaf -> Persian keheh
    **dict.fromkeys("\u0629\u06c1\u06c3\u06d5", "\u0647"),  # teh marbuta, Urdu heh, ae -> heh
    "\u06be": "\u0647",
    "\u0671": "\u0627",  # alef wasla -> alef
    "\u0901": "\u0902",  # Devanagari chandrabindu -> anusvara
    "\u0131": "i",
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u02b9\u2032\u0060\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **{chr(zero + digit): str(digit) for zero in _ZEROS for digit in range(10)},
}

_STRIP = [re.compile(pattern) for pattern in STRIPPED]
_FOLD = str.maketrans(FOLDED)


@lru_cache(maxsize=1 << 20)
def normalise(word: str) -> str:
    """One word -> its normal form, the one the tokenizer sees."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word).lower())
    for pattern in _STRIP:
        text = pattern.sub("", text)
    return unicodedata.normalize("NFC", text).translate(_FOLD)
