"""An alignment -> what is wrong with the translation: left out, added, not the same on both sides.

    source  Press F5 to save 12 files .          links 0-0 3-1 5-2 6-3
    target  Drücken Speichern Dateien .          F5 and 12 do not occur in the target

untranslated  source words without a partner, `added` the same in the target, with a probability
copied        three words and more of the target that stand in the source in the same way
number        digits, `url`, `placeholder`, which do not occur on the other side
name          a word with a capital inside a sentence, without a link, that does not occur on the other side
language      the sentence is not written in the language of its side, where a text has so many sentences that
              this can be seen (`LanguageModel`)
"""

from __future__ import annotations

import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from statistics import median

from wordalign.project.score import best_links, is_plain, length_ratio, stored_weights, translation_score
from wordalign.text import is_punctuation
from wordalign.types import Alignment

SIDES = ("source", "target")
SAMPLE = 2000  # sentences from which the language of a side is learned
ENOUGH = 100  # of fewer, nothing is learned
COPIED_WORDS = 3
NAME_LETTERS = 4  # of a shorter word, a capital says little
SPELLED_OUT = 12  # numbers up to this one are often written as words
# At so many standard deviations of surprise a language is as likely to be another one.
FOREIGN = 4.0

_URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)\S+|[^\s@]+@[^\s@]+\.[^\s@]+", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"\$?\{[^{}\s]*\}|\$\(?\w+\)?|%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?[sdifugxc@]|%\d+|</?[A-Za-z][^<>]*>|&[#\w]+;"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Words `start` to `end` (not included) of a side that seem wrong: what `kind` says, how probably."""

    kind: str
    side: str
    start: int
    end: int
    text: str
    probability: float


@dataclass(frozen=True, slots=True)
class CheckedPair:
    """A pair with its score, which is the probability that it is a translation, and what seems wrong."""

    alignment: Alignment
    score: float
    findings: tuple[Finding, ...]

    def as_json(self, line: int) -> str:
        """The result as a line of JSON; `line` is the number of the pair, from 1."""
        findings = [
            {**asdict(finding), "probability": round(finding.probability, 3)} for finding in self.findings
        ]
        record = {"line": line, "score": round(self.score, 4), "findings": findings}
        return json.dumps(record, ensure_ascii=False)


class LanguageModel:
    """The letters of one side of a text, three at a time: how surprising is a sentence there?

    `surprise` is counted in standard deviations from what the sentences of the text have themselves: about 0
    for a sentence like the others, and far above 4 for one in another language.
    """

    def __init__(self, sentences: Sequence[Sequence[str]]) -> None:
        texts = [_letters(words) for words in sentences]
        self._three: Counter[str] = Counter()
        self._two: Counter[str] = Counter()
        self._one: Counter[str] = Counter()
        self._letters = 0
        for text in texts:
            self._count(text, 1)
        self._mean, self._deviation = 0.0, 1.0
        costs = [(self._cost_among_others(text), len(text)) for text in texts if text]
        if costs:
            # The median, since some of the sentences may be those that are looked for.
            self._mean = median(cost for cost, _ in costs)
            away = [abs(cost - self._mean) * math.sqrt(length) for cost, length in costs]
            self._deviation = max(1e-6, 1.4826 * median(away))

    def surprise(self, words: Sequence[str], learned: bool = False) -> float:
        """How surprising a sentence is; one that was `learned` is compared with the others."""
        text = _letters(words)
        if not text:
            return 0.0
        cost = self._cost_among_others(text) if learned else self._cost(text)
        return (cost - self._mean) * math.sqrt(len(text)) / self._deviation

    def probability(self, words: Sequence[str], learned: bool = False) -> float:
        """That a sentence is written in the language of the text."""
        return 1 / (1 + math.exp(max(-30.0, min(30.0, self.surprise(words, learned) - FOREIGN))))

    def _cost_among_others(self, text: str) -> float:
        self._count(text, -1)
        cost = self._cost(text)
        self._count(text, 1)
        return cost

    def _count(self, text: str, times: int) -> None:
        self._letters += times * len(text)
        for k in range(len(text)):
            self._one[text[k]] += times
            if k >= 2:
                self._three[text[k - 2 : k + 1]] += times
                self._two[text[k - 2 : k]] += times

    def _cost(self, text: str) -> float:
        """The mean of -log p(letter | the two letters before it)."""
        kinds, total = len(self._one) + 1, self._letters
        cost = 0.0
        for k in range(len(text)):
            alone = (self._one[text[k]] + 1) / (total + kinds)
            if k < 2:
                cost -= math.log(alone)
            else:
                seen = self._three[text[k - 2 : k + 1]]
                cost -= math.log((seen + alone) / (self._two[text[k - 2 : k]] + 1))
        return cost / len(text)


@dataclass(frozen=True, slots=True)
class TextModel:
    """What is usual in a text: both languages, and how much longer a target is than its source."""

    languages: tuple[LanguageModel, LanguageModel]
    usual_ratio: float

    @classmethod
    def of(cls, alignments: Sequence[Alignment]) -> TextModel:
        source, target = (LanguageModel([_words(one, place) for one in alignments]) for place in (0, 1))
        ratios = [length_ratio(one) for one in alignments if one.source.words and one.target.words]
        return cls((source, target), median(ratios) if ratios else 0.0)


def check_stream(alignments: Iterable[Alignment], min_probability: float = 0.5) -> Iterator[CheckedPair]:
    """Check the pairs of a text, in order and in bounded memory.

    What is usual in the text is learned from the first pairs, where there are enough of them.
    """
    rest = iter(alignments)
    sample = list(islice(rest, SAMPLE))
    text = TextModel.of(sample) if len(sample) >= ENOUGH else None
    for alignment in sample:
        yield check_pair(alignment, text, min_probability, learned=True)
    for alignment in rest:
        yield check_pair(alignment, text, min_probability)


def check_pair(
    alignment: Alignment,
    text: TextModel | None = None,
    min_probability: float = 0.5,
    *,
    learned: bool = False,
) -> CheckedPair:
    """Check one pair, where `text` is what is usual in its text; it may have been `learned` from the pair."""
    score = translation_score(alignment, text.usual_ratio if text else 0.0)
    findings: list[Finding] = []
    for place, side in enumerate(SIDES):
        words = _words(alignment, place)
        if text is not None and words:
            fitting = text.languages[place].probability(words, learned)
            score *= fitting
            findings.append(_finding("language", alignment, place, 0, len(words), 1 - fitting))
        findings += _facts(alignment, place)
        if score >= 0.5:  # the names of an unrelated sentence say nothing
            findings += _names(alignment, place)
        taken = {
            k for found in findings if found.side == side and found.kind != "language" for k in _span(found)
        }
        findings += _without_partner(alignment, place, taken)
    findings += _copied(alignment)
    kept = [finding for finding in findings if finding.probability >= min_probability]
    return CheckedPair(alignment, score, tuple(kept))


def unlinked_stretches(alignment: Alignment, place: int) -> Iterator[tuple[range, list[float]]]:
    """The stretches of words without links, and what tells whether they lack a translation.

    That is 1, the logarithm of the number of words, that of their mean length, and the share of linked words
    in the other sentence: where both sides have words without links, these may be translations of each other.
    """
    words, best = _words(alignment, place), best_links(alignment)
    other = sum(map(bool, best[1 - place])) / max(1, len(best[1 - place]))
    counted = [k for k, word in enumerate(words) if not is_punctuation(word)]
    for linked, group in groupby(counted, key=lambda k: best[place][k] > 0):
        if not linked:
            stretch = list(group)
            length = sum(len(words[k]) for k in stretch) / len(stretch)
            features = [1.0, math.log1p(len(stretch)), math.log1p(length), other]
            yield range(stretch[0], stretch[-1] + 1), features


def _without_partner(alignment: Alignment, place: int, taken: set[int]) -> Iterator[Finding]:
    """Stretches of words that are probably not translated, without those that were told otherwise."""
    if not _words(alignment, 1 - place):
        if words := _words(alignment, place):
            yield _finding(("untranslated", "added")[place], alignment, place, 0, len(words), 1.0)
        return
    for stretch, features in unlinked_stretches(alignment, place):
        odds = sum(map(operator.mul, stored_weights()["untranslated"], features))
        for told, group in groupby(stretch, key=lambda k: k in taken):
            untold = list(group)
            if not told:
                kind, probability = ("untranslated", "added")[place], 1 / (1 + math.exp(-odds))
                yield _finding(kind, alignment, place, untold[0], untold[-1] + 1, probability)


def _facts(alignment: Alignment, place: int) -> Iterator[Finding]:
    """Numbers, addresses and placeholders that do not occur on the other side, or not so often."""
    words, other = _words(alignment, place), _words(alignment, 1 - place)
    known = {kind: Counter(found(other)) for kind, found in _FACTS.items()}
    for k, word in enumerate(words):
        for kind, found in _FACTS.items():
            for fact in found([word]):
                known[kind][fact] -= 1
                if known[kind][fact] < 0:
                    partners = [other[link[1 - place]] for link in alignment.links if link[place] == k]
                    if kind != "number" or not _otherwise_written(fact, words, other, partners):
                        yield _finding(kind, alignment, place, k, k + 1, 0.95)


def _otherwise_written(
    digits: str, words: Sequence[str], other: Sequence[str], partners: Sequence[str]
) -> bool:
    """Whether a number is there in another form: 1 000 for 1,000, or three for 3."""
    if len(digits) < 3 and int(digits) <= SPELLED_OUT and any(not _numbers([word]) for word in partners):
        return True
    return digits in _joined_digits(other) or any(
        digits in joined and joined in _numbers(other) for joined in _joined_digits(words)
    )


def _names(alignment: Alignment, place: int) -> Iterator[Finding]:
    """Words with a capital inside a sentence that have no link and do not occur on the other side."""
    words, best = _words(alignment, place), best_links(alignment)[place]
    capitals = [k for k, word in enumerate(words) if k and word[:1].isupper() and len(word) >= NAME_LETTERS]
    if 4 * len(capitals) > len(words):
        return  # a title, or a language that writes all nouns with capitals
    other = {word.casefold() for word in _words(alignment, 1 - place)}
    for k in capitals:
        if not best[k] and words[k].casefold() not in other:
            yield _finding("name", alignment, place, k, k + 1, 0.7)


def _joined_digits(words: Sequence[str]) -> list[str]:
    """The digits of several neighbouring words as one number: 1 000 000 -> 1000000."""
    found = []
    for digits, group in groupby(words, key=lambda word: bool(_numbers([word]))):
        neighbours = list(group)
        if digits and len(neighbours) > 1:
            found.append("".join(_numbers(neighbours)))
    return found


def _numbers(words: Sequence[str]) -> list[str]:
    """The digits of words that hold some, in any script, without points and commas."""
    found = []
    for word in words:
        if _URL.fullmatch(word) or _PLACEHOLDER.fullmatch(word):
            continue
        digits = "".join(str(int(sign)) for sign in word if sign.isdecimal())
        if digits:
            found.append(digits)
    return found


def _matches(pattern: re.Pattern[str]) -> Callable[[Sequence[str]], list[str]]:
    return lambda words: [word for word in words if pattern.fullmatch(word)]


_FACTS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "number": _numbers,
    "url": _matches(_URL),
    "placeholder": _matches(_PLACEHOLDER),
}


def _copied(alignment: Alignment) -> Iterator[Finding]:
    """Stretches of the target whose words, more than names and numbers, stand in the source, too."""
    words, of_source = alignment.target.words, set(alignment.source.words)
    for same, group in groupby(range(len(words)), key=lambda k: words[k] in of_source):
        stretch = list(group)
        if same and sum(is_plain(words[k]) for k in stretch) >= COPIED_WORDS:
            yield _finding("copied", alignment, 1, stretch[0], stretch[-1] + 1, 0.9)


def _words(alignment: Alignment, place: int) -> tuple[str, ...]:
    return (alignment.source, alignment.target)[place].words


def _finding(
    kind: str, alignment: Alignment, place: int, start: int, end: int, probability: float
) -> Finding:
    sentence = (alignment.source, alignment.target)[place]
    return Finding(kind, SIDES[place], start, end, sentence.surface(start, end), probability)


def _span(finding: Finding) -> range:
    return range(finding.start, finding.end)


def _letters(words: Sequence[str]) -> str:
    return " ".join(word.lower() for word in words if word.isalpha() or not word.isascii())
