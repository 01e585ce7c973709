"""Pairs of lines that nobody would write and every web corpus holds, and sentinels to find one's way.

A sentinel is a pair whose right links are known: the same words on both sides, in another order, and a
different order for each of them. If every sentinel in an output file is where it should be, no line was lost,
doubled or moved.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, permutations

import regex

FORMATS = ("two files", "bars", "tsv", "jsonl")

_SENTINEL_WORDS = ("Berlin", "seventeen", "water", "yellow", "Friday", "parliament")
_SCRIPTS = (
    "the house",
    "das Haus",
    "дом",
    "σπίτι",
    "בית",
    "بيت",
    "घर",
    "家",
    "いえ",
    "집",
    "บ้าน",
    "ቤት",
    "სახლი",
    "ᎦᎵᏦᏕ",
)
_EMOJI = ("👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇩🇪", "☺️", "🧑🏿‍🚀", "#️⃣", "\u200d", "\ufe0f", "🏻")
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROLS = "".join(map(chr, (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0))))
_BREAKS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\u00a0\u3000\u200b\ufeff"


@dataclass(frozen=True, slots=True)
class HostilePair:
    """Two sides as bytes without a line feed; `order` is that of a sentinel's target words."""

    kind: str
    source: bytes
    target: bytes
    order: tuple[int, ...] | None = None

    def is_linked(self, links: Set[tuple[int, int]], method: str) -> bool:
        """Whether a sentinel has its links; `calibrated` may have more, one-to-one it is not."""
        right = {(word, place) for place, word in enumerate(self.order or ())}
        return links >= right if method == "calibrated" else links == right


