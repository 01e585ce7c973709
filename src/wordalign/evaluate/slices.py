"""Counts by a property of the links: by the frequency of their words, or by their parts of speech.

Every link, whether it is predicted, sure or possible, falls into some slices.

By frequency (paper, section 5.2): a link belongs to the bin of its rarer word, by the smaller of the
frequencies that its two words have in a reference corpus. Bins are half open, [low, high).

>>> slices = frequency_slices(["the", "otter"], ["der", "Otter"], ({"the": 900, "otter": 3}, {"der": 950}))
>>> slices((0, 0)), slices((1, 1))
(('100-999',), ('0',))

By part of speech (paper, section 5.3): a link counts for a tag when either of its words has it. Tags come
from a file, one tag for each word, or from Stanza where it is installed with models.

>>> slices = pos_slices(["PRON", "VERB"], ["VERB", "PRON"])
>>> slices((1, 0)), slices((0, 0))
(('VERB',), ('PRON', 'VERB'))
>>> pos_slices(["PRON", "VERB"])((0, 0))
('PRON',)
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wordalign.errors import InputError, MissingExtraError, ModelError, UsageError
from wordalign.evaluate.counts import Counts, Links, count, link_set
from wordalign.types import GoldAlignment, Link

if TYPE_CHECKING:
    from wordalign.evaluate.files import Judged  # counting links in memory needs nothing that reads files

SlicesOf: TypeAlias = Callable[[Link], Iterable[str]]
Slicer: TypeAlias = Callable[["Judged"], SlicesOf]
Tags: TypeAlias = Iterator[Sequence[str]]
WordPair: TypeAlias = tuple[Sequence[str], Sequence[str]]
Frequencies: TypeAlias = tuple[Mapping[str, int], Mapping[str, int]]

BINS = (0, 1, 10, 100, 1000, 10_000)


def count_slices(gold: GoldAlignment, links: Links, slices_of: SlicesOf) -> dict[str, Counts]:
    """The counts of one pair in every slice that one of its links falls into.

    >>> gold = GoldAlignment(frozenset({(0, 0)}), frozenset({(0, 0)}))
    >>> found = count_slices(gold, [(0, 0), (0, 1)], lambda link: ["same" if link[0] == link[1] else "other"])
    >>> found["other"]
    Counts(predicted=1, right_possible=0, right_sure=0, sure=0)
    """
    found = link_set(links)
    totals: dict[str, list[int]] = {}
    for link in found | gold.sure:
        sure = link in gold.sure
        predicted = link in found
        row = (predicted, predicted and link in gold.possible, predicted and sure, sure)
        for name in slices_of(link):
            total = totals.setdefault(name, [0, 0, 0, 0])
            for place, one in enumerate(row):
                total[place] += one
    return {name: Counts(*total) for name, total in totals.items()}


def add_slices(totals: dict[str, Counts], more: Mapping[str, Counts]) -> None:
    """Add the counts of a pair to those of the corpus, in place."""
    for name, counts in more.items():
        totals[name] = totals.get(name, Counts()) + counts


def word_counts(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """How often each word occurs in a corpus."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence)
    return counts


def bin_names(bins: Sequence[int] = BINS) -> list[str]:
    """`(0, 1, 10)` -> `["0", "1-9", "10+"]`."""
    if not bins or bins[0] < 0 or any(low >= high for low, high in pairwise(bins)):
        raise UsageError(f"The lower ends of frequency bins must rise from 0 or more, unlike {tuple(bins)}.")
    closed = [str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(bins)]
    return [*closed, f"{bins[-1]}+"]


def frequency_slices(
    source: Sequence[str], target: Sequence[str], frequencies: Frequencies, bins: Sequence[int] = BINS
) -> SlicesOf:
    """A function that gives the bin of each link of one pair, or no bin for a link below the lowest one."""
    names = [(name,) for name in bin_names(bins)]
    left = [frequencies[0].get(word, 0) for word in source]
    right = [frequencies[1].get(word, 0) for word in target]

    def slices_of(link: Link) -> tuple[str, ...]:
        place = bisect_right(bins, min(left[link[0]], right[link[1]]))
        return names[place - 1] if place else ()

    return slices_of


def by_frequency(
    golds: Iterable[GoldAlignment],
    predictions: Iterable[Links],
    words: Iterable[WordPair],
    frequencies: Frequencies,
    bins: Sequence[int] = BINS,
) -> dict[str, Counts]:
    """Counts of a corpus by the frequency of the rarer word: bins in rising order, empty ones too.

    `words` are the source and target words of each pair, `frequencies` those of the source and target words
    in the reference corpus (`word_counts`); a word that is not in it has frequency 0. `bins` are lower ends.
    """
    totals = {name: Counts() for name in bin_names(bins)}
    for gold, links, (source, target) in zip(golds, predictions, words, strict=True):
        slices_of = frequency_slices(source, target, frequencies, bins)
        add_slices(totals, count_slices(gold, links, slices_of))
    return totals


