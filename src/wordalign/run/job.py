"""What is done to a chunk of records: parse, link, lines.

    job = Job(parser, AlignConfig("tiny"))   a description, which can be sent to other processes and machines
    worker = job.open()                      the model is loaded
    worker(chunk)                            -> Done(lines, errors, failure)

The three steps can be called one by one, in other threads or processes: `parse` and `lines` need no model.

With `on_error="skip"` a record that cannot be used becomes the line of an empty alignment, and a `LineError`
says why. With "stop" the lines before it are done, and `failure` says what to raise after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, NoReturn

from wordalign.config import AlignConfig
from wordalign.errors import DeviceMemoryError, UnknownNameError, WordalignError
from wordalign.io.links import LINK_FORMATS, ByMethod, LineWriter, line_writer
from wordalign.io.records import LineError
from wordalign.run.chunks import BYTES_A_PAIR, chunks
from wordalign.types import Alignment, Pair, Sentence

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.io.records import Record

EMPTY = Pair(Sentence(()), Sentence(()))


@dataclass(frozen=True, slots=True)
class Job:
    """All that a worker needs to know; the options are those of the aligner, `line_writer` and the parser."""

    parser: Callable[[Record], Pair]
    config: AlignConfig = field(default_factory=AlignConfig)
    format: str = "pharaoh"
    scores: bool = False
    on_error: str = "stop"

    def __post_init__(self) -> None:
        if self.format not in LINK_FORMATS:
            raise UnknownNameError("link format", self.format, LINK_FORMATS)
        if self.on_error not in ("stop", "skip"):
            raise UnknownNameError("way to treat errors", self.on_error, ("stop", "skip"))

    def aligner(self) -> Aligner:
        from wordalign.aligners.neural import Aligner

        return Aligner.from_config(self.config)

    def open(self) -> Worker:
        """Load the model."""
        return Worker(self, self.aligner())


@dataclass(frozen=True, slots=True)
class Parsed:
    """The pairs of a chunk. A skipped record is an empty pair; with `failure` they end before the bad one."""

    numbers: Sequence[int]
    pairs: Sequence[Pair]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """The alignments of a chunk, each by the name of its method."""

    found: Sequence[ByMethod]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """A line for each record, in order, without line ends; with `failure` they end before the bad record."""

    lines: Sequence[str]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


class Steps:
    """The two steps of a job that need no model; `signatures` are what the aligner says of its methods."""

    def __init__(self, job: Job, signatures: Mapping[str, str]) -> None:
        self.job = job
        self.signatures = dict(signatures)

    def parse(self, chunk: Sequence[Record]) -> Parsed:
        numbers: list[int] = []
        pairs: list[Pair] = []
        errors: list[LineError] = []
        for record in chunk:
            try:
                pair = self.job.parser(record)
            except WordalignError as error:
                if self.job.on_error == "stop":
                    return Parsed(numbers, pairs, failure=error)
                pair = EMPTY
                errors.append(LineError(record.number, str(error)))
            numbers.append(record.number)
            pairs.append(pair)
        return Parsed(numbers, pairs, errors)

    def lines(self, linked: Linked) -> Done:
        return Done([self._to_line(found) for found in linked.found], linked.errors, linked.failure)

    @cached_property
    def _to_line(self) -> LineWriter:
        return line_writer(self.job.format, self.job.scores, self.signatures)


class Worker(Steps):
    """A job with its model loaded."""

    def __init__(self, job: Job, aligner: Aligner) -> None:
        super().__init__(job, {method: aligner.signature(method) for method in aligner.methods})
        self.aligner = aligner

    def chunks(self, records: Iterable[Record]) -> Iterator[list[Record]]:
        """The records in chunks of the size that the model works best on."""
        pairs = self.aligner._chunk_pairs
        return chunks(records, pairs, pairs * BYTES_A_PAIR)

    def __call__(self, chunk: Sequence[Record]) -> Done:
        return self.lines(self.link(self.parse(chunk)))

    def link(self, parsed: Parsed) -> Linked:
        return self.begin(parsed)()

    def begin(self, parsed: Parsed) -> Callable[[], Linked]:
        """`link` in two steps: a GPU works on the chunk until its links are called for."""
        try:
            finish = self.aligner._begin(parsed.pairs)
        except Exception as error:
            failure = error
            return lambda: self._linked(parsed, partial(_raise, failure))
        return lambda: self._linked(parsed, finish)

    def _linked(self, parsed: Parsed, finish: Callable[[], list[ByMethod]]) -> Linked:
        try:
            return Linked(finish(), parsed.errors, parsed.failure)
        except Exception as error:
            if self.job.on_error == "stop":
                raise
            found, failed = self._align_apart(parsed.numbers, parsed.pairs, error)
            if 1 < len(failed) == len(found) and not isinstance(error, (DeviceMemoryError, MemoryError)):
                # Not one of several: the model is at fault, and to skip all that follows would help nobody.
                raise
            return Linked(found, sorted([*parsed.errors, *failed], key=lambda error: error.number))

    def _align_apart(
        self, numbers: Sequence[int], pairs: Sequence[Pair], error: Exception
    ) -> tuple[list[ByMethod], list[LineError]]:
        """Halve what failed in company until the ones that fail alone are known."""
        if len(pairs) == 1:
            nothing = Alignment((), (), pairs[0].source, pairs[0].target)
            return [dict.fromkeys(self.signatures, nothing)], [LineError(numbers[0], _reason(error))]
        found: list[ByMethod] = []
        failed: list[LineError] = []
        middle = len(pairs) // 2
        for half in (slice(middle), slice(middle, None)):
            try:
                found += self.aligner._begin(pairs[half])()
            except Exception as again:
                more, bad = self._align_apart(numbers[half], pairs[half], again)
                found += more
                failed += bad
        return found, failed


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, WordalignError) else f"{type(error).__name__}: {error}"


def _raise(error: Exception) -> NoReturn:
    raise error
