"""Alignments -> a lexicon: pairs of words and phrases with counts, probabilities both ways, and examples.

    >>> from wordalign.types import Alignment, Sentence
    >>> house = Alignment(((0, 0), (1, 1)), (1.0, 1.0), Sentence(("the", "house")), Sentence(("das", "Haus")))
    >>> with Lexicon(max_length=1) as lexicon:
    ...     lexicon.add(house)
    ...     for entry in lexicon.entries():
    ...         print(entry.source, entry.target, entry.count, entry.target_given_source)
    house Haus 1 1.0
    the das 1 1.0

Memory is bounded: counts gather in a dictionary of bounded size, which is emptied into a temporary SQLite
file; SQLite sorts and adds them there.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from wordalign.errors import OutputError, UnknownNameError, UsageError
from wordalign.project.phrases import phrase_spans
from wordalign.text import is_punctuation
from wordalign.types import Alignment, Sentence

KINDS = ("phrases", "links")
NO_WORD = "NULL"  # the partner of a word without links, as Moses and Marian write it
BUFFERED = 200_000  # pairs that are counted in memory
# Punctuation that may stand inside a term: Baden-Württemberg, and/or, Procter & Gamble.
_INSIDE_TERMS = frozenset("-‐‑–'’/&·・")


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair of words or phrases.

    `count` says how often the pair was seen, `target_given_source` is its share among all pairs with this
    source, and `source_given_target` its share among all pairs with this target. `examples` are sentences in
    which it stands, as pairs of texts.
    """

    source: str
    target: str
    count: int
    target_given_source: float
    source_given_target: float
    examples: tuple[tuple[str, str], ...] = ()


