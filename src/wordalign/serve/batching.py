"""Requests of many clients -> batches for a few threads.

    waiting   a(300 words) b(20) c(40) d(900)      budget 1000 words
    batch 1   a b c
    batch 2   d

A thread takes what waits, in order, as much as the budget allows and always at least one; of several threads,
none takes more than its share of all that waits or is worked on. Before it starts a batch smaller than its
last one it waits a moment for the others to come back; for a lone client never.
Work whose client has gone or whose time is over is dropped before it is begun.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class Job(Generic[Item, Result]):
    """Something to be done, how many words it has, and where the result goes."""

    item: Item
    words: int
    future: asyncio.Future[Result]


class Batcher(Generic[Item, Result]):
    """Runs `work` on batches, in `threads` threads of its own.

    `work` returns a result or an exception for each item. What it raises is every item's result.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result | Exception]],
        words: int,
        linger: float,
        threads: int = 1,
    ) -> None:
        self._work = work
        self._words = words
        self._linger = linger
        self._waiting: deque[Job[Item, Result]] = deque()
        self._waiting_words = 0
        self._working_words = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._threads = [
            threading.Thread(target=self._run, name=f"wordalign-encoder-{number}", daemon=True)
            for number in range(threads)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    async def stop(self) -> None:
        """Finishes what waits, then ends the threads."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def submit(self, item: Item, words: int) -> asyncio.Future[Result]:
        """The result to be; cancelling it takes the item out of the queue."""
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        with self._changed:
            self._waiting.append(Job(item, words, future))
            self._waiting_words += words
            self._changed.notify()
        return future

    def __len__(self) -> int:
        return len(self._waiting)

    def _run(self) -> None:
        expected = 1
        while (jobs := self._next(expected)) is not None:
            expected = len(jobs)
            if jobs:
                self._finish(jobs)
                with self._changed:
                    self._working_words -= sum(job.words for job in jobs)

    def _next(self, expected: int) -> list[Job[Item, Result]] | None:
        """The next batch, None when there will be no more; so many jobs are worth waiting for."""
        with self._changed:
            while not self._waiting:
                if self._stopping:
                    return None
                self._changed.wait()
            until = time.monotonic() + self._linger
            while self._may_grow(expected) and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)
            jobs: list[Job[Item, Result]] = []
            words, most = 0, self._share()
            while self._waiting and (not jobs or words + self._waiting[0].words <= most):
                job = self._waiting.popleft()
                self._waiting_words -= job.words
                if not job.future.done():
                    jobs.append(job)
                    words += job.words
            self._working_words += words
            if self._waiting:
                # Its notice may have reached this thread, while another one sleeps.
                self._changed.notify()
        return jobs

    def _share(self) -> int:
        """How many words a batch may have: what is there is divided among the threads."""
        if len(self._threads) == 1:
            return self._words
        there = self._waiting_words + self._working_words
        return min(self._words, -(-there // len(self._threads)))

    def _may_grow(self, expected: int) -> bool:
        """Whether as many as last time could still come, and would fit."""
        return len(self._waiting) < expected and self._waiting_words < self._words and not self._stopping

    def _finish(self, jobs: list[Job[Item, Result]]) -> None:
        try:
            results = self._work([job.item for job in jobs])
        except Exception as error:
            results = [error] * len(jobs)
        with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            jobs[0].future.get_loop().call_soon_threadsafe(_deliver, jobs, results)


def _deliver(jobs: Sequence[Job[Item, Result]], results: Sequence[Result | Exception]) -> None:
    for job, result in zip(jobs, results, strict=True):
        if job.future.done():
            continue
        if isinstance(result, Exception):
            job.future.set_exception(result)
        else:
            job.future.set_result(result)
