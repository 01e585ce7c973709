from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.serve.batching import Batcher


class Recorder:
    """Work that notes its batches, and waits for permission where a test wants to fill the queue first."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go = threading.Event()
        self.begun = threading.Event()

    def __call__(self, items: Sequence[int]) -> list[int | Exception]:
        self.begun.set()
        assert self.go.wait(60)
        self.batches.append(list(items))
        return [ValueError(str(item)) if item < 0 else item * 10 for item in items]


def naive_batches(sizes: Sequence[int], budget: int) -> list[list[int]]:
    batches: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if not batches or size > room:
            batches.append([])
            room = budget
        batches[-1].append(number)
        room -= size
    return batches


@given(st.lists(st.integers(0, 12), min_size=1, max_size=30), st.integers(1, 20))
def test_batches_keep_the_order_and_the_budget(sizes, budget):
    async def run() -> tuple[list[int], list[list[int]]]:
        work = Recorder()
        batcher = Batcher(work, words=budget, linger=0.0)
        # All of them wait before the thread begins.
        futures = [batcher.submit(number, size) for number, size in enumerate(sizes)]
        work.go.set()
        batcher.start()
        results = await asyncio.gather(*futures)
        await batcher.stop()
        return results, work.batches

    results, batches = asyncio.run(run())
    assert results == [number * 10 for number in range(len(sizes))]
    assert batches == naive_batches(sizes, budget)


def test_what_is_cancelled_while_it_waits_is_never_begun():
    async def run() -> list[list[int]]:
        work = Recorder()
        batcher = Batcher(work, words=100, linger=0.0)
        batcher.start()
        first = batcher.submit(1, 1)
        await asyncio.to_thread(work.begun.wait)
        waiting = [batcher.submit(number, 1) for number in (2, 3, 4)]
        waiting[1].cancel()
        work.go.set()
        assert await asyncio.gather(first, waiting[0], waiting[2]) == [10, 20, 40]
        await batcher.stop()
        return work.batches

    assert asyncio.run(run()) == [[1], [2, 4]]


def test_each_gets_its_own_failure_and_a_crash_reaches_all():
    async def run() -> None:
        work = Recorder()
        work.go.set()
        batcher = Batcher(work, words=100, linger=0.0)
        futures = [batcher.submit(number, 1) for number in (1, -2, 3)]
        batcher.start()
        assert await futures[0] == 10
        with pytest.raises(ValueError, match="-2"):
            await futures[1]
        assert await futures[2] == 30
        await batcher.stop()

        def crash(items: Sequence[int]) -> list[int]:
            raise KeyError("crash")

        batcher = Batcher(crash, words=100, linger=0.0)
        futures = [batcher.submit(number, 1) for number in (1, 2)]
        batcher.start()
        for future in futures:
            with pytest.raises(KeyError):
                await future
        await batcher.stop()

    asyncio.run(run())


def test_stopping_finishes_what_waits():
    async def run() -> list[int]:
        work = Recorder()
        batcher = Batcher(work, words=1, linger=60.0)
        batcher.start()
        futures = [batcher.submit(number, 1) for number in range(5)]
        stopping = asyncio.create_task(batcher.stop())
        work.go.set()
        await stopping
        return await asyncio.gather(*futures)

    assert asyncio.run(run()) == [0, 10, 20, 30, 40]


def test_a_batch_waits_for_as_many_as_came_before_and_not_longer():
    async def run() -> list[list[int]]:
        work = Recorder()
        batcher = Batcher(work, words=100, linger=60.0)
        futures = [batcher.submit(number, 1) for number in (1, 2)]
        work.go.set()
        batcher.start()
        await asyncio.gather(*futures)
        third = batcher.submit(3, 1)
        await asyncio.sleep(0.05)
        assert not third.done()  # its companion could come back within the minute
        await asyncio.gather(third, batcher.submit(4, 1))
        await batcher.stop()
        return work.batches

    assert asyncio.run(run()) == [[1, 2], [3, 4]]


def test_two_threads_share_what_waits():
    async def run() -> list[list[int]]:
        work = Recorder()
        batcher = Batcher(work, words=100, linger=0.0, threads=2)
        futures = [batcher.submit(number, 1) for number in range(8)]
        batcher.start()
        work.go.set()
        assert await asyncio.gather(*futures) == [number * 10 for number in range(8)]
        await batcher.stop()
        return work.batches

    assert sorted(asyncio.run(run())) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_two_threads_work_at_the_same_time():
    both = threading.Barrier(2)

    def work(items: Sequence[int]) -> list[int | Exception]:
        both.wait(60)  # a single thread would wait for ever
        return list(items)

    async def run() -> list[int]:
        batcher = Batcher(work, words=1, linger=0.0, threads=2)
        batcher.start()
        results = await asyncio.gather(*(batcher.submit(number, 1) for number in range(4)))
        await batcher.stop()
        return results

    assert asyncio.run(run()) == [0, 1, 2, 3]
