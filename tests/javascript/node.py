"""The npm package as the tests use it: put together from the installed Python package, and run in Node.

Where there is no Node, or where `npm ci` was not run in js/, these tests are skipped; `make test` runs it
where it can.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
MODULES = ROOT / "js/node_modules"
RUNTIME = MODULES / "onnxruntime-web/dist"
NODE = shutil.which("node")

Answers = Callable[..., dict[str, Any]]


def needs_runtime() -> None:
    if not RUNTIME.is_dir():
        pytest.skip("onnxruntime-web is not here: npm ci --prefix js")


def needs_node() -> None:
    if NODE is None:
        pytest.skip("no Node on this machine")
    needs_runtime()


def shipped_pairs() -> list[tuple[str, str, str]]:
    """Language and two texts, in 62 languages."""
    lines = (HERE / "pairs.tsv").read_text("utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]


def corpus_pairs(count: int) -> list[tuple[str, str, str]]:
    """The same from the files eng-LANGUAGE.tsv.xz of the folder WORDALIGN_TEXT, in equal shares."""
    folder = os.environ.get("WORDALIGN_TEXT")
    files = sorted(Path(folder).glob("eng-*.tsv.xz")) if folder else []
    if len(files) < 30:
        pytest.skip("no text of 30 languages here: set WORDALIGN_TEXT to a folder of eng-LANGUAGE.tsv.xz")
    return [pair for file in files for pair in islice(_pairs_of(file), -(-count // len(files)))]


def _pairs_of(file: Path) -> Iterator[tuple[str, str, str]]:
    import lzma

    with lzma.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            source, target, *_ = line.rstrip("\n").split("\t")
            yield file.name.removeprefix("eng-").partition(".")[0], source, target
