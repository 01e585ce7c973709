"""Two texts in, groups of sentences with linked words out: the stages of this room put together.

    for group in stream_groups(source, target, aligner): ...

The texts are cut where a rough path through them is sure, and each part is divided into groups, whose words
are then linked. So the results come in the order of the texts, and memory is bounded by the parts and not
by the texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from wordalign.aligners.neural import Aligner
from wordalign.documents.groups import COSTS, Costs, Side, find_groups
from wordalign.documents.moved import moved_groups
from wordalign.documents.path import cuts, rough_path, windows_around
from wordalign.documents.pieces import pieces
from wordalign.documents.sentences import split_text
from wordalign.documents.steps import Window
from wordalign.documents.trim import Spans, trimmed
from wordalign.documents.types import DocumentAlignment, SentenceGroup, Text
from wordalign.documents.words import Words
from wordalign.errors import InputError
from wordalign.links.similarity import similarity_matrix
from wordalign.text.segmenters import find_segmenter
from wordalign.text.words import Segmenter
from wordalign.types import Alignment, Floats, Link, Pair, Sentence, Span

# Texts, and parts of them, with fewer pairs of sentences than this are compared as a whole.
SMALL = 60 * 60
PART = 200  # sentences after which a text is cut, where that is safe
RADIUS = 8  # how far around the rough path groups are looked for
BATCH = 128  # groups whose words are linked together

Progress: TypeAlias = Callable[[float], None]


def align_documents(
    source: str | Text,
    target: str | Text,
    aligner: Aligner | None = None,
    *,
    languages: tuple[str | None, str | None] = (None, None),
    segmenter: str | Segmenter | None = None,
    progress: Progress | None = None,
) -> DocumentAlignment:
    """Align two texts that translate each other: sentences, then words, with their places in both texts.

    `source`, `target`  raw text, or a `Text` whose sentences are known (`documents.read_text` reads files)
    `aligner`           what links the words; by default, the bundled model does
    `languages`         ISO 639 codes, which help to find sentences; by default, they are recognised
    `segmenter`         what splits scripts without spaces into words, as in `Aligner`
    `progress`          is called now and then with the share of the work that is done, from 0 to 1

    >>> found = align_documents("A dog. It barks.", "Ein Hund. Er bellt.", languages=("en", "de"))
    >>> [(one, other) for one, other, score in found.pairs]
    [('A dog.', 'Ein Hund.'), ('It barks.', 'Er bellt.')]
    """
    aligner = aligner or Aligner()
    texts = [
        given if isinstance(given, Text) else split_text(given, language, name)
        for given, language, name in zip(
            (source, target), languages, ("the first text", "the second text"), strict=True
        )
    ]
    groups = tuple(stream_groups(texts[0], texts[1], aligner, segmenter=segmenter, progress=progress))
    return DocumentAlignment(texts[0], texts[1], groups, aligner.signature())


def stream_groups(
    source: Text,
    target: Text,
    aligner: Aligner,
    *,
    segmenter: str | Segmenter | None = None,
    progress: Progress | None = None,
    costs: Costs = COSTS,
) -> Iterator[SentenceGroup]:
    """The groups of two texts, one after the other, in memory that does not grow with links and vectors.

    Every sentence of both texts is in one of the groups, in order. Groups that were moved come last: they
    hold sentences that have no partner in their place.
    """
    for text in (source, target):
        if not len(text):
            raise InputError(
                f"There is no sentence in {text.name or 'a text'}: give a text with words in it."
            )
    find = find_segmenter(segmenter) if segmenter is not None else None
    encoders = aligner.encoder, aligner.encoder.target or aligner.encoder
    one, other = (
        Words(text, encoder, aligner.level, find)
        for text, encoder in zip((source, target), encoders, strict=True)
    )
    told = _Told(len(one), len(other), progress)
    windows, borders = _rough(one, other, told)
    alone: tuple[list[int], list[int]] = [], []
    for (i, j), (k, m) in pairwise(borders):
        part = _windows(windows, (i, k), (j, m))
        steps = find_groups(_side(one, (i, k)), _side(other, (j, m)), part, costs)
        for group in _linked(one, other, (i, j), steps, aligner):
            yield group
            if not group.alignment.source.words or not group.alignment.target.words:
                alone[0].extend(range(*group.source))
                alone[1].extend(range(*group.target))
        one.forget(k)
        other.forget(m)
        told.second(k - i)
    yield from moved_groups(one, other, alone, aligner)


def _rough(one: Words, other: Words, told: _Told) -> tuple[list[Window], list[tuple[int, int]]]:
    """Where groups are to be looked for, and where both texts can be cut."""
    n, m = len(one), len(other)
    if n * m <= SMALL:
        return [Window(0, m + 1)] * (n + 1), [(0, 0), (n, m)]
    path = rough_path(one.sentence_vectors(told.first), other.sentence_vectors(told.first))
    borders = [cut for cut in cuts(path, PART) if n - cut[0] >= PART // 2 and m - cut[1] >= PART // 2]
    return windows_around(path.partner, n, m, RADIUS), [(0, 0), *borders, (n, m)]


def _windows(windows: list[Window], source: Span, target: Span) -> list[Window]:
    """Where groups are to be looked for in a part of both texts: everywhere, unless it is large."""
    n, m = source[1] - source[0], target[1] - target[0]
    if n * m <= SMALL:
        return [Window(0, m + 1)] * (n + 1)
    start, end = target
    part = [
        Window(max(a, start) - start, min(b, end + 1) - start) for a, b in windows[source[0] : source[1] + 1]
    ]
    part[0], part[-1] = Window(0, part[0].end), Window(part[-1].start, m + 1)
    return part


def _side(words: Words, part: Span) -> Side:
    start, end = part
    paragraphs = np.asarray(words.text.paragraphs[max(0, start - 1) : end])
    begins = np.diff(paragraphs, prepend=paragraphs[:1] - (start == 0)) > 0

    @lru_cache(maxsize=512)
    def vectors(number: int) -> Floats:
        return words.counted(start + number)

    characters = np.array([last - first for first, last in words.text.spans[start:end]])
    return Side(vectors, words.sizes[start:end], characters, begins[-(end - start) :])


def _linked(
    one: Words, other: Words, place: tuple[int, int], steps: list[tuple[int, int]], aligner: Aligner
) -> Iterator[SentenceGroup]:
    """The groups with their words linked."""
    i, j = place
    spans: list[Spans] = []
    for a, b in steps:
        spans.append(((i, i + a), (j, j + b)))
        i, j = i + a, j + b
    for start in range(0, len(spans), BATCH):
        batch = spans[start : start + BATCH]
        found = list(trimmed(batch, lambda groups: _alignments(one, other, groups, aligner)))
        finer = iter(_finer(one, other, [(group, links) for group, links, _ in found], aligner))
        for (group, _, score), links in zip(found, finer, strict=True):
            yield SentenceGroup(*group, links, score)


def _finer(
    one: Words, other: Words, groups: list[tuple[Spans, Alignment]], aligner: Aligner
) -> Iterator[Alignment]:
    """The links of groups, found once more in pieces where a side has several sentences."""
    cut: list[list[Spans]] = []
    for (source, target), whole in groups:
        borders = (
            (words.first[first + 1 : end] - words.first[first]).tolist()
            for words, (first, end) in ((one, source), (other, target))
        )
        lengths = len(whole.source), len(whole.target)
        cut.append(pieces(whole.links, lengths, tuple(borders)))
    pairs = [
        Pair(_part(whole.source, source), _part(whole.target, target))
        for (_, whole), spans in zip(groups, cut, strict=True)
        for source, target in spans
        if len(spans) > 1
    ]
    found = aligner.stream(pairs)
    for (_, whole), spans in zip(groups, cut, strict=True):
        if len(spans) == 1:
            yield whole
            continue
        scored: dict[Link, float] = {}
        for (i, _), (j, _) in spans:
            part = next(found)
            scored |= {(i + a, j + b): score for (a, b), score in zip(part.links, part.scores, strict=True)}
        yield replace(
            whole, links=tuple(sorted(scored)), scores=tuple(scored[link] for link in sorted(scored))
        )


def _part(sentence: Sentence, span: Span) -> Sentence:
    """Some of the words of a sentence."""
    return Sentence(sentence.words[slice(*span)], sentence.text, (sentence.offsets or ())[slice(*span)])


def _alignments(one: Words, other: Words, groups: list[Spans], aligner: Aligner) -> list[Alignment]:
    """The links of the words of each group; none where a side is empty."""
    both = [group for group in groups if _is_full(group)]
    pairs = [Pair(one.sentence(source), other.sentence(target)) for source, target in both]
    matrices = [similarity_matrix(one.joined(source), other.joined(target)) for source, target in both]
    found = (by_method[aligner.methods[0]] for by_method in aligner.extract(pairs, matrices))
    return [
        next(found)
        if _is_full(group)
        else Alignment((), (), one.sentence(group[0]), other.sentence(group[1]))
        for group in groups
    ]


def _is_full(group: Spans) -> bool:
    return all(start < end for start, end in group)


class _Told:
    """Tells the share of the work that is done: half of it is the first pass over both texts."""

    def __init__(self, n: int, m: int, progress: Progress | None) -> None:
        self._first, self._second, self._tell = n + m, n, progress
        self._done = [0, 0]

    def first(self, sentences: int) -> None:
        self._add(0, sentences)

    def second(self, sentences: int) -> None:
        self._done[0] = self._first
        self._add(1, sentences)

    def _add(self, which: int, sentences: int) -> None:
        self._done[which] += sentences
        if self._tell is not None:
            self._tell((self._done[0] / self._first + self._done[1] / self._second) / 2)
