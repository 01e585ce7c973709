"""What callers may give as a sentence or a pair -> `Sentence` and `Pair`.

("Das Haus", ["the", "house"])  ->  Pair(Sentence(("Das", "Haus"), ...), Sentence(("the", "house")))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from wordalign.errors import UsageError
from wordalign.text.words import Segmenter, split_words
from wordalign.types import Pair, Sentence

SentenceLike: TypeAlias = str | Sequence[str] | Sentence
PairLike: TypeAlias = Pair | tuple[SentenceLike, SentenceLike]


def as_pair(pair: PairLike, segmenter: Segmenter | None = None) -> Pair:
    """Two sentences, as they are or made of text or words."""
    if isinstance(pair, Pair):
        return pair
    try:
        source, target = () if isinstance(pair, str) else pair
    except (TypeError, ValueError):
        raise UsageError(f"A pair is two sentences, (source, target), not {pair!r:.80}.") from None
    return Pair(as_sentence(source, segmenter), as_sentence(target, segmenter))


def as_sentence(sentence: SentenceLike, segmenter: Segmenter | None = None) -> Sentence:
    """Raw text is split, by the segmenter where the script needs one; words stay as they are."""
    if isinstance(sentence, Sentence):
        return sentence
    if isinstance(sentence, str):
        return split_words(sentence, segmenter)
    words = tuple(sentence) if isinstance(sentence, Iterable) else None
    if words is None or not all(isinstance(word, str) for word in words):
        raise UsageError(f"A sentence is a text or a list of words, not {sentence!r:.80}.")
    return Sentence(words)
