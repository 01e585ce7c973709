"""Whether a model seems not to know a language of some pairs, by two signs that need no list of languages.

The words of a language that a model was trained on mostly have a likely counterpart in the translation, and
its tokenizer cuts them into few pieces. Where both fail, the model was hardly trained on the language. Where
the first fails badly, something is wrong in any case; the pairs may also be no translations. Languages that
are close to a trained one pass, as they should: their links are good.

`training/untrained.py` measures both signs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import regex

from wordalign.encoders.base import Encoder
from wordalign.links.similarity import SimilarityMatrix
from wordalign.text.characters import is_punctuation
from wordalign.text.situations import situation_of
from wordalign.types import Pair

# The mean probability of each word's best link. Of 50 pairs in a trained language it is nearly always above
# the first, and above the second in text as free as scripture.
DOUBTFUL, HOPELESS = 0.65, 0.5
# Pieces a letter: trained languages of these scripts have fewer, but for a little text of Welsh and Irish.
MOST_PIECES = {
    "Latin": (regex.compile(r"\p{Script=Latin}"), 0.4),
    "Cyrillic": (regex.compile(r"\p{Script=Cyrillic}"), 0.5),
    "Arabic": (regex.compile(r"\p{Script=Arabic}"), 0.5),
}
# In other scripts; letters that are not in the vocabulary come as two or three bytes.
MOST_ELSEWHERE = 1.5
ENOUGH_PAIRS, ENOUGH_WORDS = 50, 3
# A single pair tells less: it must be longer, and its signs clearer.
MORE_WORDS, MORE_PIECES = 5, 0.05


def doubt(pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix], encoder: Encoder) -> str | None:
    """Why the links of these pairs are not to be trusted, in a sentence; None where nothing shows.

    `matrices` are the similarities of the pairs. Fewer pairs than 50 count as a single one.
    """
    if encoder.calibration is None:
        return None
    alone = len(pairs) < ENOUGH_PAIRS
    least = MORE_WORDS if alone else ENOUGH_WORDS
    if any(min(len(pair.source), len(pair.target)) < least for pair in pairs) or not pairs:
        return None
    likely = mean_best(pairs, matrices, encoder)
    if likely >= (HOPELESS if alone else DOUBTFUL):
        return None
    sides = [[pair.source.words for pair in pairs], [pair.target.words for pair in pairs]]
    why = "it was hardly trained on one of the languages, it seems"
    if max(surplus_pieces(side, encoder) for side in sides) <= (MORE_PIECES if alone else 0):
        if alone or likely >= HOPELESS:
            return None
        why += ", or these are no translations"
    return (
        f"The model {encoder.signature} finds few likely counterparts for the words of this text: {why}. "
        "`wordalign models --languages` lists what it knows; with the method calibrated:mutual=0.2 it finds "
        "more of the right links, and more wrong ones."
    )


def mean_best(pairs: Sequence[Pair], matrices: Sequence[SimilarityMatrix], encoder: Encoder) -> float:
    """The mean probability of the best link of each word that is no punctuation, of both sides."""
    assert encoder.calibration is not None
    total = 0.0
    words = 0
    for pair, matrix in zip(pairs, matrices, strict=True):
        if not matrix.similarity.size:
            continue
        situation = situation_of(pair.source.words, pair.target.words)
        probability = encoder.calibration.in_situation(situation)(matrix.similarity)
        for axis, units, side in (
            (1, matrix.word_of_row, pair.source),
            (0, matrix.word_of_column, pair.target),
        ):
            best = probability.max(axis=axis)
            kept = [not is_punctuation(side.words[word]) for word in units.tolist()]
            total += float(best[kept].sum())
            words += sum(kept)
    return total / max(words, 1)


def surplus_pieces(sentences: Sequence[Sequence[str]], encoder: Encoder) -> float:
    """How many pieces a letter there are beyond the limit of the script that most letters are of."""
    words = [word for sentence in sentences for word in sentence if word.isalpha()]
    text = "".join(words)
    if not text:
        return -MOST_ELSEWHERE
    of_script = (
        limit for letters, limit in MOST_PIECES.values() if 2 * len(letters.findall(text)) > len(text)
    )
    return len(encoder.subwords(words)) / len(text) - next(of_script, MOST_ELSEWHERE)


class Watch:
    """Gathers the first pairs that an aligner is given, and tells once if there is a doubt about them."""

    def __init__(self, judge: Callable[[list[Pair]], object]) -> None:
        self._judge = judge
        self._lock = threading.Lock()
        self._pairs: list[Pair] | None = []

    def __call__(self, pairs: Sequence[Pair]) -> None:
        if self._pairs is None:
            return
        with self._lock:
            gathered = self._pairs
            if gathered is None:
                return
            gathered += [pair for pair in pairs if long_enough(pair)][: ENOUGH_PAIRS - len(gathered)]
            if len(gathered) < ENOUGH_PAIRS:
                return
            self._pairs = None
        self._judge(gathered)


def long_enough(pair: Pair) -> bool:
    """Whether the pair has enough words to be one of many that are judged."""
    return min(len(pair.source), len(pair.target)) >= ENOUGH_WORDS
