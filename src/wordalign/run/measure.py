"""How many pairs a second a model does here, from raw text to lines of links, and where the time goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count, islice
from typing import TypeVar

from wordalign.config import AlignConfig
from wordalign.io.records import Parser, Record
from wordalign.run.job import Job, Worker
from wordalign.run.parallel import run
from wordalign.run.sentences import sentence_pairs

T = TypeVar("T")
R = TypeVar("R")

CHUNK_PAIRS = 256  # so that a row takes seconds; a run has larger ones


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the time that one worker takes for a chunk. All but `encode` is what we add to the encoder."""

    parse: float
    encode: float
    extract: float
    format: float


@dataclass(frozen=True, slots=True)
class Row:
    """`ratio` compares with the first row of the same model and dtype."""

    model: str
    dtype: str
    workers: int
    pairs_per_s: float
    ratio: float
    shares: Shares


def measure(
    model: str, dtype: str, workers: Sequence[int], seconds: float, device: str | None = None
) -> Iterator[Row]:
    """A row for each number of workers, each measured for so many seconds at least."""
    job = Job(Parser(("sentences",), "tsv", raw=True), AlignConfig(model, dtype=dtype, device=device))
    worker = job.open()
    shares = time_shares(worker)
    first = 0.0
    for number in workers:
        rate = pairs_per_second(worker, number, seconds)
        first = first or rate
        yield Row(model, dtype, number, rate, rate / first, shares)


def time_shares(worker: Worker) -> Shares:
    """Step by step, in this process."""
    first, chunk = islice(endless_chunks(), 2)
    worker(first[:32])
    parse, parsed = _timed(worker.parse, chunk)
    sentences = [side.words for pair in parsed.pairs for side in (pair.source, pair.target)]
    encode, _ = _timed(worker.aligner.encoder.encode, sentences)
    link, linked = _timed(worker.link, parsed)
    lines, _ = _timed(worker.lines, linked)
    steps = (parse, encode, max(0.0, link - encode), lines)
    return Shares(*(step / sum(steps) for step in steps))


def pairs_per_second(worker: Worker, workers: int, seconds: float) -> float:
    """In the middle of a run: processes have started and all of them are at work."""
    with closing(run(endless_chunks(), worker.job, workers, worker)) as results:
        for _ in range(workers):
            next(results)
        pairs, start = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - start) < seconds:
            # Whole rounds: the processes end their chunks at about the same time.
            for _ in range(workers):
                pairs += len(next(results).lines)
    return pairs / elapsed


def endless_chunks() -> Iterator[Sequence[Record]]:
    pairs = sentence_pairs()
    for start in count(1, CHUNK_PAIRS):
        yield [
            Record(number, ("\t".join(pair).encode(),))
            for number, pair in zip(range(start, start + CHUNK_PAIRS), pairs, strict=False)
        ]


def _timed(work: Callable[[T], R], value: T) -> tuple[float, R]:
    start = time.perf_counter()
    result = work(value)
    return time.perf_counter() - start, result
