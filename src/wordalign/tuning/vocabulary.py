"""The pieces that words are cut into: special ones, those that a text needs and a model lacks, their vectors.

A model's vocabulary is extended where a side of the text is cut into crumbs, as text in a script is that the
model has never seen. The old pieces keep their numbers and scores, so that other languages are cut as before.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from tokenizers import Tokenizer

from wordalign.encoders.onnx_file import Array
from wordalign.encoders.subwords import MARK

# The first pieces of every vocabulary.
PAD, UNKNOWN, MASK = 0, 1, 2

# A text needs pieces of its own if its words are cut into more pieces than this on average: German words are
# cut into 1.3, Finnish ones into 2.0, Tamil ones into 2.3; those of a language that a model was not made for
# into 2.5 where it knows the script, and into 10 to 18, which are single bytes, where it does not.
TOO_MANY = 2.4
MOST_NEW = 8_000
LEAST_COUNT = 4  # of a new piece in the text
LONGEST_PIECE = 10
# New pieces are as probable as if their language were one of so many.
LANGUAGES = 50
ROUNDS = 4


def extend_tokenizer(tokenizer: Tokenizer, sides: Sequence[Iterable[Sequence[str]]]) -> Tokenizer:
    """The tokenizer with new pieces for each side whose words it cuts into too many; itself if there is none.

    `sides` are the sentences of each language, as lists of words.
    """
    for side in sides:
        counts = _normal_counts(tokenizer, side)
        if counts and pieces_a_word(tokenizer, counts) > TOO_MANY:
            tokenizer = _extended_by(tokenizer, counts)
    return tokenizer


def pieces_a_word(tokenizer: Tokenizer, counts: Counter[str]) -> float:
    """How many pieces a word is cut into, on average over the text."""
    sizes = map(len, _encode(tokenizer, list(counts)))
    return sum(size * count for size, count in zip(sizes, counts.values(), strict=True)) / counts.total()


def _normal_counts(tokenizer: Tokenizer, sentences: Iterable[Sequence[str]]) -> Counter[str]:
    counts = Counter(word for words in sentences for word in words)
    normal: Counter[str] = Counter()
    for word, count in counts.items():
        for part in tokenizer.normalizer.normalize_str(word).split():
            normal[part] += count
    return normal


def _encode(tokenizer: Tokenizer, words: list[str]) -> list[list[int]]:
    found = tokenizer.encode_batch([[word] for word in words], is_pretokenized=True, add_special_tokens=False)
    return [one.ids for one in found]


def _extended_by(tokenizer: Tokenizer, counts: Counter[str]) -> Tokenizer:
    """New pieces for these words: candidates compete for the text, and the ones that it uses most stay."""
    about = json.loads(tokenizer.to_str())
    old: list[list[object]] = about["model"]["vocab"]
    known = {str(piece) for piece, _ in old}
    new = _candidates(counts, known)
    words, weights = list(counts), np.array(list(counts.values()), dtype=np.float64)
    total = float(weights.sum()) * LANGUAGES
    scores = {piece: math.log(count / total) for piece, count in new.items()}
    for number in range(ROUNDS):
        about["model"]["vocab"] = [*old, *map(list, scores.items())]
        extended = Tokenizer.from_str(json.dumps(about))
        encoded = _encode(extended, words)
        sizes = np.array([len(ids) for ids in encoded])
        used = np.bincount(
            np.concatenate([np.array(ids, dtype=np.int64) for ids in encoded]),
            np.repeat(weights, sizes),
            minlength=len(old) + len(scores),
        )[len(old) :]
        if number == ROUNDS - 1:
            break
        # Single letters stay: without them words fall back to bytes.
        kept = {
            piece: count
            for piece, count in zip(scores, used, strict=True)
            if count >= LEAST_COUNT or len(piece.strip(MARK)) == 1
        }
        best = sorted(kept, key=lambda piece: (len(piece.strip(MARK)) > 1, -kept[piece], piece))[
            : MOST_NEW * (1 if number else 3)
        ]
        scores = {piece: math.log((kept[piece] + 0.5) / total) for piece in sorted(best)}
    return extended


def _candidates(counts: Counter[str], known: set[str]) -> dict[str, int]:
    """All short parts of words with the counts of the words they are in, the most useful first."""
    parts: Counter[str] = Counter()
    for word, count in counts.items():
        # Numbers and signs are cut alike in all languages, and stay so.
        if not all(map(_is_letter, word)):
            continue
        marked = MARK + word
        for start in range(len(marked)):
            for end in range(start + 1, min(len(marked), start + LONGEST_PIECE) + 1):
                parts[marked[start:end]] += count
    letters = {letter for word in counts for letter in word if _is_letter(letter)}
    useful = {
        part: count
        for part, count in parts.items()
        if part not in known and (count >= LEAST_COUNT or part in letters) and part != MARK
    }
    order = sorted(useful, key=lambda part: (part not in letters, -useful[part] * len(part), part))
    return {part: useful[part] for part in order[: 4 * MOST_NEW]}


def _is_letter(character: str) -> bool:
    return character.isalpha() or unicodedata.category(character).startswith("M")


def extended(embedding: Array, old: Tokenizer, new: Tokenizer) -> Array:
    """The embedding for a larger vocabulary, (pieces, size).

    Old pieces keep their rows, and a new one starts as the mean of the old pieces that it is made of.
    """
    numbers = range(old.get_vocab_size(), new.get_vocab_size())
    pieces = [str(new.id_to_token(number)) for number in numbers]
    rows = []
    for piece in pieces:
        # Inside a word there is no space mark, and the old tokenizer would add one.
        found = old.encode(piece.removeprefix(MARK), add_special_tokens=False).ids
        ids = [number for number in found if old.id_to_token(number) != MARK]
        rows.append(embedding[ids].mean(0) if ids else np.zeros(embedding.shape[1], np.float32))
    return np.concatenate((embedding, np.array(rows, dtype=np.float32).reshape(-1, embedding.shape[1])))
