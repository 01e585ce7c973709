"""Items -> results, in order, while others are still being worked on.

    items    a b c d e
    lane 1   a---- c-- e-
    lane 2   b- d--                d waits for the results of a, b and c before it is handed on
    results        a b c d e

Items are taken by whoever asks for results, in that thread; at most `ahead` of them are under way or wait
for their turn, and so the memory stays bounded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")
Tasks: TypeAlias = "SimpleQueue[tuple[Future[R], T] | None]"


def ordered(
    items: Iterable[T],
    lanes: Sequence[Callable[[T], R]],
    ahead: int,
    stop: Callable[[], object] = lambda: None,
) -> Generator[R, None, None]:
    """Each lane is a function that a thread of its own calls with the next item.

    The first error, of a lane or of `items`, is raised after all results before it. At the end, however it
    comes about, `stop` is called (to let go lanes that wait for something), and all threads end.
    """
    tasks: Tasks[R, T] = SimpleQueue()
    threads = [Thread(target=_work, args=(lane, tasks), daemon=True) for lane in lanes]
    waiting: deque[Future[R]] = deque()
    source = _Source(items)
    try:
        for thread in threads:
            thread.start()
        while True:
            # One item for each result at least, and more while there is nothing to hand on.
            while len(waiting) < ahead and source.take():
                future: Future[R] = Future()
                waiting.append(future)
                tasks.put((future, source.item))
                if waiting[0].done():
                    break
            if not waiting:
                break
            yield waiting.popleft().result()
        if source.failure is not None:
            raise source.failure
    finally:
        for future in waiting:
            future.cancel()
        for _ in threads:
            tasks.put(None)
        stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


class _Source(Generic[T]):
    """The items one by one; what ends them early is kept until its turn comes."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)
        self._ended = False
        self.failure: Exception | None = None

    def take(self) -> bool:
        if not self._ended:
            try:
                self.item = next(self._items)
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._ended, self.failure = True, error
        return not self._ended


def _work(lane: Callable[[T], R], tasks: Tasks[R, T]) -> None:
    while (task := tasks.get()) is not None:
        future, item = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(lane(item))
            except BaseException as error:
                future.set_exception(error)
