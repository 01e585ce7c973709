"""What travels through this room: a text with its sentences, groups of these, and all groups of two texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from wordalign.types import Alignment, Span


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where its sentences are.

    `text`        all characters; every place in this room counts in them
    `spans`       start and end of each sentence, in order, without white space around it
    `paragraphs`  the number of the paragraph that each sentence stands in
    `language`    its ISO 639-1 code, as far as it is known; empty otherwise
    `name`        what it is called in messages: the file's name, say
    """

    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(repr=False)
    paragraphs: tuple[int, ...] = field(repr=False)
    language: str = ""
    name: str = ""

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.spans)

    def sentence(self, number: int) -> str:
        """A sentence as it is written."""
        start, end = self.spans[number]
        return self.text[start:end]

    def place(self, sentences: Span) -> Span:
        """Where some sentences that follow each other begin and end; an empty place where there are none.

        >>> Text("One. Two. Three.", ((0, 4), (5, 9), (10, 16)), (0, 0, 0)).place((1, 3))
        (5, 16)
        """
        first, end = sentences
        if first < end:
            return self.spans[first][0], self.spans[end - 1][1]
        where = self.spans[first][0] if first < len(self.spans) else len(self.text)
        return where, where

    def between(self, sentences: Span) -> str:
        """The text of some sentences that follow each other, in one line."""
        start, end = self.place(sentences)
        return " ".join(self.text[start:end].split())


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences of one text and the sentences of the other that translate them; one side may be empty.

    `source`     the sentences of the first text: from the first number to the second, which is not included
    `target`     those of the second text
    `alignment`  the links of their words. The `text` of its two sentences is the whole text, so that the
                 offsets of the words are places in it
    `score`      the probability that the two sides translate each other; 0 where one is empty
    `moved`      whether the two sides stand in different orders in the texts, as a footnote may
    """

    source: Span
    target: Span
    alignment: Alignment = field(repr=False)
    score: float
    moved: bool = False

    @property
    def links(self) -> Iterator[tuple[Span, Span, float]]:
        """Each link: the place of a word in the first text, of one in the second text, and its score."""
        source, target = self.alignment.source.offsets or (), self.alignment.target.offsets or ()
        for (i, j), score in zip(self.alignment.links, self.alignment.scores, strict=True):
            yield source[i], target[j], score

    def phrases(self, max_length: int = 7) -> Iterator[tuple[Span, Span]]:
        """Places of phrases that are linked with each other and with nothing else (`project/phrases.py`)."""
        from wordalign.project.phrases import phrase_spans

        source, target = self.alignment.source, self.alignment.target
        of_source, of_target = source.offsets or (), target.offsets or ()
        for i, k, j, m in phrase_spans(
            self.alignment.links, len(source), len(target), max_length, tight=True
        ):
            yield (of_source[i][0], of_source[k - 1][1]), (of_target[j][0], of_target[m - 1][1])


@dataclass(frozen=True, slots=True)
class DocumentAlignment:
    """Two texts and the groups of their sentences.

    `groups` are in the order of both texts, and every sentence of both is in one of them. Those that were
    moved come last, and hold sentences that have no partner in their place. `signature` says what the links
    and scores depend on.
    """

    source: Text
    target: Text
    groups: tuple[SentenceGroup, ...] = field(repr=False)
    signature: str = ""

    @property
    def pairs(self) -> Iterator[tuple[str, str, float]]:
        """The groups with text on both sides: that of the source, that of the target, and the score."""
        for group in self.groups:
            if group.alignment.source.words and group.alignment.target.words:
                yield self.source.between(group.source), self.target.between(group.target), group.score

    @property
    def links(self) -> Iterator[tuple[Span, Span, float]]:
        """All links of words, as places in both texts."""
        for group in self.groups:
            yield from group.links

    @property
    def matched(self) -> float:
        """The share of the sentences of both texts that have a partner which is probably a translation."""
        good = [group for group in self.groups if group.score >= 0.5]
        count = sum(end - start for group in good for start, end in (group.source, group.target))
        return count / max(1, len(self.source) + len(self.target))
