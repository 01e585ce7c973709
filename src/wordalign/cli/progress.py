"""What a command says on standard error: sentences always, a progress bar on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from wordalign.run.files import Progress

T = TypeVar("T")


def say(message: str) -> None:
    print(f"wordalign: {message}", file=sys.stderr)


def progress(items: Iterator[T], total: int | None, doing: str) -> Iterator[T]:
    """The same items, counted on the terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    return iter(tqdm(items, desc=doing, total=total, unit=" pairs", smoothing=0.1))


class ProgressBar:
    """Shows the `Progress` of a run that it is called with; a new stage gets a new bar."""

    def __init__(self) -> None:
        self._stage = ""
        self._bar: Any = None

    def __call__(self, progress: Progress) -> None:
        if not sys.stderr.isatty():
            return
        if progress.stage != self._stage:
            from tqdm import tqdm

            self._close()
            self._stage = progress.stage
            self._bar = tqdm(
                desc=progress.stage,
                total=progress.total,
                initial=progress.lines,
                unit=" pairs",
                smoothing=0.1,
            )
        else:
            self._bar.update(progress.lines - self._bar.n)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
