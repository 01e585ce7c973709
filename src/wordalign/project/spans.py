"""Carrying a span across links: the target words that belong to it, and how sure that is.

A set T of target words is scored by the mass of the links that agree with it, where the mass of a link is its
score: links from inside the span into T, and links from outside the span to outside T.

    score(T) = Σ mass(i, j), i in the span and j in T,  +  Σ mass(i, j), i not in the span and j not in T
             = Σ over j in T of (inside(j) - outside(j)),  +  what does not depend on T

So the best interval is the one of the largest sum of `inside - outside`, found in one pass over the sentence;
with `intervals` above 1, the best set of up to so many intervals. Among equals come those of the fewest
intervals, then of the fewest words (with `edges="keep"` the most), then the first in the sentence. Where no
interval has a positive sum, the empty set is the best: nothing is carried, and the result says why.

    the | red house | is | old      span (1, 3), "red house"
     |     X          |    |
    la  maison rouge est vieille    inside - outside: -0.9 +0.9 +0.8 -0.9 -0.9, so (1, 3), "maison rouge"

Punctuation at the edges is left out if the span itself has none at its edges.

The probability is the mean, over the words of the span and of its intervals, of the best link that each has
to the other side (0 for a word without one), times the share of the mass touching either that runs between
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wordalign.errors import UsageError
from wordalign.text.characters import is_punctuation
from wordalign.types import Alignment, Edges, Link, ProjectedSpan, Sentence, Span

NO_LINKS = "no word of it is linked"
OUTVOTED = "its links weigh less than those of the words beside it"
ONLY_PUNCTUATION = "it is linked with punctuation alone"
IMPROBABLE = "it is less probable than the minimum"

# Masses are counted in whole units, so that sums are exact and equal sums are equal.
_UNITS = 1 << 40


def project_words(
    alignment: Alignment,
    spans: Iterable[Span],
    *,
    reverse: bool = False,
    characters: bool = False,
    intervals: int = 1,
    edges: Edges = "trim",
    min_probability: float = 0.0,
) -> list[ProjectedSpan]:
    """What `Alignment.project` does."""
    if intervals < 1:
        raise UsageError(f"A span comes out as 1 interval or more, not {intervals}.")
    if edges not in ("trim", "keep"):
        raise UsageError(f'The edges are "trim" or "keep", not {edges!r}.')
    if not 0 <= min_probability <= 1:
        raise UsageError(f"A probability lies between 0 and 1, not {min_probability}.")
    links: Sequence[Link] = alignment.links
    source, target = alignment.source, alignment.target
    if reverse:
        links, source, target = [(j, i) for i, j in links], target, source
    words = (_length(source, (i for i, _ in links)), _length(target, (j for _, j in links)))
    scored = [(i, j, max(0.0, score)) for (i, j), score in zip(links, scores_of(alignment), strict=True)]
    total = [0] * words[1]
    for _, j, mass in scored:
        total[j] += round(mass * _UNITS)
    found = []
    for span in spans:
        start, end = words_at(source, span) if characters else span
        if not 0 <= start < end <= words[0]:
            raise UsageError(
                f"({start}, {end}) is no span of a sentence of {words[0]} words: give start and end, counted "
                "from 0, where the end is the first word that no longer belongs to it."
            )
        touching = [(i, j, mass) for i, j, mass in scored if start <= i < end]
        weights = [-mass for mass in total]
        for _, j, mass in touching:
            weights[j] += 2 * round(mass * _UNITS)
        reason = "" if touching else NO_LINKS
        best = best_intervals(weights, intervals, edges) if touching else ()
        if touching and not best:
            reason = OUTVOTED
        elif best:
            best = _without_punctuation(best, source.words[start:end], target.words)
            reason = "" if best else ONLY_PUNCTUATION
        found.append(_described((start, end), best, scored, reason, min_probability, target))
    return found


def best_intervals(weights: Sequence[int], most: int = 1, edges: Edges = "trim") -> tuple[Span, ...]:
    """The intervals, `most` at most, whose weights have the largest sum; linear in the number of weights.

    >>> best_intervals([-1, 2, 0, 3, -4, 4, 0])
    ((1, 4),)
    >>> best_intervals([-1, 2, 0, 3, -4, 4, 0], most=2)
    ((1, 4), (5, 6))
    """
    each = -1 if edges == "trim" else 1
    # How good the intervals so far are: sum, minus their number, words as wanted, minus starts and ends.
    # closed[k] is the best with k intervals that have ended, opened[k] with the k-th still going on.
    nothing: _Rank = (0, 0, 0, ())
    closed: list[_Rank | None] = [nothing] + [None] * most
    opened: list[_Rank | None] = [None] * (most + 1)
    for place, weight in enumerate(weights):
        for k in range(most, 0, -1):
            ranks = []
            if (going := opened[k]) is not None:
                ranks.append((going[0] + weight, going[1], going[2] + each, going[3]))
            if (before := closed[k - 1]) is not None:
                ranks.append((before[0] + weight, before[1] - 1, before[2] + each, (*before[3], -place)))
            if ranks:
                opened[k] = best = max(ranks)
                ended = (*best[:3], (*best[3], -place - 1))
                if closed[k] is None or ended > closed[k]:  # type: ignore[operator]
                    closed[k] = ended
    ends = [-place for place in max(rank for rank in closed if rank is not None)[3]]
    return tuple(zip(ends[::2], ends[1::2], strict=True))


_Rank = tuple[int, int, int, tuple[int, ...]]


def scores_of(alignment: Alignment) -> Sequence[float]:
    """The score of each link; a link counts as certain where an aligner gives no scores."""
    return alignment.scores or [1.0] * len(alignment.links)


def words_at(sentence: Sentence, characters: Span) -> Span:
    """The words that a span of the raw text touches."""
    start, end = characters
    if sentence.offsets is None or sentence.text is None:
        raise UsageError("Characters can be counted in raw text only: align texts, not lists of words.")
    if not 0 <= start < end <= len(sentence.text):
        raise UsageError(f"({start}, {end}) is no span of a text of {len(sentence.text)} characters.")
    touched = [word for word, (first, last) in enumerate(sentence.offsets) if first < end and last > start]
    if not touched:
        raise UsageError(f"There is no word at ({start}, {end}), but white space.")
    return touched[0], touched[-1] + 1


def characters_at(sentence: Sentence, words: Span) -> Span:
    """Where words stand in the raw text."""
    assert sentence.offsets is not None
    return sentence.offsets[words[0]][0], sentence.offsets[words[1] - 1][1]


def _length(sentence: Sentence, linked: Iterable[int]) -> int:
    """The number of words; links without words go as far as they go."""
    return len(sentence) or max(linked, default=-1) + 1


def _without_punctuation(
    found: tuple[Span, ...], source: Sequence[str], target: Sequence[str]
) -> tuple[Span, ...]:
    """The intervals, cut at the outer edges where these are punctuation and those of the source are not."""
    if not source or not target:
        return found
    (start, _), (_, end) = found[0], found[-1]
    if not is_punctuation(source[0]):
        while start < end and is_punctuation(target[start]):
            start += 1
    if not is_punctuation(source[-1]):
        while start < end and is_punctuation(target[end - 1]):
            end -= 1
    cut = ((max(first, start), min(last, end)) for first, last in found)
    return tuple((first, last) for first, last in cut if first < last)


def _described(
    span: Span,
    intervals: tuple[Span, ...],
    links: Sequence[tuple[int, int, float]],
    reason: str,
    min_probability: float,
    target: Sentence,
) -> ProjectedSpan:
    within = {word for start, end in intervals for word in range(start, end)}
    best_of_source: dict[int, float] = {}
    best_of_target: dict[int, float] = {}
    outside, shared = set(), set()
    between = touching = 0.0
    for i, j, mass in links:
        from_span, into = span[0] <= i < span[1], j in within
        if not (from_span or into):
            continue
        touching += mass
        if from_span and into:
            between += mass
            best_of_source[i] = max(mass, best_of_source.get(i, 0.0))
            best_of_target[j] = max(mass, best_of_target.get(j, 0.0))
        elif from_span:
            outside.add(j)
        else:
            shared.add(j)
    probability = 0.0
    if between:
        best = sum(best_of_source.values()) + sum(best_of_target.values())
        probability = min(1.0, best / (span[1] - span[0] + len(within)) * (between / touching))
    if intervals and probability < min_probability:
        intervals, reason = (), IMPROBABLE
    return ProjectedSpan(
        span,
        intervals,
        probability,
        tuple(word for word in range(*span) if word not in best_of_source),
        tuple(sorted(outside)),
        tuple(sorted(shared)),
        tuple(characters_at(target, found) for found in intervals) if target.offsets is not None else None,
        reason,
    )
