"""Words without the characters that are no text.

Controls and direction marks stand in web text by accident. A model has hardly ever seen them and finds any
two of them alike, so they are taken out before words are cut into subwords; a word of nothing else has none.

>>> without_controls("Mu\\0seum"), without_controls("\\u202e\\x07")
('Museum', '')
"""

from __future__ import annotations

import re

_BREAKS = re.compile("[\x09-\x0d\x1c-\x1f\x85]+")
# Joiners are not among them: they are spelling.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]+")


def without_controls(word: str) -> str:
    """The word as it is read; tabs and line breaks inside it count as spaces."""
    if word.isprintable():
        return word
    return _CONTROLS.sub("", _BREAKS.sub(" ", word)).strip(" ")
