"""A request -> parts of bounded size, or a sentence that says which limit it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordalign.config import AlignConfig
from wordalign.serve.refusals import RefusedError
from wordalign.serve.schemas import BatchRequest, PairIn, PairRequest
from wordalign.serve.settings import Limits
from wordalign.serve.work import Part
from wordalign.text import split_words
from wordalign.types import Pair, Sentence

# A word has about so many characters; a longer one counts as several, since it becomes many subwords.
CHARACTERS_OF_A_WORD = 6


def split_request(
    request: PairRequest | BatchRequest, choice: AlignConfig, limits: Limits, words: int
) -> list[tuple[Part, int]]:
    """The request's pairs in parts of about so many words, and how many each has."""
    given: Sequence[PairIn | PairRequest] = request.pairs
    if len(given) > limits.pairs:
        message = f"The request has {len(given)} pairs, but at most {limits.pairs} are allowed: send several."
        raise RefusedError(422, "too_many_pairs", message)
    pairs = [
        Pair(
            _sentence(pair.source, limits, f"The source of pair {number}"),
            _sentence(pair.target, limits, f"The target of pair {number}"),
        )
        for number, pair in enumerate(given)
    ]
    return [
        (Part(tuple(part), choice, request.scores, request.matrix), size)
        for part, size in _parts(pairs, words)
    ]


def _sentence(given: str | list[str], limits: Limits, what: str) -> Sentence:
    characters = len(given) if isinstance(given, str) else sum(map(len, given))
    if characters > limits.characters:
        raise _too_long(what, characters, "characters", limits.characters)
    sentence = split_words(given) if isinstance(given, str) else Sentence(tuple(given))
    if len(sentence) > limits.words:
        raise _too_long(what, len(sentence), "words", limits.words)
    return sentence


def _too_long(what: str, number: int, unit: str, most: int) -> RefusedError:
    message = f"{what} has {number:,} {unit}, but at most {most:,} are allowed: split it into sentences."
    return RefusedError(422, f"too_many_{unit}", message)


def _parts(pairs: list[Pair], words: int) -> Iterator[tuple[list[Pair], int]]:
    part: list[Pair] = []
    size = 0
    for pair in pairs:
        more = _size(pair.source) + _size(pair.target)
        if part and size + more > words:
            yield part, size
            part, size = [], 0
        part.append(pair)
        size += more
    yield part, size


def _size(sentence: Sentence) -> int:
    return max(len(sentence), sum(map(len, sentence.words)) // CHARACTERS_OF_A_WORD)