class Lexicon:
    """Counts the pairs of words and phrases of any number of alignments.

    `kind`        "phrases" counts pairs of phrases that are linked with each other and with nothing else
                  (`phrases.py`); "links" counts every link by itself, and words without links with the word
                  NULL, as the lexical tables of Moses and Marian do
    `max_length`  of a phrase, in words
    `loose`       count phrases with unlinked words at their edges, too, as Moses does
    `lowercase`   count lower-cased words
    `punctuation` count phrases with punctuation, too; a hyphen and the like may always stand inside one
    `stop_words`  no phrase begins or ends with one of them, in whichever case
    `examples`    how many sentences are kept for each pair

    The last four are for phrases. A lexicon is used in a `with` block, at whose end its file is deleted.
    """

    def __init__(
        self,
        kind: str = "phrases",
        *,
        max_length: int = 4,
        loose: bool = False,
        lowercase: bool = False,
        punctuation: bool = False,
        stop_words: Iterable[str] = (),
        examples: int = 1,
        buffered: int = BUFFERED,
    ) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of lexicon", kind, KINDS)
        if max_length < 1:
            raise UsageError(
                f"A phrase has at least one word: give a length limit above 0, not {max_length}."
            )
        if examples < 0:
            raise UsageError(f"The number of examples is 0 or more, not {examples}.")
        self._pairs_of: Callable[[Alignment], Iterator[tuple[str, str]]] = (
            self._linked_words if kind == "links" else self._phrases
        )
        self._max_length, self._loose, self._lowercase = max_length, loose, lowercase
        self._punctuation, self._stop_words = punctuation, {word.casefold() for word in stop_words}
        self._examples = 0 if kind == "links" else examples
        self._most = buffered
        self._counts: dict[tuple[str, str], int] = {}
        self._seen_in: dict[tuple[str, str], list[int]] = {}
        self._sentences = 0
        self._open = True

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="wordalign-lexicon-")
        self._database = sqlite3.connect(Path(self._folder.name) / "counts.sqlite", isolation_level=None)
        # The file lives as long as this process: nothing need survive a crash.
        self._database.executescript(
            """PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;
            PRAGMA cache_size = -64000;
            CREATE TABLE counted (source TEXT, target TEXT, count INTEGER, seen_in TEXT);
            CREATE TABLE sentences (number INTEGER PRIMARY KEY, source TEXT, target TEXT);
            BEGIN"""
        )
        self._database.create_function("casefold", 1, str.casefold, deterministic=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
        self._folder.cleanup()
        if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
            raise OutputError(
                f"The disk with temporary files ({tempfile.gettempdir()}) is full: free some of it, or name "
                "another folder in the environment variable TMPDIR."
            ) from error

    def add(self, alignment: Alignment) -> None:
        """Count the pairs of one alignment."""
        if not self._open:
            raise UsageError("This lexicon was read already: make a new one to count more.")
        self._sentences += 1
        is_example = False
        for pair in self._pairs_of(alignment):
            count = self._counts.get(pair, 0)
            self._counts[pair] = count + 1
            if self._examples:
                seen_in = self._seen_in.setdefault(pair, [])
                if len(seen_in) < self._examples and self._sentences not in seen_in:
                    seen_in.append(self._sentences)
                    is_example = True
        if is_example:
            texts = alignment.source.surface(), alignment.target.surface()
            self._database.execute("INSERT INTO sentences VALUES (?, ?, ?)", (self._sentences, *texts))
        if len(self._counts) >= self._most:
            self._empty_buffer()

    def entries(
        self,
        *,
        min_count: int = 1,
        min_probability: float = 0.0,
        terms: Collection[str] | None = None,
        by_source: bool = False,
    ) -> Iterator[Entry]:
        """The pairs, the most frequent first, or with `by_source` sorted by source and then by frequency.

        Left out are those seen less than `min_count` times, those with a probability below
        `min_probability` in either direction, and those whose source is none of the `terms`, whose case does
        not count. Nothing can be added any more.
        """
        self._finish()
        self._ask_for(terms or ())
        only = "AND casefold(source) IN (SELECT term FROM terms)" if terms is not None else ""
        order = "source, count DESC, target" if by_source else "count DESC, source, target"
        found = self._database.execute(
            f"""SELECT source, target, count, 1.0 * count / sources.total AS forward,
                1.0 * count / targets.total AS backward, seen_in
                FROM pairs JOIN sources USING (source) JOIN targets USING (target)
                WHERE count >= ? AND forward >= ? AND backward >= ? {only} ORDER BY {order}""",
            (min_count, min_probability, min_probability),
        )
        for source, target, count, forward, backward, seen_in in found:
            yield Entry(source, target, count, forward, backward, self._texts(seen_in))

    def missing(self, terms: Iterable[str]) -> list[str]:
        """Those of the terms that are the source of no pair."""
        self._finish()
        terms = list(terms)
        self._ask_for(terms)
        asked = (
            "SELECT DISTINCT casefold(source) FROM sources WHERE casefold(source) IN (SELECT term FROM terms)"
        )
        found = {term for (term,) in self._database.execute(asked)}
        return [term for term in terms if term_key(term) not in found]

    def _ask_for(self, terms: Iterable[str]) -> None:
        """Put terms into a table, where a query finds them."""
        self._database.execute("CREATE TEMP TABLE IF NOT EXISTS terms (term TEXT PRIMARY KEY) WITHOUT ROWID")
        self._database.execute("DELETE FROM terms")
        self._database.executemany("INSERT INTO terms VALUES (?)", {(term_key(term),) for term in terms})

    def _phrases(self, alignment: Alignment) -> Iterator[tuple[str, str]]:
        source, target = alignment.source, alignment.target
        may_edge = [self._edges(sentence) for sentence in (source, target)]
        may_stand = [self._insides(sentence) for sentence in (source, target)]
        spans = phrase_spans(
            alignment.links, len(source), len(target), self._max_length, tight=not self._loose
        )
        for start, end, target_start, target_end in spans:
            if (
                may_edge[0][start]
                and may_edge[0][end - 1]
                and may_edge[1][target_start]
                and may_edge[1][target_end - 1]
                and all(may_stand[0][start:end])
                and all(may_stand[1][target_start:target_end])
            ):
                yield self._surface(source, start, end), self._surface(target, target_start, target_end)

    def _linked_words(self, alignment: Alignment) -> Iterator[tuple[str, str]]:
        sides = [
            [word.lower() for word in sentence.words] if self._lowercase else sentence.words
            for sentence in (alignment.source, alignment.target)
        ]
        for i, j in alignment.links:
            yield sides[0][i], sides[1][j]
        linked = [{link[side] for link in alignment.links} for side in (0, 1)]
        yield from ((word, NO_WORD) for i, word in enumerate(sides[0]) if i not in linked[0])
        yield from ((NO_WORD, word) for j, word in enumerate(sides[1]) if j not in linked[1])

    def _edges(self, sentence: Sentence) -> list[bool]:
        """Whether a phrase may begin or end with each word."""
        return [
            (self._punctuation or not is_punctuation(word)) and word.casefold() not in self._stop_words
            for word in sentence.words
        ]

    def _insides(self, sentence: Sentence) -> list[bool]:
        return [
            self._punctuation or word in _INSIDE_TERMS or not is_punctuation(word) for word in sentence.words
        ]

    def _surface(self, sentence: Sentence, start: int, end: int) -> str:
        """The phrase as it is written, which in raw Chinese has no spaces."""
        text = sentence.surface(start, end)
        return text.lower() if self._lowercase else text

    def _texts(self, seen_in: str | None) -> tuple[tuple[str, str], ...]:
        if not seen_in:
            return ()
        first = sorted(set(map(int, seen_in.split())))[: self._examples]
        asked = "SELECT source, target FROM sentences WHERE number = ?"
        return tuple(self._database.execute(asked, (number,)).fetchone() for number in first)

    def _empty_buffer(self) -> None:
        rows = (
            (*pair, count, " ".join(map(str, self._seen_in.get(pair, ()))))
            for pair, count in self._counts.items()
        )
        self._database.executemany("INSERT INTO counted VALUES (?, ?, ?, ?)", rows)
        self._counts.clear()
        self._seen_in.clear()

    def _finish(self) -> None:
        """Add up what was counted, once."""
        if not self._open:
            return
        self._open = False
        self._empty_buffer()
        self._database.executescript(
            """CREATE TABLE pairs AS SELECT source, target, SUM(count) AS count,
                GROUP_CONCAT(seen_in, ' ') AS seen_in FROM counted GROUP BY source, target;
            DROP TABLE counted;
            CREATE TABLE sources (source TEXT PRIMARY KEY, total INTEGER) WITHOUT ROWID;
            INSERT INTO sources SELECT source, SUM(count) FROM pairs GROUP BY source;
            CREATE TABLE targets (target TEXT PRIMARY KEY, total INTEGER) WITHOUT ROWID;
            INSERT INTO targets SELECT target, SUM(count) FROM pairs GROUP BY target;"""
        )


def term_key(term: str) -> str:
    """What two spellings of one term share: case and the number of spaces do not count."""
    return " ".join(term.split()).casefold()
