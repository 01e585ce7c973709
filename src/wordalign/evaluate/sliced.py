"""Slices of files: the counts of each slice for each file of links, one sentence in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from wordalign.errors import InputError
from wordalign.evaluate.counts import Counts, count
from wordalign.evaluate.files import Judged
from wordalign.evaluate.frequency import BINS, Frequencies, frequency_slices
from wordalign.evaluate.pos import pos_slices
from wordalign.evaluate.slices import SlicesOf, add_slices, count_slices

Slicer: TypeAlias = Callable[[Judged], SlicesOf]
Tags: TypeAlias = Iterator[Sequence[str]]


class Sliced(NamedTuple):
    """For each file the counts of all its links, and those of each slice."""

    sentences: int
    totals: list[Counts]
    slices: list[dict[str, Counts]]


def count_sliced(judged: Iterable[Judged], files: int, slicer: Slicer, names: Iterable[str] = ()) -> Sliced:
    """Count what `judge_files` gives. Slices come in the order of `names`, which are there even if empty,
    the others sorted behind them."""
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
    """By the frequency of the rarer word; the words must be known."""

    def slicer(sentence: Judged) -> SlicesOf:
        if sentence.words is None:
            raise InputError(f"Sentence {sentence.number:,} has no words here: give --source and --target.")
        words = sentence.words
        return frequency_slices(words.source.words, words.target.words, frequencies, bins)

    return slicer


def pos_slicer(source: Tags | None, target: Tags | None = None) -> Slicer:
    """By part of speech, from the tags of all sentences of one side or of both."""

    def slicer(sentence: Judged) -> SlicesOf:
        return pos_slices(_next_tags(source, 0, sentence), _next_tags(target, 1, sentence))

    return slicer


def _next_tags(tags: Tags | None, place: int, sentence: Judged) -> Sequence[str] | None:
    """The tags of one side, which must fit its words and links."""
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
