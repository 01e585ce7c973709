"""Chunks -> what was made of them, in order, with reading, parsing, encoding and formatting overlapped.

Where the processor encodes, several processes with one thread each do more than one process with several
threads: the matrix products of a few sentences are too short to be shared. Each does whole chunks:

    this process   read ------------------------------------- write
    process 1           parse, encode, extract, format
    process 2           parse, encode, extract, format

Where a GPU encodes, or there is one worker, this process keeps the encoder; a thread (or processes, for
several workers) prepares the next chunks, and a thread formats the last one meanwhile:

    this process   read --------- encode, extract ----------- write
    others               parse                    format
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from wordalign.errors import UsageError
from wordalign.io.records import Record
from wordalign.machine import available_cores, free_memory
from wordalign.parallel import WorkerProcess, ordered, stop_all
from wordalign.run.job import Done, Job, Linked, Parsed, Steps, Worker

Chunk: TypeAlias = Sequence[Record]
T = TypeVar("T")

# More than a process with a bundled model takes, its chunks included.
WORKER_BYTES = 512 << 20
# Processes that split text for a GPU: more would only wait.
MOST_PARSERS = 4


def run(
    chunks: Iterable[Sequence[Record]], job: Job, workers: int = 0, opened: Worker | None = None
) -> Generator[Done, None, None]:
    """One `Done` a chunk, in order. The results do not depend on the number of workers.

    `workers` is the number of processes; 1 is this process alone, 0 what is best here (`default_workers`).
    `opened` is the worker of the same job where the caller has loaded it already. The first error is raised
    after all that came before it has been handed on. No thread or process outlives the iterator, which is
    closed by `close()`, by an exception, and by reaching its end.
    """
    if workers < 0:
        raise UsageError(f"The number of workers is 0 (what is best here) or more, not {workers}.")
    return _run(chunks, opened or job.open(), workers)


def default_workers(worker: Worker) -> int:
    """A process for each core where the processor encodes with a small model, else one.

    Raw text for a GPU is split by a few processes, or it would wait for the words.
    """
    cores = available_cores()
    if not on_processor(worker):
        return max(1, min(cores // 4, MOST_PARSERS)) if getattr(worker.job.parser, "raw", False) else 1
    if not worker.aligner.encoder.one_process_per_core:
        return 1
    free = free_memory()
    return cores if free is None else max(1, min(cores, free // WORKER_BYTES))


def on_processor(worker: Worker) -> bool:
    return worker.aligner.encoder.device.startswith("cpu")


def _run(chunks: Iterable[Sequence[Record]], worker: Worker, workers: int) -> Generator[Done, None, None]:
    workers = workers or default_workers(worker)
    # A process is not worth its start for a single chunk.
    several, chunks = _several(chunks) if workers > 1 else (False, chunks)
    with ExitStack() as stack:
        if several and on_processor(worker):
            threads = max(1, available_cores() // workers)
            processes = [WorkerProcess[Chunk, Done](worker.job.open, threads) for _ in range(workers)]
            results = ordered(chunks, processes, 2 * workers, partial(stop_all, processes))
        else:
            if several:
                make = partial(_parse, worker.job)
                parsers = [WorkerProcess[Chunk, Parsed](make) for _ in range(workers)]
                parsed = ordered(chunks, parsers, 2 * workers, partial(stop_all, parsers))
            else:
                parsed = ordered(chunks, [worker.parse], 2)
            stack.enter_context(closing(parsed))
            linked = map(worker.link, parsed) if on_processor(worker) else _one_ahead(worker, parsed)
            results = ordered(linked, [worker.lines], 2)
        stack.enter_context(closing(results))
        for done in results:
            yield done
            if done.failure is not None:
                raise done.failure


def _parse(job: Job) -> Callable[[Chunk], Parsed]:
    return Steps(job, {}).parse


def _one_ahead(worker: Worker, parsed: Iterable[Parsed]) -> Iterator[Linked]:
    """A GPU gets the next chunk before the links of the last one are called for."""
    begun: Callable[[], Linked] | None = None
    rest = iter(parsed)
    while True:
        try:
            chunk = next(rest, None)
        except Exception:
            if begun is not None:
                yield begun()
            raise
        following = None if chunk is None else worker.begin(chunk)
        if begun is not None:
            yield begun()
        if following is None:
            return
        begun = following


def _several(items: Iterable[T]) -> tuple[bool, Iterable[T]]:
    """Whether there is more than one item; and all of them, with the error that ends them if there is one."""
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
