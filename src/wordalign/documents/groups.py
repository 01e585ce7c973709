"""Words of sentences near each other -> which sentences translate which: groups of one to five on each side.

A word is covered by a group to the degree that the most similar word of the group's other side is its
translation. What it has in common with any sentence counts less: articles are at home everywhere; and among
many words some are alike by chance, so that a long other side must be more similar. A group earns its
covered words of both sides, less a share of all its words, so that what is not covered costs; each sentence
more than one on a side costs, too, and so do sides of different lengths and a border of paragraphs inside. A
sentence without a partner earns nothing and costs a little. The best division of both texts into groups is
found by `steps.py`.

The coverage of a source sentence by some target sentences is that of the best of them, word by word. So it is
enough to compare each pair of sentences of a window once, whatever the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from wordalign.documents.steps import Step, Window, best_steps
from wordalign.types import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Costs:
    """What decides about groups; `benchmarks/documents.py choose` tries settings near these.

    They were chosen on Text+Berg 1957, MAC-Dev, four of TransRead's novels, and disturbed development sets.

    `usual`            how much of a word's usual similarity to any sentence is not counted
    `middle`, `width`  how much more similar a word that is half covered is, and how soft the step is
    `chance`           … and how much more still where the other side has e times as many words as usual
    `share`            of the words of a group that must be covered for it to earn anything
    `more`             the cost of each sentence more than one on a side, in words
    `both`             … and of more than one on both sides
    `length`           the cost of different lengths: of the square of the difference by the sum, in words
    `alone`            the cost of a sentence without a partner, in words
    `across`           the cost of a border of paragraphs within a group, in words
    `most`             sentences on one side of a group, and `most_together` on both
    """

    usual: float = 0.5
    middle: float = 0.2
    width: float = 0.15
    chance: float = 0.025
    share: float = 0.45
    more: float = 1.1
    both: float = 0.5
    length: float = 0.6
    alone: float = 1.2
    across: float = 0.5
    most: int = 5
    most_together: int = 7


COSTS = Costs()
TOGETHER = 16  # sentences whose words are compared at once
SAMPLE = 24  # sentences of the other side by which the usual similarity of a word is found out
# Where these are few, the usual similarity is drawn to that of most texts, as if so many more said it.
USUAL = 0.3
UNKNOWN = 4
# How long one text is for the other is drawn to as long, as if each had so many words more of such a text.
ALIKE = 200


@dataclass(frozen=True, slots=True)
class Side:
    """The sentences of one text, or of a part of it, that are to be grouped.

    `vectors` gives those of the words of a sentence that are no punctuation, shape (words, d), unit rows;
    `sizes` has how many these are, `characters` how long a sentence is, and `starts` is true where it begins
    a paragraph.
    """

    vectors: Callable[[int], Floats]
    sizes: Ints
    characters: Ints
    starts: Bools

    def __len__(self) -> int:
        return len(self.sizes)


def find_groups(source: Side, target: Side, windows: list[Window], costs: Costs = COSTS) -> list[Step]:
    """The groups, in order, as numbers of sentences (of the source, of the target)."""
    rows = _Rows(source, target, windows, costs)
    alone = [np.full(len(side), costs.alone) for side in (source, target)]
    return best_steps(len(source), len(target), windows, rows.gains, *alone)


@dataclass(frozen=True, slots=True)
class _Row:
    """A source sentence compared with the target sentences `start` to `end` of its window.

    `covered[b - 1, j - start]` is how many of its words the sentences j to j + b cover; `best` is, for each
    word of those target sentences, the highest cosine with a word of this one.
    """

    start: int
    end: int
    size: int
    covered: Floats
    best: Floats


class _Rows:
    def __init__(self, source: Side, target: Side, windows: list[Window], costs: Costs) -> None:
        self._source, self._target, self._windows, self._costs = source, target, windows, costs
        self._rows: dict[int, _Row] = {}
        self._borders = [_borders(side.starts) for side in (source, target)]
        self._lengths = _lengths(source, target)
        # Rows of vectors and words before each target sentence; one without words has a row all the same.
        self._words = np.concatenate([[0], np.cumsum(np.maximum(target.sizes, 1))])
        self._sizes = np.concatenate([[0], np.cumsum(target.sizes)])
        self._sample = [_sample(side) for side in (source, target)]
        blocks = [range(j, min(j + TOGETHER, len(target))) for j in range(0, len(target), TOGETHER)]
        usual = [self._usual_of(np.concatenate(list(map(self._padded, block))), 0) for block in blocks]
        self._usual = np.concatenate([np.zeros(0), *usual])
        self._block: tuple[int, Floats, Floats] | None = None

    def gains(self, row: int) -> Mapping[Step, tuple[int, Floats]]:
        """What the groups earn that end with this source sentence."""
        costs = self._costs
        self._rows[row] = self._compared(row)
        self._rows.pop(row - costs.most, None)
        found: dict[Step, tuple[int, Floats]] = {}
        start = self._rows[row].start  # the latest of all these rows
        best: Floats | None = None
        size = 0
        for a in range(1, min(costs.most, row + 1) + 1):
            first = self._rows[row - a + 1]
            end = first.end  # the earliest of all these rows
            if end <= start:
                break
            size += first.size
            words = slice(
                self._words[start] - self._words[first.start], self._words[end] - self._words[first.start]
            )
            best = (
                first.best[words]
                if best is None
                else np.maximum(best[: len(first.best[words])], first.best[words])
            )
            usual = self._usual[self._words[start] : self._words[end]]
            covered = np.add.reduceat(
                self._coverage(best, usual, self._by_chance(size, self._source)),
                self._words[start:end] - self._words[start],
            )
            of_target = np.concatenate([[0.0], np.cumsum(covered)])
            for b in range(1, min(costs.most, costs.most_together - a, end - start) + 1):
                places = np.arange(start, end - b + 1)
                earned = of_target[b:] - of_target[:-b]
                for row_of in range(row - a + 1, row + 1):
                    one = self._rows[row_of]
                    earned = earned + one.covered[b - 1, start - one.start : end - b + 1 - one.start]
                earned = earned - costs.share * (size + self._sizes[places + b] - self._sizes[places])
                inside = self._borders[0][row + 1] - self._borders[0][row - a + 2]
                inside = inside + self._borders[1][places + b] - self._borders[1][places + 1]
                long = self._lengths[0][row + 1] - self._lengths[0][row - a + 1]
                others = self._lengths[1][places + b] - self._lengths[1][places]
                uneven = (long - others) ** 2 / (long + others + 1)
                spent = costs.more * (a + b - 2) + costs.both * (a > 1 and b > 1)
                found[a, b] = (start, earned - spent - costs.across * inside - costs.length * uneven)
        return found

    def _compared(self, row: int) -> _Row:
        start, end = self._reach(row)
        size = int(self._source.sizes[row])
        covered = np.zeros((self._costs.most, end - start))
        if start == end or not size:
            return _Row(start, end, size, covered, np.full(self._words[end] - self._words[start], -1.0))
        cosines, usual = self._cosines(row)
        by_sentence = np.maximum.reduceat(cosines, self._words[start:end] - self._words[start], axis=1)
        reached = by_sentence
        for b in range(self._costs.most):
            words = self._sizes[start + b + 1 : end + 1] - self._sizes[start : end - b]
            chance = self._by_chance(words, self._target)
            covered[b, : reached.shape[1]] = self._coverage(reached, usual[:, None], chance).sum(axis=0)
            if b + 1 >= end - start:
                break
            reached = np.maximum(reached[:, :-1], by_sentence[:, b + 1 :])
        return _Row(start, end, size, covered, cosines.max(axis=0))

    def _reach(self, row: int) -> Window:
        """The target sentences that a source sentence may be grouped with."""
        start, end = self._windows[row].start, self._windows[row + 1].end - 1
        return Window(start, max(start, end))

    def _cosines(self, row: int) -> tuple[Floats, Floats]:
        """The cosines of the words of a source sentence with those in its reach, and their usual ones.

        They are computed for some rows together, which is much faster than one by one.
        """
        first = row - row % TOGETHER
        last = min(first + TOGETHER, len(self._source))
        start, end = self._reach(first).start, self._reach(last - 1).end
        if self._block is None or self._block[0] != first:
            source = np.concatenate([self._source.vectors(i) for i in range(first, last)])
            target = np.concatenate([self._padded(j) for j in range(start, end)])
            cosines = source @ target.T
            empty = np.isinf(self._usual[self._words[start] : self._words[end]])
            cosines[:, empty] = -1  # no words, only a row
            self._block = first, cosines, self._usual_of(source, 1)
        _, cosines, usual = self._block
        above = int(self._source.sizes[first:row].sum())
        rows = slice(above, above + int(self._source.sizes[row]))
        low, high = (self._words[place] - self._words[start] for place in self._reach(row))
        return cosines[rows, low:high], usual[rows]

    def _padded(self, number: int) -> Floats:
        """The vectors of a target sentence; a row of zeros where it has none: each sentence needs a row."""
        vectors = self._target.vectors(number)
        return vectors if len(vectors) else np.zeros((1, vectors.shape[1]), dtype=np.float32)

    def _usual_of(self, vectors: Floats, side: int) -> Floats:
        """How similar each word is to the nearest word of sentences that it has nothing to do with."""
        sample, starts = self._sample[side]
        by_sentence = np.maximum.reduceat(vectors @ sample.T, starts, axis=1)
        total = by_sentence.sum(axis=1) - by_sentence.max(axis=1)  # one of them may be its translation
        usual: Floats = (total + UNKNOWN * USUAL) / (len(starts) - 1 + UNKNOWN)
        # A row that only stands for a sentence without words is never covered.
        return np.where(vectors.any(axis=1), usual, np.inf)

    def _by_chance(self, words: int | Ints, side: Side) -> Floats:
        """How much more similar the nearest of so many words is by chance than that of a usual sentence."""
        chance: Floats = self._costs.chance * np.log((words + 1) / (side.sizes.mean() + 1))
        return chance

    def _coverage(self, cosines: Floats, usual: Floats, chance: Floats) -> Floats:
        middle = self._costs.middle + self._costs.usual * usual + chance
        covered: Floats = 1 / (1 + np.exp((middle - cosines) / self._costs.width))
        return covered


def _sample(side: Side) -> tuple[Floats, Ints]:
    """The vectors of some sentences of all parts of a text, and where each of these begins."""
    filled = np.flatnonzero(side.sizes)
    if not len(filled):
        return np.zeros((1, side.vectors(0).shape[1]), dtype=np.float32), np.zeros(1, dtype=np.int64)
    chosen = filled[np.linspace(0, len(filled) - 1, min(SAMPLE, len(filled))).astype(np.int64)].tolist()
    vectors = [side.vectors(number) for number in chosen]
    return np.concatenate(vectors), np.concatenate([[0], np.cumsum([len(one) for one in vectors])[:-1]])


def _lengths(source: Side, target: Side) -> tuple[Floats, Floats]:
    """The length of what is before each place of both texts, in words of the source, by characters.

    How many characters a word has is a matter of the language, and how many words the same text has, too.
    """
    one, other = (
        side.characters * (side.sizes.sum() / max(1, side.characters.sum())) for side in (source, target)
    )
    other = other * (source.sizes.sum() + ALIKE) / (target.sizes.sum() + ALIKE)
    return np.concatenate([[0.0], np.cumsum(one)]), np.concatenate([[0.0], np.cumsum(other)])


def _borders(starts: Bools) -> Ints:
    """How many paragraphs begin with one of the sentences before each place; shape (sentences + 1,)."""
    return np.concatenate([[0], np.cumsum(starts)])
