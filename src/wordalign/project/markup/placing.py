"""Where the elements of a source go in its translation, by the links between their words.

    Press <b>Save</b>.       <b> has the word 1
    Drücken Sie Speichern.   word 1 is linked to word 2, the others to 0 and 3:  <b> goes to words 2…3

A span goes to the run of target words with the largest sum of inside − outside, where inside is the link mass
(probabilities) that a target word has from words of the span, and outside what it has from others, as in
`Alignment.project` (`spans.py`). An element is placed within its parent; siblings do not overlap: the one
with the largest sum chooses first, and the others among the words that are left. So the result is always
nested.

A span without a run that gains goes to the free word with the most mass from it. A span without any link
goes to the words without links between the translations of what comes before it and after it, or else
between two words, and its placement says so.

A point goes between two words: to where what stands before it and after it agrees best with the links, and
above all its two neighbours, the one that it is written together with first. A point before all words of its
parent, or behind them, stays there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wordalign.project.markup.syntax import Element, Marked, Target
from wordalign.project.spans import best_intervals
from wordalign.text import is_punctuation
from wordalign.types import Alignment

_SPACE = re.compile(r"\s")
_TINY = 1e-9
_UNITS = 1 << 40  # masses are compared in whole units, so that equal sums are equal
# What encloses a name in one language and not in another, by its first sign.
_PAIRS = {"«": "»", "„": "“”", "“": "”", "‘": "’", "「": "」", "『": "』", "[": "]", "【": "】", "《": "》",
          "»": "«", '"': '"', "”": "”", "'": "'", "‹": "›", "(": ")", "（": "）"}  # fmt: skip

_CLOSING = frozenset("".join(_PAIRS.values()))


@dataclass(frozen=True, slots=True)
class Placement:
    """An element and the words of the translation that it encloses, `start` to `end`.

    Where both are equal it stands before that word; `left` says that it stands at the end of the word before.
    `probability` is the share of the link mass that agrees with the place; 0 where no link speaks for it.
    """

    element: Element
    start: int
    end: int
    probability: float
    left: bool = False
    inside: tuple[Placement, ...] = ()

    def walk(self) -> Iterator[Placement]:
        yield self
        for placement in self.inside:
            yield from placement.walk()


def place(marked: Marked, target: Target, alignment: Alignment) -> tuple[Placement, ...]:
    """A place for each element; what is placed inside another is `inside` it."""
    placer = _Placer(marked, target, alignment)
    return placer.level(marked.elements, 0, len(alignment.target), range(len(alignment.source)))


class _Placer:
    def __init__(self, marked: Marked, target: Target, alignment: Alignment) -> None:
        self.source = alignment.source.offsets or ()
        self.target = alignment.target.offsets or ()
        self.source_words, self.words = alignment.source.words, alignment.target.words
        masses = {
            link: max(score, _TINY) for link, score in zip(alignment.links, alignment.scores, strict=True)
        }
        self._link_anchors(marked, target, masses)
        self._link_copies(marked, target, masses)
        self.linked: list[list[tuple[int, float]]] = [[] for _ in self.source]
        self.total = [0.0] * len(self.target)
        for (i, j), mass in masses.items():
            self.linked[i].append((j, mass))
            self.total[j] += mass

    def _link_anchors(self, marked: Marked, target: Target, masses: dict[tuple[int, int], float]) -> None:
        """Link each placeholder with itself on the other side, and with nothing else."""
        if not target.anchors:
            return
        source_word = {start: i for i, (start, _) in enumerate(self.source)}
        target_word = {start: j for j, (start, _) in enumerate(self.target)}
        waiting: dict[str, list[int]] = {}
        for place, piece in sorted(target.anchors.items()):
            waiting.setdefault(piece, []).append(target_word[place])
        pairs = [
            (source_word[place], waiting[piece].pop(0)) for place, piece in sorted(marked.anchors.items())
        ]
        _link_only(pairs, masses)

    def _link_copies(self, marked: Marked, target: Target, masses: dict[tuple[int, int], float]) -> None:
        """Link code and names that stand in the translation as they are: what an element holds, sign by sign.

        Only what is no plain word counts (`die` is a word of English and of German), and only what stands in
        both texts equally often.
        """
        spans = [span for span in _walk(marked.elements) if not span.is_point]
        texts = [_SPACE.sub(" ", text) for text in (marked.text, target.text)]
        copies = {texts[0][span.start : span.end].strip() for span in spans}
        copies = {copy for copy in copies if not copy.isalpha() and copy in texts[1]}
        if not copies:
            return
        sides = list(zip(texts, (self.source, self.target), strict=True))
        edges = [({start for start, _ in offsets}, {end for _, end in offsets}) for _, offsets in sides]
        for copy in sorted(copies, key=len):  # the longest last: it holds others
            places = [
                [found for found in _occurrences(copy, text) if found in starts and found + len(copy) in ends]
                for (text, _), (starts, ends) in zip(sides, edges, strict=True)
            ]
            if len(places[0]) != len(places[1]):
                continue
            for one, other in zip(*places, strict=True):
                words = [
                    [
                        i
                        for i, (start, end) in enumerate(offsets)
                        if place <= start and end <= place + len(copy)
                    ]
                    for place, (_, offsets) in zip((one, other), sides, strict=True)
                ]
                if len(words[0]) == len(words[1]):
                    _link_only(list(zip(*words, strict=True)), masses)

    def level(self, elements: Sequence[Element], low: int, high: int, words: range) -> tuple[Placement, ...]:
        """Place elements that stand side by side among the target words `low` to `high`.

        `words` are the source words of the element that encloses them.
        """
        spans = [element for element in elements if not element.is_point]
        placed: list[Placement] = []
        if low == high:
            placed = [Placement(_as_point(span), low, low, 0.0) for span in spans]
        elif len(spans) == 1 and self._words_of(spans[0]) == words:
            placed = [self._placement(spans[0], self._inside(spans[0]), low, high)]
        elif spans:
            placed = self._spans(spans, low, high)
        taken = [(placement.start, placement.end) for placement in placed]
        placed += [self._point(element, low, high, taken, words) for element in elements if element.is_point]
        return tuple(placed)

    def _spans(self, spans: list[Element], low: int, high: int) -> list[Placement]:
        placed: list[Placement] = []
        taken: list[tuple[int, int]] = []
        masses = {number: self._inside(span) for number, span in enumerate(spans)}
        waiting = {number: self._best(inside, low, high, taken) for number, inside in masses.items()}
        while waiting:
            number = max(waiting, key=lambda number: (waiting[number][0], -number))
            gain, start, end = waiting.pop(number)
            if gain <= 0:
                waiting[number] = gain, start, end
                break
            free = next((a, b) for a, b in _free(low, high, taken) if a <= start and end <= b)
            start, end = self._widened(spans[number], masses[number], start, end, free)
            placed.append(self._placement(spans[number], masses[number], start, end))
            taken.append((start, end))
            for other, (_, first, last) in waiting.items():
                if first < end and start < last:
                    waiting[other] = self._best(masses[other], low, high, taken)
        for number in sorted(waiting):
            placement = self._without_gain(spans[number], masses[number], low, high, taken)
            placed.append(placement)
            if placement.start < placement.end:
                taken.append((placement.start, placement.end))
        return placed

    def _placement(self, span: Element, inside: dict[int, float], start: int, end: int) -> Placement:
        agreeing = sum(mass for j, mass in inside.items() if start <= j < end)
        lost = sum(mass for j, mass in inside.items() if not start <= j < end)
        foreign = sum(self.total[start:end]) - agreeing
        every = agreeing + lost + max(foreign, 0.0)
        probability = agreeing / every if agreeing > 0 else 0.0
        inner = self.level(span.children, start, end, self._words_of(span))
        return Placement(span, start, end, probability, inside=inner)

    def _inside(self, span: Element) -> dict[int, float]:
        """The mass that each target word has from words of the span; a word that is cut counts in part."""
        inside: dict[int, float] = {}
        for i, share in self._shares(span):
            for j, mass in self.linked[i]:
                inside[j] = inside.get(j, 0.0) + share * mass
        return inside

    def _shares(self, span: Element) -> Iterator[tuple[int, float]]:
        for i in range(self._first_word(span.start, ends=True), len(self.source)):
            start, end = self.source[i]
            if start >= span.end:
                return
            yield i, (min(end, span.end) - max(start, span.start)) / (end - start)

    def _words_of(self, span: Element) -> range:
        return range(self._first_word(span.start, ends=True), self._first_word(span.end))

    def _first_word(self, place: int, ends: bool = False) -> int:
        """The first source word that begins at a place or after it; or that ends after it."""
        low, high = 0, len(self.source)
        while low < high:
            middle = (low + high) // 2
            start, end = self.source[middle]
            if (end > place) if ends else (start >= place):
                high = middle
            else:
                low = middle + 1
        return low

    def _best(
        self, inside: dict[int, float], low: int, high: int, taken: list[tuple[int, int]]
    ) -> tuple[int, int, int]:
        """The run of free words with the largest sum, and the sum; 0 where none is positive."""
        best = (0, low, low)
        if not inside:
            return best
        for first, last in _free(low, high, taken):
            first, last = max(first, min(inside)), min(last, max(inside) + 1)
            gains = [round(_UNITS * (2 * inside.get(j, 0.0) - self.total[j])) for j in range(first, last)]
            for start, end in best_intervals(gains):
                gain = sum(gains[start:end])
                if gain > best[0]:
                    best = gain, first + start, first + end
        return best

    def _without_gain(
        self, span: Element, inside: dict[int, float], low: int, high: int, taken: list[tuple[int, int]]
    ) -> Placement:
        free = list(_free(low, high, taken))
        candidates = [(mass, -j) for j, mass in inside.items() if any(a <= j < b for a, b in free)]
        if candidates:
            j = -max(candidates)[1]
            return self._placement(span, inside, j, j + 1)
        gaps = self._gaps(span, low, high, taken)
        start, end = self._unlinked(gaps, low, high, taken)
        if start == end:
            return Placement(_as_point(span), start, start, 0.0, left=low < start == high)
        return self._placement(span, inside, start, end)

    def _unlinked(
        self, gaps: list[tuple[float, int]], low: int, high: int, taken: list[tuple[int, int]]
    ) -> tuple[int, int]:
        """The free words without links that touch the best gap, without punctuation at their edges."""
        gap = max(gaps)[1]
        for first, last in _free(low, high, taken):
            if first <= gap <= last:
                start = end = gap
                while start > first and self.total[start - 1] == 0:
                    start -= 1
                while end < last and self.total[end] == 0:
                    end += 1
                while start < end and is_punctuation(self.words[start]):
                    start += 1
                while start < end and is_punctuation(self.words[end - 1]):
                    end -= 1
                if start < end:
                    return start, end
        return gap, gap

    def _point(
        self, point: Element, low: int, high: int, taken: list[tuple[int, int]], words: range
    ) -> Placement:
        """Place a point; one before all words of its parent, or behind them, stays there."""
        after = self._first_word(point.end)
        if after <= words.start or after >= words.stop:
            gap = low if after <= words.start else high
            return Placement(point, gap, gap, 1.0, left=low < gap)
        gap = max(self._gaps(point, low, high, taken))[1]
        before_mass = sum(mass for j, mass in self.linked[after - 1] if j < gap)
        after_mass = sum(mass for j, mass in self.linked[after] if j >= gap)
        left = point.glued[0] and not (point.glued[1] and before_mass == 0 < after_mass)
        probability = min(1.0, max(before_mass, after_mass))
        return Placement(point, gap, gap, probability, left=low < gap and (left or gap == high))

    def _gaps(
        self, element: Element, low: int, high: int, taken: list[tuple[int, int]]
    ) -> list[tuple[float, int]]:
        """A score for each gap between words that is not inside a sibling."""
        before, after = self._first_word(element.start, ends=True), self._first_word(element.end)
        left, right = [0.0] * len(self.target), [0.0] * len(self.target)
        for i in range(before):
            for j, mass in self.linked[i]:
                left[j] += mass
        for i in range(after, len(self.linked)):
            for j, mass in self.linked[i]:
                right[j] += mass
        near: dict[int, float] = {}  # what the two neighbours say; the one that it is written with says more
        glued_left, glued_right = element.glued
        for j, mass in self.linked[before - 1] if before > 0 else ():
            near[j + 1] = near.get(j + 1, 0.0) + mass * (2 if glued_left and not glued_right else 1)
        for j, mass in self.linked[after] if after < len(self.linked) else ():
            near[j] = near.get(j, 0.0) + mass * (2 if glued_right and not glued_left else 1)
        every = sum(left) + sum(right) or 1.0
        agreeing = sum(left[:low]) + sum(right[low:])
        expected = before * len(self.target) / max(1, len(self.source))
        inner = {gap for start, end in taken for gap in range(start + 1, end)}
        scored = []
        for gap in range(low, high + 1):
            if gap not in inner:
                nearness = -abs(gap - expected) * _TINY
                scored.append((agreeing / every + near.get(gap, 0.0) + nearness, gap))
            if gap < high:
                agreeing += left[gap] - right[gap]
        return scored

    def _widened(
        self, span: Element, inside: dict[int, float], start: int, end: int, free: tuple[int, int]
    ) -> tuple[int, int]:
        """Take in what belongs to the words of a run: the rest of a word, and all of a pair of brackets.

        In Chinese and Japanese each character is a word here, and some of a word may have no link. All that
        stands in the same brackets or quotation marks comes too, if none of it belongs to others, and the
        marks with it, unless the source has some around the span: they are how the translation writes what
        the markup says.
        """
        for j in self._own(range(start - 1, free[0] - 1, -1), inside):
            if not self._goes_on(j, start):
                break
            start = j
        for j in self._own(range(end, free[1]), inside):
            if not self._goes_on(end - 1, j):
                break
            end = j + 1
        while (wider := self._balanced(inside, start, end, free)) is not None:
            start, end = wider
        while (wider := self._enclosing(inside, start, end, free)) is not None:
            if wider == (start - 1, end + 1) and self._source_is_enclosed(span):
                break
            start, end = wider
        return start, end

    def _balanced(
        self, inside: dict[int, float], start: int, end: int, free: tuple[int, int]
    ) -> tuple[int, int] | None:
        """The run with the other mark of a pair of which it has one; None where it has both, or none."""
        opened: list[int] = []
        for j in range(start, end):
            if opened and self._matches(opened[-1], j):
                opened.pop()
            elif self.words[j] in _PAIRS:
                opened.append(j)
            elif self.words[j] in _CLOSING:
                for left in self._own(range(start - 1, free[0] - 1, -1), inside):
                    if self._matches(left, j):
                        return left, end
        for mark in reversed(opened):
            for right in self._own(range(end, free[1]), inside):
                if self._matches(mark, right):
                    return start, right + 1
        return None

    def _enclosing(
        self, inside: dict[int, float], start: int, end: int, free: tuple[int, int]
    ) -> tuple[int, int] | None:
        """The nearest pair of marks around the run, if nothing between belongs to others."""
        for left in self._own(range(start - 1, free[0] - 1, -1), inside):
            if self.words[left] in _PAIRS:
                for right in self._own(range(end, free[1]), inside):
                    if self._matches(left, right):
                        return left, right + 1
                return None
        return None

    def _own(self, words: range, inside: dict[int, float]) -> Iterator[int]:
        """These words up to the first that belongs to others more than to the span; marks belong to all."""
        for j in words:
            if 2 * inside.get(j, 0.0) < self.total[j] and not is_punctuation(self.words[j]):
                return
            yield j

    def _goes_on(self, left: int, right: int) -> bool:
        """Whether two neighbours may be one word: both are Chinese characters, or both Katakana."""
        kinds = (self.words[left], self.words[right])
        return all("\u4e00" <= word[0] <= "\u9fff" for word in kinds) or all(
            "\u30a1" <= word[0] <= "\u30fe" for word in kinds
        )

    def _matches(self, left: int, right: int) -> bool:
        return left < right and self.words[right] in _PAIRS.get(self.words[left], "")

    def _source_is_enclosed(self, span: Element) -> bool:
        """Whether the source has quotation marks or brackets around the span too."""
        before = self._first_word(span.start, ends=True) - 1
        after = self._first_word(span.end)
        if before < 0 or after >= len(self.source):
            return False
        return self.source_words[after] in _PAIRS.get(self.source_words[before], "")


def _walk(elements: Iterable[Element]) -> Iterator[Element]:
    for element in elements:
        yield element
        yield from _walk(element.children)


def _occurrences(copy: str, text: str) -> Iterator[int]:
    place = text.find(copy)
    while place >= 0:
        yield place
        place = text.find(copy, place + len(copy))


def _link_only(pairs: list[tuple[int, int]], masses: dict[tuple[int, int], float]) -> None:
    """Give each pair a link, and take all other links of their words away."""
    sources, targets = {i for i, _ in pairs}, {j for _, j in pairs}
    for link in [link for link in masses if link[0] in sources or link[1] in targets]:
        del masses[link]
    masses.update(dict.fromkeys(pairs, 1.0))


def _free(low: int, high: int, taken: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The runs of words between `low` and `high` that are not taken; an empty one where all are."""
    place = low
    for start, end in sorted(taken):
        if start > place:
            yield place, start
        place = max(place, end)
    if place < high or place == low:
        yield place, high


def _as_point(span: Element) -> Element:
    return Element(span.whole(), "", span.start, span.start)
