"""Groups of sentences -> lines of a file: JSONL with everything, TSV, TMX, or places of linked words alone.

Each format is a `Writer`: lines before the first group, some for each group, and lines behind the last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from wordalign import __version__
from wordalign.documents.types import SentenceGroup, Text
from wordalign.types import Span

# What XML cannot hold, not even escaped.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Writer:
    """A format: what stands before all groups, what each group becomes, and what stands behind them."""

    of_group: Callable[[SentenceGroup], Iterable[str]]
    before: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()

    def lines(self, groups: Iterable[SentenceGroup]) -> Iterator[str]:
        yield from self.before
        for group in groups:
            yield from self.of_group(group)
        yield from self.behind


def jsonl(source: Text, target: Text, signature: str) -> Writer:
    """A line of JSON for each group: its sentences, its score, and the links of its words.

    A link is five numbers: start and end of a word in the first text, start and end of one in the second,
    and the score.
    """

    def line(group: SentenceGroup) -> Iterator[str]:
        record: dict[str, Any] = {
            "source": _side(source, group.source),
            "target": _side(target, group.target),
            "score": round(group.score, 4),
            **({"moved": True} if group.moved else {}),
            "links": [[*one, *other, round(score, 4)] for one, other, score in group.links],
            "signature": signature,
        }
        yield json.dumps(record, ensure_ascii=False)

    return Writer(line)


def _side(text: Text, sentences: Span) -> dict[str, Any]:
    start, end = text.place(sentences)
    return {"sentences": list(range(*sentences)), "start": start, "end": end, "text": text.text[start:end]}


def tsv(source: Text, target: Text) -> Writer:
    """Source, target and score of each group that has both, separated by tabs."""

    def line(group: SentenceGroup) -> Iterator[str]:
        if _is_pair(group):
            yield f"{source.between(group.source)}\t{target.between(group.target)}\t{group.score:.4f}"

    return Writer(line)


def offsets(source: Text, target: Text) -> Writer:
    """The places of two linked words and the score of their link, a line for each link, separated by tabs."""

    def line(group: SentenceGroup) -> Iterator[str]:
        for (start, end), (begin, stop), score in group.links:
            yield f"{start}\t{end}\t{begin}\t{stop}\t{score:.4f}"

    return Writer(line)


def tmx(source: Text, target: Text) -> Writer:
    """A translation memory (TMX 1.4) of the groups that have both sides, with their scores as properties."""
    languages = [text.language or "und" for text in (source, target)]
    before = (
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        f'<header creationtool="wordalign" creationtoolversion={quoteattr(__version__)} segtype="sentence" '
        f'o-tmf="wordalign" adminlang="en" srclang={quoteattr(languages[0])} datatype="plaintext"/>',
        "<body>",
    )

    def unit(group: SentenceGroup) -> Iterator[str]:
        if _is_pair(group):
            sides = (source.between(group.source), target.between(group.target))
            variants = "".join(
                f"<tuv xml:lang={quoteattr(language)}><seg>{escape(_NOT_XML.sub('', side))}</seg></tuv>"
                for language, side in zip(languages, sides, strict=True)
            )
            yield f'<tu><prop type="score">{group.score:.4f}</prop>{variants}</tu>'

    return Writer(unit, before, ("</body>", "</tmx>"))


def _is_pair(group: SentenceGroup) -> bool:
    return group.source[0] < group.source[1] and group.target[0] < group.target[1]
