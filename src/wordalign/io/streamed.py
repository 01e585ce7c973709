"""Output of a run to where it cannot be gone on with: standard output, a pipe, a device."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from wordalign.io.errors import error_line
from wordalign.io.output import WriteLine, open_output
from wordalign.io.records import LineError, Record


class StreamedOutput:
    """Used like `ResumableOutput`; a reader at the other end of a pipe gets each chunk when it is done."""

    overwrites = 0

    def __init__(self, path: str | Path | None, errors: str | Path | None = None) -> None:
        self._path, self._errors = path, errors
        self.records = self.failed = 0

    def finished(self) -> bool:
        return False

    def verify(self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]) -> None:
        """Nothing: a stream is never finished before."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._write: WriteLine = stack.enter_context(open_output(self._path))
            if self._errors is not None:
                self._write_error: WriteLine = stack.enter_context(open_output(self._errors))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def start(
        self, settings: Mapping[str, Any], records: Iterable[Record], names: Sequence[str]
    ) -> Iterator[Record]:
        return iter(records)

    def watch(self, chunks: Iterable[list[Record]]) -> Iterator[list[Record]]:
        return iter(chunks)

    def write(self, lines: Sequence[str], errors: Sequence[LineError] = ()) -> None:
        for line in lines:
            self._write(line)
        if self._path in (None, "-"):
            sys.stdout.flush()
        for error in errors:
            self._write_error(error_line(error))
        self.records += len(lines)
        self.failed += len(errors)
