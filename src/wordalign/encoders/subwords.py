"""Words -> subwords, for thousands of sentences at once, in arrays that lie end to end.

A tokenizer that is given words cuts each by itself, so a word's subwords are found once and remembered; the
rest is arithmetic on whole arrays, with no loop over words or subwords. Everything in the package that cuts
words does it here.

    sentences   [["This", "houses"], ["Ja"]]
    ids         [this, house, ##s, ja]
    counts      [1, 2, 1]                       of each word
    starts      [0, 3, 4]                       of each sentence, and the end
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np

from wordalign.errors import ModelError
from wordalign.types import Bools, Ints

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Text = TypeVar("Text", str, bytes)
Cut: TypeAlias = Callable[[Sequence[str]], list[list[str]]]

MARK = "▁"  # begins a word, in the vocabularies of our own models

# Some tens of megabytes; a corpus's frequent words are always among them.
REMEMBERED_WORDS = 250_000
# Words of thousands of letters (encoded files, genomes) would fill the memory before there are so many.
REMEMBERED_LETTERS = 20 * REMEMBERED_WORDS


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """The subwords of many sentences: `ids` of all of them, `counts` of each word, `starts` of each sentence.

    `words` are the words of each sentence. Shapes (subwords,), (words,), (sentences + 1,), (sentences,).
    `groups`, where the table tells them, has shape (words,): only words of equal groups are ever linked.
    """

    ids: Ints
    counts: Ints
    starts: Ints
    words: Ints
    groups: Ints | None = None

    @property
    def lengths(self) -> Ints:
        """The subwords of each sentence."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def word_of_subword(self) -> Ints:
        """The number of each subword's word in its sentence; shape (subwords,)."""
        number: Ints = np.repeat(runs(np.zeros_like(self.words), self.words), self.counts)
        return number

    def take(self, order: Ints) -> Subwords:
        """The same sentences in another order."""
        words = self.words[order]
        lengths = self.lengths[order]
        word_starts = np.cumsum(self.words) - self.words
        of_words = runs(word_starts[order], words)
        return Subwords(
            self.ids[runs(self.starts[:-1][order], lengths)],
            self.counts[of_words],
            ends(lengths),
            words,
            None if self.groups is None else self.groups[of_words],
        )


class Cutter(Protocol):
    """Cuts each word by itself, whatever stands beside it."""

    def ids(self, words: Sequence[str]) -> list[list[int]]:
        """The numbers of each word's subwords."""

    def texts(self, words: Sequence[str]) -> list[list[str]]:
        """The texts of each word's subwords."""


class TokenizerCutter:
    """Cuts words as a tokenizer of Hugging Face does."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def ids(self, words: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in self._encode(words)]

    def texts(self, words: Sequence[str]) -> list[list[str]]:
        return [one.tokens for one in self._encode(words)]

    def _encode(self, words: Sequence[str]) -> list[Encoding]:
        # Whatever used the tokenizer before may have left limits behind.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        return self._tokenizer.encode_batch(
            [[word] for word in words], is_pretokenized=True, add_special_tokens=False
        )


def open_tokenizer(file: Path) -> Tokenizer:
    """The tokenizer of a `tokenizer.json`."""
    import tokenizers

    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain exceptions
        raise ModelError(f"The tokenizer {file} cannot be used: {error}") from error


def encodable(word: str) -> str:
    """The word with lone surrogates (from JSON escapes) replaced: no tokenizer takes them."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")


def subword_cutter(file: Path) -> Cut:
    """A function from words to the subwords of each, by a `tokenizer.json`.

    With the bundled one, "Unbelievably" -> ▁un beli ev ably: in lower case, without accents.
    """
    return SubwordTable(TokenizerCutter(open_tokenizer(file)), texts=True).pieces


