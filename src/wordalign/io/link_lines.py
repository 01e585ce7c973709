"""Link lines: the links of one sentence as they stand in a file, with the place of the sentence.

Gold links and predicted links are both read with this module. A file holds one line for each sentence or one
line for each link; `gold.py` describes the formats.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wordalign.errors import InputError, UnknownNameError
from wordalign.io.lines import read_lines, shown
from wordalign.types import GoldAlignment, Link, Pair

Report: TypeAlias = Callable[[str], None]
Lengths: TypeAlias = tuple[int | None, int | None]

GOLD_FORMATS = ("pharaoh", "talp", "wpt")
EMPTY = GoldAlignment(frozenset(), frozenset())

_LINK = re.compile(r"([0-9]+)[-ps?]([0-9]+)")
_SCORES = re.compile(r"(?<=[0-9])(?::[0-9.eE+-]+)+(?!\S)")
_WPT = re.compile(r"\s*([0-9]+)\s+([0-9]+)\s+([0-9]+)(?:\s+([SP]))?(?:\s+[0-9.eE+-]+)?\s*")
_HEAD = 200  # lines that show a file's format
_MOST_TOKENS = 1 << 16


_ONE_BASED_HINT = " If the file counts from 1, say so (--one-based, one_based=True)."
RAW_HINT = (
    " Were the links made with --raw? Then they count the words that were found in the text, and not those "
    "between its spaces: write them with --format jsonl, which carries the words, or tokenise the text first."
)


class Notes:
    """What a reader noticed on the way through a file: how often, and where first.

    >>> notes = Notes()
    >>> notes.add("Empty lines: {count} (first: line {first}).", "3")
    >>> notes.add("Empty lines: {count} (first: line {first}).", "8")
    >>> notes.report(print)
    Empty lines: 2 (first: line 3).
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, sentence: str, where: str = "", times: int = 1) -> None:
        """Note something; `sentence` has a place for {count} and may have one for {first}."""
        seen, first = self._found.get(sentence, (0, where))
        self._found[sentence] = seen + times, first

    def report(self, to: Report) -> None:
        for sentence, (count, first) in self._found.items():
            to(sentence.replace("{count}", f"{count:,}").replace("{first}", first))


class LinkLine(NamedTuple):
    """The links of one sentence, and where they stand. `position` counts sentences from 0."""

    position: int
    line: int
    name: str | None
    links: GoldAlignment
    path: str | Path
    hint: str = ""  # what a link out of range most likely means
    words: Pair | None = None  # where the file carries them
    done: bool = True  # False where the file says that nobody has finished the pair

    def check_range(self, lengths: Lengths) -> None:
        """Refuse a link beyond the words of the sentence."""
        check_range(self.links.possible, lengths, self.where(), self.hint)

    def where(self) -> str:
        return _place(self.path, self.name, self.line)


class LinkTokens(dict[str, Link]):
    """`1-2` -> `(1, 2)`. Links are remembered: corpora repeat the same few thousand, and looking one up is
    many times faster than parsing it."""

    def __init__(self, one_based: bool, no_word: bool) -> None:
        super().__init__()
        self._first = int(one_based)
        self.zero_based = not one_based
        self.no_word = one_based and no_word

    def __missing__(self, token: str) -> Link:
        match = _LINK.fullmatch(token)
        if match is None:
            raise ValueError(f"{token!r} is not a link; expected i-j (or ipj for possible ones).")
        source, target = int(match[1]) - self._first, int(match[2]) - self._first
        if min(source, target) < 0 and not (self.no_word and max(source, target) >= 0):
            raise ValueError(
                f"link {token} is out of range: the first word is 1, not 0. If the file counts from 0, say "
                "so (--zero-based, one_based=False)."
            )
        if len(self) < _MOST_TOKENS:
            self[token] = source, target
        return source, target

    def parse(self, text: str) -> tuple[GoldAlignment, int]:
        """The links of a line, and how many of the sure ones are listed as possible too."""
        if ":" in text:
            text = _SCORES.sub("", text)
        if "?" in text:
            text = text.replace("?", "p")
        words = text.split()
        every = frozenset(map(self.__getitem__, words))
        if "p" not in text:
            return GoldAlignment(every, every), 0
        sure = frozenset(map(self.__getitem__, [word for word in words if "p" not in word]))
        if len(every) == len(words):  # no link is listed twice
            return GoldAlignment(sure, every), 0
        return GoldAlignment(sure, every), len(sure.intersection(self[word] for word in words if "p" in word))


