"""A chunk of raw text -> its lines in Pharaoh format, by the short way around a device.

    lines of text --TokenTable--> numbers --(a device)--> links --> lines of links

Neither words nor alignments are made, which takes the host a third of the time of `parse`, `link` and
`format` (`chunks.py`). Whatever is not plain is left to those: other formats, and every chunk in which
something is wrong, so that one place says what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from wordalign.encoders.tokens import TokenTable
from wordalign.io.records import Parser, Record
from wordalign.links.linker import Extraction
from wordalign.links.prepared import PreparedLinker

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.run.chunks import RunConfig

ShortWay: TypeAlias = Callable[[Sequence[Record]], Sequence[str] | None]


def short_way(config: RunConfig, aligner: Aligner) -> ShortWay | None:
    """A function from a chunk to its lines, or to None for a chunk that must go the long way.

    None where all chunks must: the text is not raw, the lines hold more than links, or there is no device.
    """
    parser, linker = config.parser, aligner._linker
    links_alone = config.format == "pharaoh" and not config.scores and not config.min_score
    if not (isinstance(parser, Parser) and parser.raw and links_alone and isinstance(linker, PreparedLinker)):
        return None
    return _ShortWay(parser, linker, aligner._extraction())


class _ShortWay:
    def __init__(self, parser: Parser, linker: PreparedLinker, extraction: Extraction) -> None:
        self._parser, self._linker, self._extraction = parser, linker, extraction
        self._tokens = TokenTable(linker.subwords, parser.words)

    def __call__(self, chunk: Sequence[Record]) -> Sequence[str] | None:
        sides = self._parser.sides(chunk)
        if sides is None:
            return None
        try:
            text = self._tokens(sides)
            return self._linker.start_tokens(
                text, lambda number: self._parser.words(sides[number].decode("utf-8")), self._extraction
            )()
        except Exception:  # whatever it is, the long way meets it again, and knows the pair or the line
            return None