def pos_slices(source: Sequence[str] | None, target: Sequence[str] | None = None) -> SlicesOf:
    """A function that gives the tags of each link of one pair, from the tags of one side or of both."""

    def slices_of(link: Link) -> tuple[str, ...]:
        tags = [side[place] for side, place in zip((source, target), link, strict=True) if side is not None]
        return tuple(dict.fromkeys(tags))

    return slices_of


def by_pos(
    golds: Iterable[GoldAlignment],
    predictions: Iterable[Links],
    source_tags: Iterable[Sequence[str]] | None,
    target_tags: Iterable[Sequence[str]] | None = None,
) -> dict[str, Counts]:
    """Counts of a corpus by part of speech, from the tags of each sentence of one side or of both."""
    totals: dict[str, Counts] = {}
    pairs = list(zip(golds, predictions, strict=True))
    sides = [[None] * len(pairs) if tags is None else tags for tags in (source_tags, target_tags)]
    for (gold, links), source, target in zip(pairs, *sides, strict=True):
        add_slices(totals, count_slices(gold, links, pos_slices(source, target)))
    return dict(sorted(totals.items()))


def stanza_tags(sentences: Iterable[Sequence[str]], language: str) -> Iterator[list[str]]:
    """Universal part-of-speech tags by Stanza, of words as they are. Nothing is downloaded."""
    try:
        import stanza
    except ImportError as error:
        raise MissingExtraError("Part-of-speech tagging with Stanza", "pos") from error
    try:
        tagger = stanza.Pipeline(
            language,
            processors="tokenize,pos",
            tokenize_pretokenized=True,
            download_method=None,
            verbose=False,
        )
    except Exception as error:  # Stanza has no common class for models that are missing or broken
        raise ModelError(
            f"Stanza cannot load models for {language!r} ({type(error).__name__}). Where they can be had: "
            f"python -c \"import stanza; stanza.download('{language}')\""
        ) from error
    for words in sentences:
        document = tagger([list(words)]) if words else None
        yield [word.upos for found in document.sentences for word in found.words] if document else []


class Sliced(NamedTuple):
    """The counts of all links of each file, and those of each slice."""

    sentences: int
    totals: list[Counts]
    slices: list[dict[str, Counts]]


def count_sliced(judged: Iterable[Judged], files: int, slicer: Slicer, names: Iterable[str] = ()) -> Sliced:
    """Count what `judge_files` gives.

    Slices come in the order of `names`, which are there even if they are empty; others follow, sorted.
    """
    order = list(names)
    totals = [Counts()] * files
    slices: list[dict[str, Counts]] = [{} for _ in range(files)]
    sentences = 0
    for sentence in judged:
        sentences += 1
        slices_of = slicer(sentence)
        for file, links in enumerate(sentence.links):
            totals[file] += count(sentence.gold, links)
            add_slices(slices[file], count_slices(sentence.gold, links, slices_of))
    ordered = [
        {name: found.get(name, Counts()) for name in [*order, *sorted(found.keys() - set(order))]}
        for found in slices
    ]
    return Sliced(sentences, totals, ordered)


def frequency_slicer(frequencies: Frequencies, bins: Sequence[int] = BINS) -> Slicer:
    """Slice by the frequency of the rarer word; the words must be known."""

    def slicer(sentence: Judged) -> SlicesOf:
        if sentence.words is None:
            raise InputError(f"Sentence {sentence.number:,} has no words here: give --source and --target.")
        words = sentence.words
        return frequency_slices(words.source.words, words.target.words, frequencies, bins)

    return slicer


def pos_slicer(source: Tags | None, target: Tags | None = None) -> Slicer:
    """Slice by part of speech, from the tags of all sentences of one side or of both."""

    def slicer(sentence: Judged) -> SlicesOf:
        return pos_slices(_next_tags(source, 0, sentence), _next_tags(target, 1, sentence))

    return slicer


def _next_tags(tags: Tags | None, place: int, sentence: Judged) -> Sequence[str] | None:
    """The tags of the next sentence of one side, which must fit its words and links."""
    if tags is None:
        return None
    side, here = ("source", "target")[place], f"Sentence {sentence.number:,}"
    found = next(tags, None)
    if found is None:
        raise InputError(f"{here} has no {side} tags: the file of tags is too short.")
    if sentence.words is not None:
        words = len((sentence.words.source, sentence.words.target)[place])
        if words != len(found):
            raise InputError(f"{here} has {words} {side} words, but {len(found)} tags.")
    for links in (sentence.gold.possible, *sentence.links):
        beyond = min((link for link in links if link[place] >= len(found)), default=None)
        if beyond is not None:
            raise InputError(
                f"{here} has {len(found)} {side} tags, too few for its link {beyond[0]}-{beyond[1]} "
                "(counted from 0)."
            )
    return found