class SubwordTable:
    """Cuts words and remembers how; several threads may use it at the same time.

    `clean` is done to each word before it is cut. With `texts`, the ids are numbers for `pieces` instead of
    the vocabulary's own, which are the same for all pieces that are not in it. `group` tells the group of a
    word, where there are several.
    """

    def __init__(
        self,
        cutter: Cutter,
        clean: Callable[[str], str] = encodable,
        texts: bool = False,
        group: Callable[[str], int] | None = None,
    ) -> None:
        self._cutter = cutter
        self._clean = clean
        self._group = group
        self._texts = Numbers[str]() if texts else None
        self._lock = RLock()
        self._clear()

    def __reduce__(self) -> tuple[object, ...]:
        """Another process gets the same table with nothing in it."""
        return SubwordTable, (self._cutter, self._clean, self._texts is not None, self._group)

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Subwords:
        words = np.fromiter(map(len, sentences), np.int64, len(sentences))
        with self._lock:
            if len(self._number_of) > REMEMBERED_WORDS or self._letters > REMEMBERED_LETTERS:
                self._clear()
            numbers = np.fromiter(
                map(self._number_of.__getitem__, chain.from_iterable(sentences)), np.int64, int(words.sum())
            )
            self._learn()
            counts = self._counts[numbers]
            ids = self._ids[runs(self._starts[numbers], counts)]
            groups = None if self._group is None else self._groups[numbers]
        return Subwords(ids, counts, ends(counts)[ends(words)], words, groups)

    def pieces(self, words: Sequence[str]) -> list[list[str]]:
        """The texts of each word's subwords, for a table that was made with `texts`."""
        assert self._texts is not None
        with self._lock:
            found = self([words])
            # In the order of their numbers: nobody else empties this list.
            texts = [self._texts.new[number] for number in found.ids.tolist()]
        return [texts[first:last] for first, last in pairwise(ends(found.counts).tolist())]

    def _clear(self) -> None:
        if self._texts is not None:
            self._texts = Numbers[str]()
        self._number_of = Numbers[str]()
        self._letters = 0
        self._ids: Ints = np.zeros(0, dtype=np.int32)
        self._counts: Ints = np.zeros(0, dtype=np.int64)
        self._starts: Ints = np.zeros(0, dtype=np.int64)
        self._groups: Ints = np.zeros(0, dtype=np.int32)

    def _learn(self) -> None:
        new, self._number_of.new = self._number_of.new, []
        if not new:
            return
        self._letters += sum(map(len, new))
        try:
            words, texts = list(map(self._clean, new)), self._texts
            found = (
                self._cutter.ids(words)
                if texts is None
                else [list(map(texts.__getitem__, pieces)) for pieces in self._cutter.texts(words)]
            )
        except BaseException:
            self._clear()  # words that have a number and no subwords would be wrong later
            raise
        counts = np.fromiter(map(len, found), np.int64, len(found))
        self._ids = np.concatenate(
            [self._ids, np.fromiter(chain.from_iterable(found), np.int32, int(counts.sum()))]
        )
        self._counts = np.concatenate([self._counts, counts])
        self._starts = ends(self._counts)[:-1]
        if self._group is not None:
            groups = np.fromiter(map(self._group, new), np.int32, len(new))
            self._groups = np.concatenate([self._groups, groups])


class Numbers(dict[Text, int]):
    """Word or token -> number, in the order of first sight; `new` are those not asked for before."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[Text] = []

    def __missing__(self, text: Text) -> int:
        number = self[text] = len(self)
        self.new.append(text)
        return number


def runs(starts: Ints, lengths: Ints) -> Ints:
    """Runs of rising numbers, end to end.

    >>> runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    after = lengths.cumsum()
    result: Ints = (starts - after + lengths).repeat(lengths)
    result += np.arange(len(result))
    return result


def ends(lengths: Ints | Bools) -> Ints:
    """Where parts of these lengths begin when laid end to end, and where the last one ends.

    >>> ends(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    found = np.zeros(len(lengths) + 1, dtype=np.int64)
    lengths.cumsum(out=found[1:])
    return found
