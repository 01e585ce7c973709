"""A progress bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterator[T], total: int | None, doing: str) -> Iterator[T]:
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return iter(tqdm(items, desc=doing, total=total, unit=" pairs", smoothing=0.1))


@contextmanager
def progress_bar(total: int | None, doing: str, done: int = 0) -> Iterator[Callable[[int], object]]:
    """A function to call with the number of pairs that were just finished."""
    if not sys.stderr.isatty():
        yield lambda pairs: None
        return
    from tqdm import tqdm

    with tqdm(desc=doing, total=total, initial=done, unit=" pairs", smoothing=0.1) as bar:
        yield bar.update
