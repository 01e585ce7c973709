"""Vectors to disk, in the format the file's name asks for, whole or not at all.

.vec, .vec.gz   text as fastText writes it: `words dimensions`, then a word and its numbers a line
.npy            numbers only, ready to be mapped into memory; the words lie beside it in NAME.words
"""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from wordalign.encoders.static.vectors import Vectors
from wordalign.errors import OutputError, UsageError

WRITABLE = (".vec", ".vec.gz", ".npy")


def write_vectors(path: str | Path, vectors: Vectors) -> None:
    path = Path(path)
    if path.suffix == ".npy":
        with whole_file(words_beside(path)) as words, whole_file(path) as numbers:
            write_words(words, vectors.words)
            write_array(numbers, vectors.matrix)
    elif path.name.endswith((".vec", ".vec.gz")):
        with whole_file(path) as partial:
            _write_text(partial, vectors, gzip.open if path.suffix == ".gz" else open)
    else:
        raise UsageError(f"Vectors are written as {', '.join(WRITABLE)}, not as {path.name!r}.")


def words_beside(path: Path) -> Path:
    """Where the words of a .npy file are: eng.npy -> eng.words."""
    return path.with_suffix(".words")


def write_words(path: Path, words: Iterable[str]) -> None:
    """A word a line; only a line feed ends a line."""
    with path.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.writelines(f"{word}\n" for word in words)


def write_array(path: Path, matrix: Any) -> None:
    """A .npy file under whatever name; numpy itself would append one."""
    with path.open("wb") as stream:
        np.save(stream, matrix, allow_pickle=False)


def _write_text(path: Path, vectors: Vectors, opener: Callable[..., IO[str]]) -> None:
    with opener(path, "wt", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(f"{len(vectors.words)} {vectors.dimensions}\n")
        for word, row in zip(vectors.words, vectors.matrix, strict=True):
            stream.write(f"{word} {' '.join([f'{value:.6g}' for value in row.tolist()])}\n")


@contextmanager
def whole_file(path: Path, put: bool = True) -> Iterator[Path]:
    """A path to write to, which becomes `path` when all went well and is gone otherwise."""
    if path.is_dir():
        raise OutputError(f"{path} is a directory; give a file to write to.")
    _refuse_missing_parent(path)
    partial = path.with_name(path.name + ".partial")
    try:
        partial.touch()
        yield partial
        with partial.open("rb+") as stream:
            os.fsync(stream.fileno())
        if put:
            partial.replace(path)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path, marker: str) -> Iterator[Path]:
    """The same for a folder. One that is there is replaced only if it holds the file `marker`."""
    refuse_foreign_folder(path, marker)
    partial, old = path.with_name(path.name + ".partial"), path.with_name(path.name + ".old")
    try:
        _remove(partial)
        partial.mkdir()
        yield partial
        _remove(old)
        if path.exists():
            path.rename(old)
        partial.rename(path)
        _remove(old)
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {error.strerror}.") from error
    finally:
        _remove(partial)


def refuse_foreign_folder(path: Path, marker: str) -> None:
    if path.exists() and not (path / marker).is_file() and (not path.is_dir() or any(path.iterdir())):
        raise OutputError(f"{path} is there already and was not made by this command: choose another folder.")
    _refuse_missing_parent(path)


def refuse_unwritable(path: Path) -> None:
    """Try to make a file there; nothing is left of it."""
    with whole_file(path, put=False):
        pass


def _refuse_missing_parent(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise OutputError(f"Cannot write {path}: there is no folder {path.parent}.")


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