def read_link_lines(
    path: str | Path,
    gold_format: str | None,
    one_based: bool | None,
    notes: Notes,
    *,
    lines: Iterator[str] | None = None,
    predicted: bool = False,
) -> Iterator[LinkLine]:
    """The sentences that a file of links holds, in order.

    In `predicted` links a tab ends the links of the first method; there is a note about the others.
    """
    lines = read_lines(path) if lines is None else lines
    head = list(islice(lines, _HEAD))
    gold_format, ids = _seen(head, gold_format)
    from_one = gold_format != "pharaoh" if one_based is None else one_based
    reader = _LinkLineReader(path, LinkTokens(from_one, gold_format != "pharaoh"), notes, predicted)
    every = chain(head, lines)
    yield from reader.links(every) if gold_format == "wpt" else reader.lines(every, ids)
    reader.say_what_was_added()


def in_order(lines: Iterable[LinkLine]) -> Iterator[LinkLine | None]:
    """One item for each sentence from the first on, and None for a sentence that the file lacks."""
    expected = 0
    for item in lines:
        while expected < item.position:
            yield None
            expected += 1
        yield item
        expected += 1


def check_range(links: Iterable[Link], lengths: Lengths, where: str, hint: str = RAW_HINT) -> None:
    """Refuse a link beyond the words of its sentence; `hint` says what it most likely means."""
    for place, side in enumerate(("source", "target")):
        length = lengths[place]
        if length is not None and any(link[place] >= length for link in links):
            source, target = min(link for link in links if link[place] >= length)
            raise InputError(
                f"{where}: link {source}-{target} (counted from 0) is out of range: the {side} sentence has "
                f"{length} words.{hint}"
            )


def _seen(head: list[str], gold_format: str | None) -> tuple[str, bool]:
    """What the first lines show: the format, unless it is given, and whether sentences have ids."""
    if gold_format is not None and gold_format not in GOLD_FORMATS:
        raise UnknownNameError("gold format", gold_format, GOLD_FORMATS)
    filled = [line.split() for line in head if line.strip()]
    if gold_format is None and filled and _WPT.fullmatch(" ".join(filled[0])):
        gold_format = "wpt"
    if gold_format is None:
        talp = any(_LINK.match(token) and "s" in token for tokens in filled for token in tokens)
        gold_format = "talp" if talp else "pharaoh"
    return gold_format, bool(filled) and not _LINK.match(filled[0][0])


