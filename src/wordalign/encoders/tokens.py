"""Raw text -> subwords, by what stands between spaces; no words are made of a sentence.

    sentences   [b"The old house.", b"Das Haus."]
    tokens      [The, old, house., Das, Haus.]      looked up, all of a chunk at once
    subwords    of the words The | old | house | . and Das | Haus | .

Most of a text is made of few tokens, and the words of nearly all of them are the same everywhere
(`text.words.words_of_token`). A sentence with one of the others is looked up as a whole. The result is what
`SubwordTable` makes of the words of each sentence, for a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wordalign.encoders.subwords import (
    REMEMBERED_LETTERS,
    REMEMBERED_WORDS,
    Numbers,
    Subwords,
    SubwordTable,
    ends,
    runs,
)
from wordalign.text.situations import has_letters, has_unspaced
from wordalign.text.words import words_of_token
from wordalign.types import Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Spellings:
    """What tells a pair's situation of its words, for sentences end to end.

    `numbers` is equal for words that are equal in lower case, and 0 for those without letters; sentence k has
    those from `starts[k]` on. `unspaced` says of each sentence whether it has a letter of an unspaced script.
    """

    numbers: Ints
    starts: Ints
    unspaced: Bools


@dataclass(frozen=True, slots=True, eq=False)
class TokenizedText:
    """Sentences as tokens: sentence k has the `numbers` of those from `starts[k]` on.

    `subwords` are those of each token that is known, and `spellings` too.
    """

    numbers: Ints
    starts: Ints
    subwords: Subwords
    _spellings: Spellings

    @property
    def lengths(self) -> Ints:
        """The subwords of each sentence."""
        lengths: Ints = np.diff(ends(self.subwords.lengths[self.numbers])[self.starts])
        return lengths

    def take(self, order: Ints) -> Subwords:
        """The subwords of these sentences, in this order."""
        counts = np.diff(self.starts)[order]
        found = self.subwords.take(self.numbers[runs(self.starts[:-1][order], counts)])
        bounds = ends(counts)
        words = np.diff(ends(found.words)[bounds])
        return Subwords(found.ids, found.counts, found.starts[bounds], words, found.groups)

    def spellings(self) -> Spellings:
        """Those of the words of each sentence."""
        known = self._spellings
        counts = np.diff(known.starts)[self.numbers]
        numbers = known.numbers[runs(known.starts[:-1][self.numbers], counts)]
        unspaced = np.diff(ends(known.unspaced[self.numbers])[self.starts]) > 0
        return Spellings(numbers, ends(counts)[self.starts], unspaced)


class TokenTable:
    """Looks tokens up, and asks the table of subwords for those it has not seen; for one thread at a time.

    `split` finds the words of a sentence that cannot be looked up by its tokens.
    """

    def __init__(self, subwords: SubwordTable, split: Callable[[str], Sequence[str]]) -> None:
        self._of_words, self._split = subwords, split
        self._clear()

    def __call__(self, sentences: Sequence[bytes]) -> TokenizedText:
        """`UnicodeDecodeError` where a sentence is no UTF-8."""
        if len(self._number_of) > REMEMBERED_WORDS or self._letters > REMEMBERED_LETTERS:
            self._clear()
        counts = np.fromiter((sentence.count(b" ") for sentence in sentences), np.int64, len(sentences)) + 1
        numbers = self._look_up(b" ".join(sentences).split(b" ") if sentences else [], int(counts.sum()))
        starts = ends(counts)
        in_context = np.flatnonzero(np.diff(ends(self._in_context[numbers])[starts]))
        if len(in_context):
            # No sentence holds a line feed, so none is taken for a token.
            whole = [b"\n" + sentences[place] for place in in_context.tolist()]
            numbers[starts[in_context]] = self._look_up(whole, len(whole))
            kept = np.ones(len(numbers), dtype=bool)
            kept[runs(starts[in_context] + 1, counts[in_context] - 1)] = False
            counts[in_context] = 1
            numbers, starts = numbers[kept], ends(counts)
        return TokenizedText(numbers, starts, self._subwords, self._spellings)

    def _look_up(self, tokens: Sequence[bytes], number: int) -> Ints:
        try:
            numbers = np.fromiter(map(self._number_of.__getitem__, tokens), np.int64, number)
            self._learn()
        except BaseException:
            self._clear()  # tokens that have a number and no words would be wrong later
            raise
        return numbers

    def _clear(self) -> None:
        self._number_of = Numbers[bytes]()
        self._lower: dict[str, int] = {}
        self._letters = 0
        self._in_context: Bools = np.zeros(0, dtype=bool)
        self._subwords = self._of_words([])
        nothing = np.zeros(0, dtype=np.int64)
        self._spellings = Spellings(nothing, ends(nothing), np.zeros(0, dtype=bool))

    def _learn(self) -> None:
        new, self._number_of.new = self._number_of.new, []
        if not new:
            return
        self._letters += sum(map(len, new))
        words = [self._words(token.decode("utf-8")) for token in new]
        in_context = np.array([found is None for found in words])
        known = [found or () for found in words]
        spelled = [self._spelling(word) for found in known for word in found]
        unspaced = np.array([has_unspaced(found) for found in known], dtype=bool)
        self._in_context = np.concatenate([self._in_context, in_context])
        self._subwords = _joined(self._subwords, self._of_words(known))
        before = self._spellings
        numbers = np.concatenate([before.numbers, np.array(spelled, dtype=np.int64)])
        self._spellings = Spellings(
            numbers, ends(self._subwords.words), np.concatenate([before.unspaced, unspaced])
        )

    def _words(self, token: str) -> Sequence[str] | None:
        return self._split(token[1:]) if token.startswith("\n") else words_of_token(token)

    def _spelling(self, word: str) -> int:
        lower = word.lower()
        return self._lower.setdefault(lower, len(self._lower) + 1) if has_letters(lower) else 0


def _joined(first: Subwords, second: Subwords) -> Subwords:
    """The sentences of both."""
    groups = None
    if first.groups is not None and second.groups is not None:
        groups = np.concatenate([first.groups, second.groups])
    return Subwords(
        np.concatenate([first.ids, second.ids]),
        np.concatenate([first.counts, second.counts]),
        np.concatenate([first.starts, second.starts[1:] + first.starts[-1]]),
        np.concatenate([first.words, second.words]),
        groups,
    )
