from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread

import pytest


class Pipe:
    """A named pipe, which is read while somebody writes to it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "pipe"
        os.mkfifo(self.path)

    @contextmanager
    def reading(self) -> Iterator[Callable[[], bytes]]:
        found: list[bytes] = []
        reader = Thread(target=lambda: found.append(self.path.read_bytes()), daemon=True)
        reader.start()

        def read() -> bytes:
            reader.join(10)
            return found[0]

        yield read


@pytest.fixture
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Pipe:
    return Pipe(tmp_path_factory.mktemp("pipe"))


@contextmanager
def _limited(size: int) -> Iterator[None]:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def full_after() -> Callable[[int], AbstractContextManager[None]]:
    """`with full_after(1000):` no file can grow beyond 1,000 bytes, as if the disk were full."""
    return _limited