def hostile_pairs(seed: int, number: int, *, sentinel_every: int = 8) -> list[HostilePair]:
    """Every Unicode block in turn, the other kinds by chance, with a sentinel after every few."""
    rng = random.Random(seed)
    blocks = list(unicode_blocks().values())
    rng.shuffle(blocks)
    found: list[HostilePair] = []
    orders = sentinel_orders(seed)
    for place in range(number):
        if place % sentinel_every == sentinel_every - 1:
            found.append(sentinel(next(orders)))
            continue
        if place % 2:
            kind, make = rng.choice(list(_KINDS.items()))
        else:
            kind, make = "Unicode block", partial(_block_line, block=blocks[place // 2 % len(blocks)])
        # Half of them have one hostile side only.
        plain = b"a plain line of text ."
        sides = [make(rng), make(rng) if rng.random() < 0.5 else plain]
        rng.shuffle(sides)
        found.append(HostilePair(kind, *(side.replace(b"\n", b" ") for side in sides)))
    return found


def giants() -> dict[str, HostilePair]:
    """Single pairs that try the memory and the patience."""
    rng = random.Random(0)
    words = ("river", "stone", "green", "window", "seven", "walks", "under", "bread", "never", "music")
    many = [
        " ".join(f"{rng.choice(words)}{rng.randrange(1000)}" for _ in range(10_000)).encode() for _ in "st"
    ]
    letters = ["".join(rng.choice("abcdefghij") for _ in range(100_000)).encode() for _ in "st"]
    return {
        "10,000 words": HostilePair("10,000 words", *many),
        "10,000 words beside one": HostilePair("10,000 words beside one", many[0], b"stone"),
        "words of 100,000 letters": HostilePair("words of 100,000 letters", *letters),
        "100,000 combining marks": HostilePair(
            "100,000 combining marks", ("e" + "\u0301" * 100_000).encode(), ("\u0327" * 100_000).encode()
        ),
        "3,000 identical words": HostilePair("3,000 identical words", b"the " * 3_000, b"the " * 3_000),
        "3,000 dots": HostilePair("3,000 dots", b". " * 3_000, b". " * 3_000),
    }


def sentinel(order: Sequence[int]) -> HostilePair:
    target = " ".join(_SENTINEL_WORDS[word] for word in order)
    return HostilePair("sentinel", " ".join(_SENTINEL_WORDS).encode(), target.encode(), tuple(order))


def sentinel_orders(seed: int) -> Iterator[tuple[int, ...]]:
    """Orders of the sentinel's words without end, all of them before one comes again."""
    orders = list(permutations(range(len(_SENTINEL_WORDS))))
    random.Random(seed).shuffle(orders)
    while True:
        yield from orders


def all_sentinels() -> list[HostilePair]:
    return [sentinel(order) for order in islice(sentinel_orders(0), 720)]


def as_lines(pair: HostilePair, pair_format: str, rng: random.Random) -> tuple[tuple[bytes, ...], bool]:
    """The line (or two) of a pair in a format, and whether a reader has to refuse it."""
    sides = (pair.source, pair.target)
    unreadable = not all(map(_is_utf8, sides))
    if pair_format == "two files":
        return sides, unreadable
    if pair_format == "bars":
        line = b" ||| ".join(sides)
        separators = line.decode("utf-8", "replace").split().count("|||")
        return (line,), unreadable or separators != 1
    if pair_format == "tsv":
        return (b"\t".join(side.replace(b"\t", b" ") for side in sides),), unreadable
    try:
        # Halves of surrogate pairs are no UTF-8, but JSON can escape them.
        texts = [side.decode("utf-8", "surrogatepass") for side in sides]
    except UnicodeDecodeError:
        return (b'{"source": "' + pair.source + b'", "target": "' + pair.target + b'"}',), True
    if pair.kind == "separators":
        return (pair.source,), True
    escaped = unreadable or rng.random() < 0.5
    return (
        json.dumps(dict(zip(("source", "target"), texts, strict=True)), ensure_ascii=escaped).encode(),
    ), False


@cache
def unicode_blocks() -> dict[str, range]:
    """Every block of the Unicode data that `regex` carries. Blocks begin and end at multiples of 16."""
    sixteenths = "".join(map(chr, range(0, 0x110000, 16)))
    names = regex._regex_core.PROPERTIES["BLOCK"][1]
    found: dict[str, range] = {}
    for name in names:
        if name == "NOBLOCK":
            continue
        run = regex.search(rf"\p{{Block={name}}}+", sixteenths)
        if run is not None and range(run.start() * 16, run.end() * 16) not in found.values():
            found[name] = range(run.start() * 16, run.end() * 16)
    return found


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _words(rng: random.Random, characters: Sequence[str], most_words: int = 12, most_letters: int = 6) -> str:
    return " ".join(
        "".join(rng.choice(characters) for _ in range(rng.randint(1, most_letters)))
        for _ in range(rng.randint(1, most_words))
    )


def _block_line(rng: random.Random, block: range) -> bytes:
    characters = [chr(rng.choice(block)) for _ in range(24)]
    assigned = [character for character in characters if unicodedata.category(character) != "Cn"]
    return _words(rng, assigned or characters).encode("utf-8", "surrogatepass")


def _mixed(rng: random.Random) -> bytes:
    return "".join(rng.choice(_SCRIPTS) + rng.choice(("", " ", "-", "\u200d")) for _ in range(12)).encode()


def _sprinkled(characters: str) -> Callable[[random.Random], bytes]:
    """Plain text with such characters between and inside its words."""

    def make(rng: random.Random) -> bytes:
        text = list("The museum is closed on Mondays .")
        for _ in range(rng.randint(1, 12)):
            text.insert(rng.randrange(len(text) + 1), rng.choice(characters))
        return "".join(text).encode()

    return make


def _cut_utf8(rng: random.Random) -> bytes:
    text = "Übermäßig große Füße 東京都 😀".encode()
    return text[: rng.randrange(len(text))] + text[rng.randrange(len(text)) :]


def _surrogates(rng: random.Random) -> bytes:
    return _words(rng, [chr(rng.randrange(0xD800, 0xE000)), "a", "ß"]).encode("utf-8", "surrogatepass")


_KINDS: dict[str, Callable[[random.Random], bytes]] = {
    "random bytes": lambda rng: rng.randbytes(rng.randint(0, 200)),
    "random characters": lambda rng: _words(rng, [chr(rng.randrange(0xD800)) for _ in range(40)]).encode(),
    "cut UTF-8": _cut_utf8,
    "lone surrogates": _surrogates,
    "NUL": _sprinkled("\0"),
    "controls": _sprinkled(_CONTROLS),
    "controls alone": lambda rng: _words(rng, _CONTROLS).encode(),
    "bidi controls": _sprinkled(_BIDI),
    "line breaks": _sprinkled(_BREAKS),
    "emoji": lambda rng: _words(rng, _EMOJI).encode(),
    "mixed scripts": _mixed,
    "marks alone": lambda rng: _words(rng, [chr(number) for number in range(0x300, 0x370)]).encode(),
    "stacked marks": lambda rng: _words(rng, "aeo\u0301\u0327\u0323\u20dd", most_letters=60).encode(),
    "separators": lambda rng: rng.choice(
        (b"a ||| b", b"|||", b"a\tb", b"{", b'"', b"\\u12", b"\xef\xbb\xbf")
    ),
    "nothing": lambda rng: rng.choice((b"", b" ", b"  \t ", "\u3000".encode(), b"\r")),
    "200 words": lambda rng: _words(rng, "abcdefgh", most_words=200).encode(),
    "5,000 letters": lambda rng: _words(rng, "abcdefgh", most_words=2, most_letters=5_000).encode(),
    "60 identical words": lambda rng: rng.choice((b"the ", b". ", b"- ", "。 ".encode())) * 60,
}
