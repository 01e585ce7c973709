"""Model folders: plain files only, there as a whole or not at all.

model.json         which engine, with which settings, trained on how much
vocabulary.json    the words, in the order of their numbers
tokenizer.json     for subwords
engine/            the engine's own files
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wordalign.errors import ModelError, OutputError
from wordalign.statistical.corpus import Vocabulary

_KIND = "wordalign statistical model 1"
ENGINE = "engine"
TOKENIZER = "tokenizer.json"


def check_target(folder: str | Path) -> Path:
    """The folder to save to, once it is known that nothing else of value is there."""
    path = Path(folder).absolute()
    if not path.parent.is_dir():
        raise OutputError(f"Cannot write {folder}: there is no folder {path.parent}.")
    if path.is_dir() and any(path.iterdir()) and not _is_model(path):
        raise OutputError(f"{folder} holds other files and will not be replaced: choose another folder.")
    if path.exists() and not path.is_dir():
        raise OutputError(f"{folder} is a file; a model is a folder: choose another name.")
    return path


def write_model(
    folder: str | Path, facts: dict[str, Any], vocabularies: tuple[Vocabulary, Vocabulary],
    fill: Callable[[Path], None],
) -> None:  # fmt: skip
    """Write a model beside its place and put it there when it is whole; `fill` adds the engine's files."""
    path = check_target(folder)
    try:
        new = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        try:
            words = [list(vocabulary) for vocabulary in vocabularies]
            (new / "vocabulary.json").write_text(json.dumps({"source": words[0], "target": words[1]}))
            fill(new)
            record = {"kind": _KIND, **facts, "bytes": _sizes(new)}
            (new / "model.json").write_text(json.dumps(record, indent=2) + "\n")
            new.chmod(0o755)
            _put(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"Cannot write {folder}: {error.strerror}.") from error


def read_model(folder: str | Path) -> tuple[dict[str, Any], tuple[Vocabulary, Vocabulary]]:
    """The facts and the words of a model."""
    path = Path(folder)
    if not path.is_dir():
        raise ModelError(
            f"There is no folder {folder}; a model is the folder that --save-model or save made."
        )
    try:
        facts: dict[str, Any] = json.loads((path / "model.json").read_text("utf-8"))
        if facts.get("kind") != _KIND:
            raise ValueError(f"it is of the kind {facts.get('kind')!r}, not {_KIND!r}")
        found = _sizes(path)
        damaged = [name for name, size in facts["bytes"].items() if found.get(name) != size]
        if damaged:
            raise ValueError(f"{damaged[0]} is missing or cut off")
        words = json.loads((path / "vocabulary.json").read_text("utf-8"))
        return facts, (Vocabulary.of(words["source"]), Vocabulary.of(words["target"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"The folder {folder} does not hold a statistical model: {error}") from error


def _sizes(path: Path) -> dict[str, int]:
    """Every file but model.json with its size: engines read a damaged model without a word."""
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != "model.json")
    return {file.relative_to(path).as_posix(): file.stat().st_size for file in files}


def _is_model(path: Path) -> bool:
    try:
        return bool(json.loads((path / "model.json").read_text("utf-8"))["kind"] == _KIND)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _put(new: Path, path: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    path.rename(old / "replaced")
    try:
        new.rename(path)
    except BaseException:
        (old / "replaced").rename(path)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
