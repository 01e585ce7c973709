"""A chunk of records -> its lines of links, in three stages that overlap: parse, link, format.

    records --parse--> ParsedChunk --link--> LinkedChunk --format--> ChunkResult

Where the processor encodes, several processes with one thread each do more than one process with several
threads: the matrix products of a few sentences are too short to be shared. Each does whole chunks:

    this process   read ------------------------------------- write
    process 1           parse, link, format
    process 2           parse, link, format

Where a GPU encodes, workers do so too, and ask the process of the GPU for links (`devices.py`). Where the
aligner was given with its model on a GPU, or there is one worker, this process keeps the encoder; a thread
(or processes, for several workers) parses the next chunks, and a thread formats the last one meanwhile:

    this process   read --------- link ---------------------- write
    others               parse            format

With `on_error="skip"` a record that cannot be used becomes the line of an empty alignment, and a `LineError`
says why. With "stop" the lines before it are done, and `failure` is the error to raise after them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from wordalign.config import AlignConfig
from wordalign.errors import DeviceMemoryError, UnknownNameError, UsageError, WordalignError
from wordalign.io.links import LINK_FORMATS, ByMethod, LineWriter, line_writer
from wordalign.io.records import LineError, Record, RecordBlock, RecordStream
from wordalign.machine import available_cores
from wordalign.parallel import WorkerProcess, cut, ordered, stop_all
from wordalign.template import alike
from wordalign.types import Alignment, Pair, Sentence

if TYPE_CHECKING:
    from wordalign.aligners.neural import Aligner
    from wordalign.encoders import Encoder
    from wordalign.run.devices import DeviceProcesses
    from wordalign.run.lines import ShortWay

T = TypeVar("T")
R = TypeVar("R")
Chunk: TypeAlias = Sequence[Record]

BYTES_PER_PAIR = 256  # on average; few texts exceed it
MOST_PARSERS = 4  # processes that split text for a GPU; more would only wait
_EMPTY = Pair(Sentence(()), Sentence(()))


@dataclass(frozen=True, slots=True)
class RunConfig:
    """All that decides about the lines of a run, other than its input; can be sent to other processes.

    `parser` makes a record a pair, `align` decides about links, `format`, `scores` and `min_score` about
    how they are written, and `on_error` says whether a record that cannot be used stops the run or is
    skipped.
    """

    parser: Callable[[Record], Pair]
    align: AlignConfig = field(default_factory=AlignConfig)
    format: str = "pharaoh"
    scores: bool = False
    on_error: str = "stop"
    min_score: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.min_score <= 1:
            raise UsageError(
                f"The score of a pair, and so the lowest one, lies between 0 and 1, not {self.min_score}."
            )
        if self.format not in LINK_FORMATS:
            raise UnknownNameError("link format", self.format, LINK_FORMATS)
        if self.on_error not in ("stop", "skip"):
            raise UnknownNameError("way to treat errors", self.on_error, ("stop", "skip"))

    def open(self) -> ChunkAligner:
        """Load the model."""
        from wordalign.aligners.neural import Aligner

        return ChunkAligner(self, Aligner.from_config(self.align))


@dataclass(frozen=True, slots=True)
class ParsedChunk:
    """The pairs of a chunk. A skipped record is an empty pair; with `failure` they end before the bad one."""

    numbers: Sequence[int]
    pairs: Sequence[Pair]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


@dataclass(frozen=True, slots=True)
class LinkedChunk:
    """The alignments of a chunk, each by the name of its method."""

    alignments: Sequence[ByMethod]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """A line for each record, in order, without line ends; with `failure` they end before the bad record."""

    lines: Sequence[str]
    errors: Sequence[LineError] = ()
    failure: WordalignError | None = None


def parse_chunk(chunk: Chunk, config: RunConfig) -> ParsedChunk:
    """Make a pair of each record. This stage needs no model."""
    numbers: list[int] = []
    pairs: list[Pair] = []
    errors: list[LineError] = []
    for record in chunk:
        try:
            pair = config.parser(record)
        except WordalignError as error:
            if config.on_error == "stop":
                return ParsedChunk(numbers, pairs, failure=error)
            pair = _EMPTY
            errors.append(LineError(record.number, str(error)))
        numbers.append(record.number)
        pairs.append(pair)
    return ParsedChunk(numbers, pairs, errors)


def format_chunk(chunk: LinkedChunk, to_line: LineWriter) -> ChunkResult:
    """Make a line of the alignments of each pair. This stage needs no model either."""
    return ChunkResult([to_line(by_method) for by_method in chunk.alignments], chunk.errors, chunk.failure)


class ChunkAligner:
    """Does all three stages with a loaded model: it is called with a chunk and returns its `ChunkResult`.

    `devices` are the processes in which the model runs, where it is not in this one.
    """

    def __init__(self, config: RunConfig, aligner: Aligner, devices: DeviceProcesses | None = None) -> None:
        self.config, self.aligner, self.devices = config, aligner, devices
        self.signatures = {method: aligner.signature(method) for method in aligner.methods}

    def __call__(self, chunk: Chunk) -> ChunkResult:
        lines = None if self._short_way is None else self._short_way(chunk)
        if lines is not None:
            return ChunkResult(lines)
        return self.format(self.link(self.parse(chunk)))

    def cut(self, records: Iterable[Record]) -> Iterator[Chunk]:
        """Cut records into chunks of the size that the model works best on."""
        pairs = self.aligner._chunk_pairs
        if isinstance(records, RecordStream):
            return records.blocks(pairs, pairs * BYTES_PER_PAIR)
        return cut(records, pairs, lambda record: sum(map(len, record.lines)), pairs * BYTES_PER_PAIR)

    def parse(self, chunk: Chunk) -> ParsedChunk:
        return parse_chunk(chunk, self.config)

    def link(self, parsed: ParsedChunk) -> LinkedChunk:
        return self.begin(parsed)()

    def begin(self, parsed: ParsedChunk) -> Callable[[], LinkedChunk]:
        """Start `link`: a GPU works on the chunk until the function that is returned is called."""
        try:
            finish = self.aligner._begin(parsed.pairs)
        except Exception as error:
            finish = partial(_raise, error)
        return lambda: self._linked(parsed, finish)

    def format(self, linked: LinkedChunk) -> ChunkResult:
        return format_chunk(linked, self._to_line)

    @cached_property
    def _short_way(self) -> ShortWay | None:
        from wordalign.run.lines import short_way

        return short_way(self.config, self.aligner)

    @cached_property
    def _to_line(self) -> LineWriter:
        config = self.config
        return line_writer(config.format, config.scores, self.signatures, config.min_score)

    def _linked(self, parsed: ParsedChunk, finish: Callable[[], list[ByMethod]]) -> LinkedChunk:
        try:
            return LinkedChunk(finish(), parsed.errors, parsed.failure)
        except Exception as error:
            if self.config.on_error == "stop":
                raise
            found, failed = self._link_halves(parsed.numbers, parsed.pairs, error)
            if 1 < len(failed) == len(found) and not isinstance(error, (DeviceMemoryError, MemoryError)):
                # Every one of several pairs failed, so the model is at fault: skipping would help nobody.
                raise
            return LinkedChunk(found, sorted([*parsed.errors, *failed], key=lambda error: error.number))

    def _link_halves(
        self, numbers: Sequence[int], pairs: Sequence[Pair], error: Exception
    ) -> tuple[list[ByMethod], list[LineError]]:
        """Halve pairs that failed together until those that fail alone are known."""
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
                more, bad = self._link_halves(numbers[half], pairs[half], again)
                found += more
                failed += bad
        return found, failed


def align_chunks(
    chunks: Iterable[Chunk], aligner: ChunkAligner, workers: int = 0
) -> Generator[ChunkResult, None, None]:
    """Give one result for each chunk, in order. The results do not depend on the number of workers.

    `workers` is the number of processes: 1 is this process alone, 0 is `default_workers`. The first error is
    raised after the results of all chunks before it. No thread or process outlives the iterator, which ends
    by `close()`, by an exception, or by reaching its end.
    """
    if workers < 0:
        raise UsageError(f"The number of workers is 0 (what is best here) or more, not {workers}.")
    return _align_chunks(chunks, aligner, workers or default_workers(aligner))


def default_workers(aligner: ChunkAligner) -> int:
    """The number of workers that suits the model and the machine.

    Raw text for a GPU is split by a few processes, because one cannot find the words fast enough.
    """
    if aligner.devices is not None:
        return aligner.devices.free_workers
    if not _on_processor(aligner) and getattr(aligner.config.parser, "raw", False):
        return max(1, min(available_cores() // 4, MOST_PARSERS))
    return aligner.aligner._default_workers()


def _on_processor(aligner: ChunkAligner) -> bool:
    return aligner.aligner.encoder.device.startswith("cpu")


def _align_chunks(
    chunks: Iterable[Chunk], aligner: ChunkAligner, workers: int
) -> Generator[ChunkResult, None, None]:
    config = aligner.config
    # A process is not worth its start for a single chunk.
    several, chunks = _several(chunks) if workers > 1 else (False, chunks)
    blocks = map(RecordBlock.of, chunks)
    with ExitStack() as stack:
        if several and aligner.devices is not None:
            beside = aligner.devices.take_workers(workers)
            processes = [
                WorkerProcess[RecordBlock, ChunkResult](
                    partial(_open_beside, config, connect), 1, [descriptor]
                )
                for connect, descriptor in beside
            ]
            results = ordered(blocks, processes, 2 * workers, partial(stop_all, processes))
        elif several and _on_processor(aligner):
            threads = max(1, available_cores() // workers)
            make = partial(_open_warm, config)
            encoder = aligner.aligner.encoder
            processes = alike(make, workers, threads, share=encoder.one_process_per_core)
            encoder.unload()
            results = ordered(blocks, processes, 2 * workers, partial(stop_all, processes))
        else:
            if several:
                parse = partial(_make_parser, config)
                parsers = [WorkerProcess[RecordBlock, ParsedChunk](parse) for _ in range(workers)]
                parsed = ordered(blocks, parsers, 2 * workers, partial(stop_all, parsers))
            else:
                parsed = ordered(chunks, [aligner.parse], 2)
            stack.enter_context(closing(parsed))
            linked = map(aligner.link, parsed) if _on_processor(aligner) else _one_ahead(aligner, parsed)
            results = ordered(linked, [aligner.format], 2)
        stack.enter_context(closing(results))
        for result in results:
            yield result
            if result.failure is not None:
                raise result.failure


def _open_warm(config: RunConfig) -> ChunkAligner:
    """Run in a worker process or its template: the model, which has run once and so is all in memory."""
    aligner = config.open()
    aligner.aligner._warm_up()
    return aligner


def _open_beside(config: RunConfig, connect: Callable[[], Encoder]) -> ChunkAligner:
    """Run in a worker process: the model is in the process of a device."""
    from wordalign.aligners.neural import Aligner

    return ChunkAligner(config, Aligner.from_config(config.align, encoder=connect()))


def _make_parser(config: RunConfig) -> Callable[[Chunk], ParsedChunk]:
    return partial(parse_chunk, config=config)


def _one_ahead(aligner: ChunkAligner, parsed: Iterable[ParsedChunk]) -> Iterator[LinkedChunk]:
    """Give a GPU the next chunk before the links of the last one are called for."""
    begun: Callable[[], LinkedChunk] | None = None
    rest = iter(parsed)
    while True:
        try:
            chunk = next(rest, None)
        except Exception:
            if begun is not None:
                yield begun()
            raise
        following = None if chunk is None else aligner.begin(chunk)
        if begun is not None:
            yield begun()
        if following is None:
            return
        begun = following


def _several(items: Iterable[T]) -> tuple[bool, Iterable[T]]:
    """Tell whether there is more than one item, and give all of them back, with the error that ends them."""
    rest = iter(items)
    taken: list[T] = []
    try:
        for item in rest:
            taken.append(item)
            if len(taken) == 2:
                break
    except Exception as error:
        return False, chain(taken, _raising(error))
    return len(taken) == 2, chain(taken, rest)


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield


def _raise(error: Exception) -> NoReturn:
    raise error


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, WordalignError) else f"{type(error).__name__}: {error}"
