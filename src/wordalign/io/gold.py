"""Gold links on disk: what people linked, sure or only possible.

pharaoh   one line for each pair, `0-0 1p2`: `i-j` is sure, `ipj` (or `i?j`) is possible; counted from 0
talp      one line for each pair, `1s1 2p3 4-4`: `s` or `-` is sure, `p` is possible; counted from 1, and 0 is
          no word
wpt       one line for each link, `0001 1 1 S`: sentence, source word, target word, and S or P (S where
          there is none); counted from 1, and 0 is no word. Also called NAACL, after the shared tasks of 2003
          and 2005

jsonl     what the page for annotation writes: a record for each pair, or a whole project (`annotated.py`)

Lines of the first two may begin with a sentence id (`17<TAB>0-0 1-2`). Where ids are numbers, they say which
sentence is meant: the first is 1, or 0 in a file whose first id is 0. Other ids are only names.

>>> gold = parse_gold("0-0 1p2")
>>> sorted(gold.sure), sorted(gold.possible)
([(0, 0)], [(0, 0), (1, 2)])
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from wordalign.errors import InputError
from wordalign.io import link_lines
from wordalign.io.annotated import read_annotated
from wordalign.io.lines import read_lines, shown
from wordalign.io.link_lines import EMPTY, LinkLine, LinkTokens, Notes, Report, in_order, read_link_lines
from wordalign.types import GoldAlignment

__all__ = ["GOLD_FORMATS", "gold_lines", "parse_gold", "read_gold"]

GOLD_FORMATS = (*link_lines.GOLD_FORMATS, "jsonl")


def parse_gold(text: str, *, one_based: bool = False) -> GoldAlignment:
    """The links of one Pharaoh or TALP line; a ValueError says which token is not a link."""
    return LinkTokens(one_based, no_word=False).parse(text)[0]


def gold_lines(
    path: str | Path, gold_format: str | None, one_based: bool | None, notes: Notes
) -> Iterator[LinkLine]:
    """The sentences of a file of gold links in any format, in order."""
    lines = read_lines(path)
    first = next(lines, None)
    every = lines if first is None else chain([first], lines)
    if gold_format == "jsonl" or (gold_format is None and (first or "").lstrip().startswith("{")):
        return read_annotated(path, every, notes)
    return read_link_lines(path, gold_format, one_based, notes, lines=every)


def read_gold(
    path: str | Path,
    *,
    gold_format: str | None = None,
    one_based: bool | None = None,
    source_words: Iterable[int] | None = None,
    target_words: Iterable[int] | None = None,
    report: Report = warnings.warn,
) -> Iterator[GoldAlignment]:
    """The gold alignment of every sentence, in order; an empty one for a sentence without gold links.

    The format is seen from the first lines unless it is given; so is the first index (`one_based`), which
    Pharaoh files count from 0, the others from 1. `source_words` and `target_words` are the numbers of words
    of each sentence: with them a link out of range is refused, and sentences missing at the end are known.
    `report` gets a sentence for everything that was noticed, when the file has been read.
    """
    notes = Notes()
    sides = [None if lengths is None else iter(lengths) for lengths in (source_words, target_words)]
    position = -1
    for position, line in enumerate(in_order(gold_lines(path, gold_format, one_based, notes))):
        source, target = (None if side is None else next(side, -1) for side in sides)
        if -1 in (source, target):
            raise InputError(f"{shown(path)} has a sentence {position + 1:,}, which the text does not have.")
        if line is None:
            notes.add(missing_gold(path), str(position + 1))
            yield EMPTY
        else:
            line.check_range((source, target))
            yield line.links
    known = next((side for side in sides if side is not None), iter(()))
    for beyond, _ in enumerate(known, start=position + 2):
        notes.add(missing_gold(path), str(beyond))
        yield EMPTY
    notes.report(report)


def missing_gold(path: str | Path) -> str:
    return (
        f"Sentences missing from {shown(path)}: {{count}} (first: sentence {{first}}). They count as "
        "sentences without gold links; if nobody annotated them, leave their predicted links out too."
    )
