"""Model folders: plain files only, there as a whole or not at all.

model.json         which engine, with which settings, trained on how much; checksums of the other files
vocabulary.json    the words, in the order of their numbers
tokenizer.json     for subwords
engine/            the engine's own files
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wordalign.aligners.statistical.corpus import Vocabulary
from wordalign.errors import ModelError, OutputError

_KIND, _FORMAT = "wordalign statistical model", 2
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
            record = {"kind": f"{_KIND} {_FORMAT}", **facts, "sha256": _checksums(new)}
            (new / "model.json").write_text(json.dumps(record, indent=2) + "\n")
            for private in (new, new / ENGINE):  # temporary folders are for their owner only
                private.chmod(0o755)
            _put(new, path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"Cannot write {folder}: {error.strerror}.") from error


def read_model(folder: str | Path) -> tuple[dict[str, Any], tuple[Vocabulary, Vocabulary]]:
    """The facts and the words of a model."""
    path = Path(folder)
    if not _is_model(path):
        what = "does not hold a statistical model" if path.is_dir() else "is no folder"
        raise ModelError(f"{folder} {what}: give the folder that --save-model or save made.")
    try:
        facts: dict[str, Any] = json.loads((path / "model.json").read_text("utf-8"))
        if facts["kind"] != f"{_KIND} {_FORMAT}":
            raise ValueError(f"another version of wordalign wrote it, {facts.get('wordalign')}")
        found = _checksums(path)
        damaged = [name for name, checksum in facts["sha256"].items() if found.get(name) != checksum]
        if damaged:
            raise ValueError(f"{damaged[0]} is missing or damaged")
        words = json.loads((path / "vocabulary.json").read_text("utf-8"))
        return facts, (Vocabulary.of(words["source"]), Vocabulary.of(words["target"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"The model in {folder} cannot be used ({error}): train it again.") from error


def _checksums(path: Path) -> dict[str, str]:
    """Every file but model.json with its SHA-256: engines read a damaged model without a word."""
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name != "model.json")
    return {file.relative_to(path).as_posix(): _sha256(file) for file in files}


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_model(path: Path) -> bool:
    try:
        kind: str = json.loads((path / "model.json").read_text("utf-8"))["kind"]
        return kind.startswith(f"{_KIND} ")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
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
