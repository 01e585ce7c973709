"""What a user gives to learn from -> checked, and divided into what is learned and what is held out.

text         pairs without links
gold         pairs whose links people made
entries      pairs of a dictionary: words or phrases and their translations
held_out     pairs that nothing is learned from, to measure by: gold ones where there are any
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from wordalign.errors import InputError
from wordalign.text.pairs import PairLike, as_pair
from wordalign.types import GoldAlignment, Pair

# Fewer pairs of text teach nothing that their links by a statistical aligner do not get wrong.
LEAST_TEXT = 200
# Gold pairs to learn from, and to measure by.
LEAST_GOLD = 10
# The part of the material that is held out where no development set is given, and the most of it.
HELD_OUT = 0.2
MOST_HELD_OUT_TEXT = 500
# Words of the longest sentence that is learned from.
LONGEST = 80


Words: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]


class Linked(NamedTuple):
    """A pair and its links."""

    pair: Pair
    links: GoldAlignment


@dataclass(frozen=True, slots=True)
class Material:
    """All that is learned from, and what is held out.

    `held_out` is gold; where there is none, it is empty and `held_out_text` has pairs of the text instead.
    `notes` are sentences about what was left out.
    """

    text: list[Pair]
    gold: list[Linked]
    entries: list[Pair]
    held_out: list[Linked]
    held_out_text: list[Pair]
    notes: list[str]


def gather(
    text: Iterable[PairLike] = (),
    gold: Iterable[Linked] = (),
    dev: Iterable[Linked] = (),
    entries: Iterable[PairLike] = (),
    *,
    seed: int = 0,
) -> Material:
    """Check what was given, leave out what cannot be learned from, and divide the rest."""
    notes: list[str] = []
    examples = list(gold)
    held_out = _usable_gold(dev, "development", notes)
    known = {_key(one.pair) for one in held_out}
    before = len(examples)
    examples = [one for one in examples if _key(one.pair) not in known]
    if len(examples) < before:
        notes.append(f"{before - len(examples):,} gold pairs are in the development set too: not learned.")
    examples = _usable_gold(examples, "gold", notes)
    known |= {_key(one.pair) for one in examples}
    pairs = _usable_text(text, known, notes)
    words = list(map(as_pair, entries))
    _refuse_too_little(len(pairs), len(examples), len(held_out), len(words))
    _refuse_one_language([*pairs, *(one.pair for one in examples)])
    if len(pairs) < LEAST_TEXT and pairs:
        notes.append(
            f"{len(pairs):,} pairs without gold links are too few to learn from (at least {LEAST_TEXT:,}): "
            "they are left out."
        )
        pairs = []
    chance = random.Random(seed)
    held_out_text: list[Pair] = []
    if not held_out and examples:
        chance.shuffle(examples)
        count = max(LEAST_GOLD, round(HELD_OUT * len(examples)))
        held_out, examples = examples[:count], examples[count:]
    elif not held_out:
        chance.shuffle(pairs)
        count = min(MOST_HELD_OUT_TEXT, round(HELD_OUT * len(pairs)))
        held_out_text, pairs = pairs[:count], pairs[count:]
    return Material(pairs, examples, words, held_out, held_out_text, notes)


def _key(pair: Pair) -> Words:
    return tuple(pair.source.words), tuple(pair.target.words)


def _longer_side(pair: Pair) -> int:
    return max(len(pair.source), len(pair.target))


def _usable_gold(examples: Iterable[Linked], kind: str, notes: list[str]) -> list[Linked]:
    given = list(examples)
    usable = [one for one in given if one.links.possible and _longer_side(one.pair) <= 2 * LONGEST]
    if len(usable) < len(given):
        notes.append(
            f"{len(given) - len(usable):,} {kind} pairs without links, or with more than {2 * LONGEST} words "
            "on a side, are left out."
        )
    return usable


def _usable_text(text: Iterable[PairLike], known: set[Words], notes: list[str]) -> list[Pair]:
    """Pairs that have two sides, are not too long, and were not there before."""
    usable, empty, long, again = [], 0, 0, 0
    seen = set(known)
    for given in text:
        pair = as_pair(given)
        if not (len(pair.source) and len(pair.target)):
            empty += 1
        elif _longer_side(pair) > LONGEST:
            long += 1
        elif (key := _key(pair)) in seen:
            again += 1
        else:
            seen.add(key)
            usable.append(pair)
    for count, why in (
        (empty, "with an empty side"),
        (long, f"with more than {LONGEST} words on a side"),
        (again, "that were there before"),
    ):
        if count:
            notes.append(f"{count:,} pairs {why} are left out.")
    return usable


def _refuse_too_little(text: int, gold: int, dev: int, entries: int) -> None:
    if dev and dev < LEAST_GOLD:
        raise InputError(
            f"The development set has {dev} usable pairs: give at least {LEAST_GOLD}, or leave it out, and a "
            "part of the rest is held out."
        )
    if gold and gold < (LEAST_GOLD if dev else 2 * LEAST_GOLD):
        raise InputError(
            f"There are {gold} usable pairs with gold links: at least {LEAST_GOLD} are needed to learn from, "
            f"and {LEAST_GOLD} more to measure by, unless a development set is given."
        )
    if not gold and text < LEAST_TEXT and not (dev and entries >= LEAST_TEXT):
        raise InputError(
            f"There are {text:,} usable pairs of text and no gold links: tuning needs at least "
            f"{LEAST_TEXT:,} pairs of text or {2 * LEAST_GOLD} pairs with gold links."
        )


def _refuse_one_language(pairs: Sequence[Pair]) -> None:
    same = sum(pair.source.words == pair.target.words for pair in pairs)
    if 2 * same > len(pairs):
        raise InputError(
            f"In {same:,} of {len(pairs):,} pairs both sides are the same: give a text and its translation, "
            "not one language twice."
        )
