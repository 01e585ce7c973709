"""A whole corpus as one HTML file, which is searched and paged in the browser and loads nothing from outside.

The pairs are JSON inside the page, and `page/corpus.js` draws twenty of them at a time. No word can break
out of that JSON, because every `<` in it is escaped, and the page's content security policy allows no other
script.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from importlib import resources
from itertools import chain
from typing import Any

from wordalign.errors import UsageError
from wordalign.render.characters import drawable
from wordalign.render.layout import marks, words_of
from wordalign.types import Alignment, GoldAlignment, Link


def corpus_html(
    alignments: Iterable[Alignment],
    *,
    second: Iterable[Alignment] | None = None,
    gold: Iterable[GoldAlignment] | None = None,
    labels: tuple[str, str] = ("first", "second"),
    title: str = "Word alignments",
) -> str:
    """Make the page. With `second` or `gold`, one for each pair, differences stand out as in `rows_svg`."""
    first = list(alignments)
    others = [None] * len(first) if second is None else list(second)
    golds = [None] * len(first) if gold is None else list(gold)
    if not len(first) == len(others) == len(golds):
        raise UsageError(
            f"What is compared must have equally many pairs, not {len(first):,}, {len(others):,} and "
            f"{len(golds):,}."
        )
    data = {
        "labels": [drawable(label) for label in labels],
        "compared": second is not None,
        "judged": gold is not None,
        "pairs": [_record(*pair) for pair in zip(first, others, golds, strict=True)],
    }
    return filled_page("corpus", data, {"title": escape(drawable(title))})


def filled_page(name: str, data: dict[str, Any], texts: dict[str, str]) -> str:
    """The page `NAME.html` with its style, its script, its data, and these texts, which are escaped."""
    script, style = _read(f"{name}.js"), _read(f"{name}.css")
    parts = {
        **texts,
        "style": style,
        "script": script,
        "style hash": _hash(style),
        "script hash": _hash(script),
        "data": _json(data),
    }
    return re.sub(r"\{\{([a-z ]+)\}\}", lambda match: parts[match[1]], _read(f"{name}.html"))


def _record(alignment: Alignment, second: Alignment | None, gold: GoldAlignment | None) -> list[Any]:
    """Return the list that `corpus.js` reads: source words, target words, links, scores in hundredths,
    links of the second alignment, sure links, possible links."""
    words = words_of(alignment)
    drawn = marks(words, alignment.links, None if second is None else second.links, gold)
    certain = all(score == 1 for score in alignment.scores)
    record = [
        [drawable(word) for word in words[0]],
        [drawable(word) for word in words[1]],
        _flat(alignment.links),
        0 if certain else [round(100 * min(1.0, max(0.0, score))) for score in alignment.scores],
        0 if second is None else _flat(second.links),
        _flat(drawn.sure) or 0,
        _flat(drawn.possible) or 0,
    ]
    while record[-1] == 0:
        record.pop()
    return record


def _flat(links: Iterable[Link]) -> list[int]:
    return list(chain.from_iterable(sorted(links)))


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # Inside a script element only `<` can start or end a tag.
    return text.replace("<", "\\u003c")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read(name: str) -> str:
    return resources.files("wordalign.render").joinpath("page", name).read_text("utf-8")
