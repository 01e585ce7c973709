"""Random strings of markup, with random links: what `benchmarks/transfer.py` and the tests try."""

from __future__ import annotations

import random
from collections import Counter

from wordalign.project.markup.syntax import MalformedError, check_xml, parse_source, tokens
from wordalign.project.markup.transfer import Prepared, Transferred, finish, prepare
from wordalign.types import Alignment

PIECES = (
    "<br/>", "<x id='1'/>", "<!-- c -->", "<![CDATA[a & <q>]]>", "<?p i?>", "word", " ", " ", "house", "Haus",
    "东", "京", "«", "»", "[", "]", ".", "&amp;", "&#8217;", "{0}", "%s ", "don't", "e\u0301", "\u200f",
    "\u05d0", "\t",
)  # fmt: skip
BROKEN = ("<", "&", "<b", "</i>", "</", "]]>", "<!--", "&nbsp;")
TARGETS = (
    "Wort",
    "Haus",
    "东",
    "京",
    "«",
    "»",
    "[",
    "]",
    ".",
    "&",
    "&amp;",
    "<",
    "l'eau",
    "\u05d0",
    *[" "] * 8,
)


def random_markup(chance: random.Random) -> str:
    """Elements in each other, nearly always well-formed."""
    pieces: list[str] = []
    opened: list[str] = []
    for _ in range(chance.randint(0, 16)):
        kind = chance.random()
        if kind < 0.2:
            opened.append(chance.choice(("b", "i", "g")))
            pieces.append(f"<{opened[-1]} id='{chance.randint(0, 3)}'>")
        elif kind < 0.4 and opened:
            pieces.append(f"</{opened.pop()}>")
        else:
            pieces.append(chance.choice(BROKEN if kind > 0.99 else PIECES))
    while opened and chance.random() < 0.98:
        pieces.append(f"</{opened.pop()}>")
    return "".join(pieces)


def carried(source: str, target: str, syntax: str, chance: random.Random) -> Transferred | None:
    """The markup in the target by random links, well-formed; None if the source or the target is refused."""
    try:
        prepared = prepare(source, target, syntax)
    except MalformedError:
        return None
    done = finish(prepared, random_links(prepared, chance))
    if syntax != "html":
        check_xml(done.text)
    parse_source(done.text, syntax)
    return done


def random_links(prepared: Prepared, chance: random.Random) -> Alignment:
    source, target = prepared.pair.source, prepared.pair.target
    links = [(i, j) for i in range(len(source)) for j in range(len(target)) if chance.random() < 0.2]
    scores = tuple(chance.random() for _ in links)
    return Alignment(tuple(links), scores, source, target)


def tags(written: str, syntax: str) -> Counter[str]:
    """The tags of a string. CDATA counts once, since some that holds its own end is written in two parts."""
    found = Counter(
        written[token.start : token.end] if token.kind != "cdata" else "cdata"
        for token in tokens(written, syntax)
        if token.kind in ("tag", "comment", "cdata", "instruction")
    )
    return found | Counter(cdata=1) if found.pop("cdata", 0) else found
