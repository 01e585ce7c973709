"""Groups of several sentences that are probably no translations -> the part of them that is, the rest alone.

How well words are covered does not see that a sentence was left out where its neighbour has words like its
own. The score of a pair (`project/score.py`) does: it knows how long the stretches without links are in
translations. So where a group of several sentences has a low score, and some of its sentences alone have a
very high one, these are the group, and the others stand alone.

    "He left." with "Er ging. So war es.", score 0.1   ->   "He left." with "Er ging.", and "So war es." alone
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from wordalign.types import Alignment, Span

Spans: TypeAlias = tuple[Span, Span]  # sentences of the first text, and of the second
Link: TypeAlias = Callable[[list[Spans]], list[Alignment]]
# With 0.5 and 0.7, more groups are broken that were whole: that costs .025 of the strict F1 on MAC-Dev.
DOUBTFUL = 0.2
GOOD = 0.9


def trimmed(groups: Sequence[Spans], link: Link) -> Iterator[tuple[Spans, Alignment, float]]:
    """The groups, trimmed where that makes them good, each with its links and its score.

    `link` gives the links of the words of groups.
    """
    found = [
        (group, alignment, alignment.score)
        for group, alignment in zip(groups, link(list(groups)), strict=True)
    ]
    doubtful = {k: list(_parts(group)) for k, (group, _, score) in enumerate(found) if score < DOUBTFUL}
    linked = iter(link([part for parts in doubtful.values() for part in parts]))
    for k, whole in enumerate(found):
        best = whole
        for part in doubtful.get(k, ()):
            alignment = next(linked)
            best = max(best, (part, alignment, alignment.score), key=lambda one: one[2])
        if best is whole or best[2] < GOOD:
            yield whole
            continue
        (source, target), (kept, kept_target) = whole[0], best[0]
        before = _alone((source[0], kept[0]), (target[0], kept_target[0]))
        behind = _alone((kept[1], source[1]), (kept_target[1], target[1]))
        for group, alignment in zip(before, link(before), strict=True):
            yield group, alignment, 0.0
        yield best
        for group, alignment in zip(behind, link(behind), strict=True):
            yield group, alignment, 0.0


def _parts(group: Spans) -> Iterator[Spans]:
    """All smaller groups of sentences of the group that follow each other."""
    for source in _spans(group[0]):
        for target in _spans(group[1]):
            if (source, target) != group:
                yield source, target


def _spans(span: Span) -> Iterator[Span]:
    for start in range(*span):
        for end in range(start + 1, span[1] + 1):
            yield start, end


def _alone(source: Span, target: Span) -> list[Spans]:
    """A group for each of some sentences that have no partner."""
    found: list[Spans] = [((i, i + 1), (target[0], target[0])) for i in range(*source)]
    return [*found, *(((source[1], source[1]), (j, j + 1)) for j in range(*target))]