class _LinkLineReader:
    """Reads both layouts, and keeps track of the place of each sentence and of oddities."""

    def __init__(self, path: str | Path, tokens: LinkTokens, notes: Notes, predicted: bool) -> None:
        self._path, self._tokens = path, tokens
        self._notes, self._predicted = notes, predicted
        self._hint = RAW_HINT if predicted else _ONE_BASED_HINT if tokens.zero_based else ""
        self._only_sure = 0  # links
        self._next = 0
        self._first_id: int | None = None  # None: no ids yet, or ids that are only names
        self._also_possible = 0

    def lines(self, lines: Iterable[str], ids: bool) -> Iterator[LinkLine]:
        """Read one line for each sentence. Scores are left out."""
        for number, text in enumerate(lines, start=1):
            name = None
            if ids:
                name, text = self._without_id(text, number)
            if self._predicted and "\t" in text:
                text = text[: text.index("\t")]
                note_several(self._path, number, self._notes)
            yield self._line(number, name, text)

    def links(self, lines: Iterable[str]) -> Iterator[LinkLine]:
        """Read one line for each link; the lines of a sentence stand together."""

        def tokens() -> Iterator[tuple[int, str, str]]:
            for number, line in enumerate(lines, start=1):
                match = _WPT.fullmatch(line)
                if match is not None:
                    yield number, match[1], f"{match[2]}{'p' if match[4] == 'P' else '-'}{match[3]}"
                elif line.strip():
                    raise InputError(
                        f"{shown(self._path)}, line {number}: expected sentence, source word, target word "
                        f"and S or P, as in 0001 1 1 S; found {line:.60}"
                    )

        for name, group in groupby(tokens(), key=lambda found: found[1]):
            found = list(group)
            yield self._line(found[0][0], name, " ".join(token for _, _, token in found))

    def say_what_was_added(self) -> None:
        if self._also_possible and self._only_sure and not self._predicted:
            self._notes.add(
                f"Sure links that {shown(self._path)} does not list as possible, as it does "
                f"{self._also_possible:,} others: {{count}}. They were added to the possible ones.",
                times=self._only_sure,
            )

    def _without_id(self, text: str, number: int) -> tuple[str, str]:
        parts = text.split(None, 1)
        if not parts:
            raise InputError(
                f"{shown(self._path)}, line {number}: has no sentence id, as the first line has. A sentence "
                "without links is a line with its id alone."
            )
        after = text.index(parts[0]) + len(parts[0])
        return parts[0], text[after:].removeprefix("\t")

    def _line(self, line: int, name: str | None, text: str) -> LinkLine:
        position = self._next if name is None else self._position(name, line)
        self._next = position + 1
        if not self._predicted and not text.strip():
            self._notes.add(
                f"Sentences of {shown(self._path)} without gold links: {{count}} (first: {{first}}). Links "
                "predicted there count as wrong.",
                f"line {line}" if name is None else f"sentence {name}",
            )
        try:
            links, also_possible = self._tokens.parse(text)
        except ValueError as error:
            raise InputError(f"{_place(self._path, name, line)}: {error}") from error
        self._also_possible += also_possible
        self._only_sure += len(links.sure) - also_possible
        if self._tokens.no_word:
            links = self._without_no_word(links, _place(self._path, name, line))
        return LinkLine(position, line, name, links, self._path, self._hint)

    def _position(self, name: str, line: int) -> int:
        """The position of a sentence, by its id where ids are numbers; other ids are only names."""
        number = int(name) if name.isdecimal() else None
        if self._next == 0 and number is not None:
            self._first_id = min(number, 1)
        if self._first_id is None:
            return self._next
        if number is None:
            problem = f"sentence id {name!r} is not a number, as the ids before it are."
        elif number - self._first_id < self._next:
            problem = (
                f"sentence {name} comes again or too late: sentences must stand together and in order. Sort "
                "the lines by their sentence first (sort -s -n -k 1,1)."
            )
        else:
            return number - self._first_id
        raise InputError(f"{shown(self._path)}, line {line}: {problem}")

    def _without_no_word(self, gold: GoldAlignment, where: str) -> GoldAlignment:
        """Leave out links to position 0, which the shared tasks used for no word. They are not scored."""
        nothing = {link for link in gold.possible if -1 in link}
        if not nothing:
            return gold
        self._notes.add(
            f"Links of {shown(self._path)} to position 0, which is no word: {{count}} (first: {{first}}). "
            "They were left out. If the file counts from 0, say so (--zero-based, one_based=False).",
            where,
            len(nothing),
        )
        return GoldAlignment(gold.sure - nothing, gold.possible - nothing)


def _place(path: str | Path, name: str | None, line: int) -> str:
    sentence = "" if name is None else f"sentence {name}, "
    return f"{shown(path)}, {sentence}line {line}"


def note_several(path: str | Path, line: int, notes: Notes) -> None:
    notes.add(
        f"Lines of {shown(path)} with the links of several methods: {{count}} (first: line {{first}}). "
        "The first method's are scored.",
        str(line),
    )
