"""Why few links can be expected of a text in a script without spaces, in sentences for a reader.

The page without a service says the same: `js/make_tables.py` hands it these sentences.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wordalign.types import Pair

# Languages whose words stand without spaces and are more than a character: code and script.
UNSPACED = {
    "Thai": ("tha", "[\u0e01-\u0e5b]"),
    "Lao": ("lao", "[\u0e80-\u0eff]"),
    "Tibetan": ("bod", "[\u0f40-\u0fbc]"),
    "Burmese": ("mya", "[\u1000-\u109f]"),
    "Khmer": ("khm", "[\u1780-\u17ff]"),
}
SPLIT = (
    "The {side} was split into syllables, since {name} is written without spaces: give its words one by one. "
    "On the page, put spaces between them and tick “Words are separated by spaces already”."
)
UNKNOWN = "The model {model} does not know {name}, and will find few links."


def splitting_warnings(pair: Pair, model: str, languages: Sequence[str] | None) -> list[str]:
    """The sentences about a pair; `languages` are those of the model, where they are known."""
    found: list[str] = []
    for side, sentence in (("source", pair.source), ("target", pair.target)):
        text = "".join(sentence.words)
        for name, (code, script) in UNSPACED.items():
            if text.isascii() or not re.search(script, text):
                continue
            if sentence.text is not None:
                found.append(SPLIT.format(side=side, name=name))
            if languages is not None and code not in languages:
                found.append(UNKNOWN.format(model=model, name=name))
    return list(dict.fromkeys(found))
