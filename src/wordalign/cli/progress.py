"""A progress bar on a terminal, nothing in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterator[T], total: int | None, doing: str) -> Iterator[T]:
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return iter(tqdm(items, desc=doing, total=total, unit=" pairs", smoothing=0.1))
