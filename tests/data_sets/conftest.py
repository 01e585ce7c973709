from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from data_sets.file_server import FileServer, serving

WORDALIGN_DATA = os.environ.get("WORDALIGN_DATA")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and nothing else that the machine may have."""
    monkeypatch.delenv("WORDALIGN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "xdg" / "wordalign" / "data"


@pytest.fixture
def server() -> Iterator[FileServer]:
    with serving() as running:
        yield running


@pytest.fixture(scope="session")
def data_folder(request: pytest.FixtureRequest) -> Path:
    """A folder with the real sets, where the machine has one."""
    return Path(WORDALIGN_DATA) if WORDALIGN_DATA else request.getfixturevalue("gold_folder").parent
