"""Model folders: plain files only, which appear whole or not at all.

model.json         which engine, with which settings, trained on how much; checksums of the other files
vocabulary.json    the words, in the order of their numbers
tokenizer.json     for subwords
engine/            the engine's own files
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wordalign.aligners.statistical.corpus import Vocabulary
from wordalign.errors import ModelError
from wordalign.io.whole import refuse_foreign_folder, whole_folder

_KIND, _FORMAT = "wordalign statistical model", 2
ENGINE = "engine"
TOKENIZER = "tokenizer.json"


def check_target(folder: str | Path) -> None:
    """Refuse a folder that could not be written, or that holds other files, before the work begins."""
    refuse_foreign_folder(folder, _made_files)


def write_model(
    folder: str | Path, facts: dict[str, Any], vocabularies: tuple[Vocabulary, Vocabulary],
    fill: Callable[[Path], None],
) -> None:  # fmt: skip
    """Write a model, whole or not at all; `fill` adds the engine's files."""
    with whole_folder(folder, _made_files) as new:
        words = [list(vocabulary) for vocabulary in vocabularies]
        (new / "vocabulary.json").write_text(json.dumps({"source": words[0], "target": words[1]}))
        fill(new)
        (new / ENGINE).chmod(0o755)  # it is a copy of a temporary folder, which is for its owner only
        record = {"kind": f"{_KIND} {_FORMAT}", **facts, "sha256": _checksums(new)}
        (new / "model.json").write_text(json.dumps(record, indent=2) + "\n")


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


def _made_files(path: Path) -> set[str]:
    """The files that belong to the model in a folder."""
    if not _is_model(path):
        return set()
    facts = json.loads((path / "model.json").read_text("utf-8"))
    return {"model.json", *facts.get("sha256", ())}


def _checksums(path: Path) -> dict[str, str]:
    """Every file but model.json with its SHA-256, since engines do not notice a damaged model."""
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
