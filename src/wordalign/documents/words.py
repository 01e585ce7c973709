"""A text's sentences -> their words, the words' vectors, and a vector for each sentence.

Where the words are is kept for the whole text, eight bytes a word. Vectors are a hundred times as large:
those of
`KEPT_WORDS` words are kept for the second pass, and those of the rest of a long text are computed once more,
block by block. So memory does not grow with the vectors of a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from wordalign.documents.types import Text
from wordalign.encoders import Encoder
from wordalign.links.similarity import unit_encoding, word_means
from wordalign.text import Segmenter, is_punctuation, split_words
from wordalign.types import Encoding, Floats, Ints, Sentence, Span, unit_rows

BLOCK = 256  # sentences that are encoded together
KEPT_WORDS = 400_000  # of a side: 400 MB with the bundled models
RECENT = 6  # blocks that are held while the second pass goes through a text
# How fast the weight of a word falls with its frequency (Arora, Liang and Ma 2017).
RARE = 1e-3
FEW = 20  # sentences

Tick = Callable[[int], None]


class Words:
    """The words of each sentence of a text, and their vectors.

    `first` has the number of words before each sentence, and at its end that of all words; `sizes` has the
    number of words of each sentence that are no punctuation.
    """

    def __init__(self, text: Text, encoder: Encoder, level: str, segmenter: Segmenter | None = None) -> None:
        self.text, self._encoder, self._level = text, encoder, level
        starts: list[int] = []
        ends: list[int] = []
        first = [0]
        for start, end in text.spans:
            offsets = split_words(text.text[start:end], segmenter).offsets or ()
            starts += [start + begin for begin, _ in offsets]
            ends += [start + stop for _, stop in offsets]
            first.append(len(starts))
        self._starts, self._ends = np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
        self.first: Ints = np.array(first)
        words = map(text.text.__getitem__, map(slice, starts, ends))
        self._plain = np.array([not is_punctuation(word) for word in words], dtype=np.bool_)
        self.sizes: Ints = np.diff(np.concatenate([[0], np.cumsum(self._plain)])[self.first])
        self._vectors: Floats | None = None
        self._kept: dict[int, list[Encoding]] = {}
        self._recent: dict[int, list[Encoding]] = {}

    def __len__(self) -> int:
        return len(self.first) - 1

    def sentence(self, sentences: Span) -> Sentence:
        """The words of some sentences that follow each other, with their places in the whole text."""
        a, b = int(self.first[sentences[0]]), int(self.first[sentences[1]])
        offsets = tuple(zip(self._starts[a:b].tolist(), self._ends[a:b].tolist(), strict=True))
        text = self.text.text
        return Sentence(tuple([text[start:end] for start, end in offsets]), text, offsets)

    def sentence_vectors(self, tick: Tick) -> Floats:
        """A vector of length 1 for each sentence, shape (sentences, d): its words, rare ones above all.

        What all sentences of the text have in common is taken out, which makes room for what tells them
        apart. `tick` is told how many sentences are done.
        """
        if self._vectors is not None:
            return self._vectors
        counts = Counter(word.lower() for number in range(len(self)) for word in self._words(number))
        total = max(1, counts.total())
        sums: list[Floats] = []
        kept = 0
        for block in range(0, len(self), BLOCK):
            encodings = self._encode(block)
            for number, encoding in enumerate(encodings, start=block):
                words = self._words(number)
                found = word_means(encoding)
                weights = [
                    0.0 if is_punctuation(words[k]) else RARE / (RARE + counts[words[k].lower()] / total)
                    for k in found.word_of_row.tolist()
                ]
                sums.append(np.asarray(weights, dtype=np.float32) @ found.vectors)
            size = int(self.first[min(block + BLOCK, len(self))] - self.first[block])
            if kept + size <= KEPT_WORDS:
                self._kept[block] = encodings
                kept += size
            tick(len(encodings))
        vectors = unit_rows(np.array(sums, dtype=np.float32))
        # Of a few sentences the mean says more about these than about what all have in common.
        common = vectors.mean(axis=0) * len(vectors) / (len(vectors) + FEW)
        self._vectors = unit_rows(vectors - common)
        return self._vectors

    def encodings(self, sentences: Span) -> list[Encoding]:
        """The vectors of the words (or subwords) of some sentences that follow each other, of length 1."""
        found: list[Encoding] = []
        for block in range(sentences[0] - sentences[0] % BLOCK, sentences[1], BLOCK):
            low, high = max(sentences[0], block), min(sentences[1], block + BLOCK)
            found += self._block(block)[low - block : high - block]
        return found

    def forget(self, before: int) -> None:
        """Let the vectors of the sentences before this one go."""
        for held in (self._kept, self._recent):
            for block in [block for block in held if block + BLOCK <= before]:
                del held[block]

    def _block(self, block: int) -> list[Encoding]:
        if block in self._kept:
            return self._kept[block]
        if block not in self._recent:
            self._recent[block] = self._encode(block)
            while len(self._recent) > RECENT:
                del self._recent[next(iter(self._recent))]
        return self._recent[block]

    def encoded(self, numbers: Iterable[int]) -> list[Encoding]:
        """The vectors of single sentences, which are not kept."""
        sentences = [self._words(number) for number in numbers]
        return [unit_encoding(encoding, self._level) for encoding in self._encoder.encode(sentences)]

    def _encode(self, block: int) -> list[Encoding]:
        return self.encoded(range(block, min(block + BLOCK, len(self))))

    def _words(self, number: int) -> list[str]:
        a, b = int(self.first[number]), int(self.first[number + 1])
        text = self.text.text
        return [text[s:e] for s, e in zip(self._starts[a:b].tolist(), self._ends[a:b].tolist(), strict=True)]

    def counted(self, number: int) -> Floats:
        """The vectors of the words of a sentence that are no punctuation, shape (words, d), of length 1.

        A word that the encoder cannot represent has a vector of zeros.
        """
        found = word_means(self.encodings((number, number + 1))[0])
        a, b = int(self.first[number]), int(self.first[number + 1])
        vectors = np.zeros((b - a, found.vectors.shape[1]), dtype=np.float32)
        vectors[found.word_of_row] = unit_rows(found.vectors)
        return vectors[self._plain[a:b]]

    def joined(self, sentences: Span) -> Encoding:
        """The vectors of some sentences that follow each other, as those of one sentence."""
        found = self.encodings(sentences)
        if len(found) == 1:
            return found[0]
        before = self.first[sentences[0] : sentences[1]] - self.first[sentences[0]]
        words = [encoding.word_of_row + shift for encoding, shift in zip(found, before, strict=True)]
        groups = [encoding.group_of_row for encoding in found if encoding.group_of_row is not None]
        return Encoding(
            np.concatenate([encoding.vectors for encoding in found]),
            np.concatenate(words),
            np.concatenate(groups) if len(groups) == len(found) else None,
        )
