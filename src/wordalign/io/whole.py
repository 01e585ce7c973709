"""Files and folders that appear whole or not at all.

This is the only place of the package that puts a file or a folder where it belongs. Everything is written
under a temporary name beside its place first, and takes its place by one rename when all of it is there. A
temporary name is unique, so that two programs that write the same file do not disturb each other, and nothing
that wordalign did not make is ever replaced or deleted.

    with whole_file("eng.npy") as path: ...                a path to write to, which becomes eng.npy
    with whole_folder("both", made_files) as folder: ...   an empty folder to fill, which becomes both/
    write_whole("picture.png", data)                       bytes to a file, or to standard output for "-"

`output.py` writes text lines this way, and keeps the finished ones if the work stops early.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from wordalign.errors import OutputError, UsageError
from wordalign.io.lines import STDIN

# From a folder that is there to the names of the files in it that wordalign made, relative to the folder.
MadeFiles: TypeAlias = Callable[[Path], set[str]]

TEMPORARY = ".tmp"
_KEPT_OF_NAME = 40  # characters: a name may not be longer than 255 bytes


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` when all went well, and is gone otherwise.

    A device or a pipe is never replaced: for these the path itself is given.
    """
    final = final_name(path)
    if is_special(final):
        with explained(path):
            yield final
        return
    temporary = temporary_name(final)
    try:
        with explained(path):
            temporary.touch()
            yield temporary
            _sync(temporary)
            put_in_place(temporary, final)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: str | Path, made_files: MadeFiles) -> Iterator[Path]:
    """An empty folder to fill, which becomes `path` when all went well, and is gone otherwise.

    A folder that is there already is replaced only if every file in it is one that wordalign made.
    """
    refuse_foreign_folder(path, made_files)
    final = Path(path).resolve()
    new = temporary_name(final)
    try:
        with explained(path):
            new.mkdir()
            yield new
            for file in new.rglob("*"):
                if file.is_file():
                    _sync(file)
            refuse_foreign_folder(path, made_files)  # somebody may have put a file there meanwhile
            _exchange(new, final)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a small file at once; `-` is standard output."""
    if str(path) == "-":
        sys.stdout.buffer.write(data)
        return
    with whole_file(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def whole_remote_file(files: Any, path: str) -> Iterator[Any]:
    """A stream to write to, which becomes the file `path` of an Arrow file system when all went well."""
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/{_temporary(name)}"
    files.create_dir(folder, recursive=True)
    try:
        with files.open_output_stream(temporary) as stream:
            yield stream
        files.move(temporary, path)
    except BaseException:
        with suppress(OSError):
            files.delete_file(temporary)
        raise


def put_in_place(temporary: Path, final: Path) -> None:
    """Let a file that is whole take its place, and replace the one that was there."""
    temporary.replace(final)


def put_where_free(temporary: Path, wanted: Path) -> Path:
    """Give a file a name at which there is nothing yet: the wanted one, or that with a number behind it."""
    free, number = wanted, 1
    while free.exists():
        number += 1
        free = wanted.with_name(f"{wanted.name}.{number}")
    return temporary.rename(free)


def refuse_unwritable(path: str | Path) -> None:
    """Raise `OutputError` if a file cannot be written there; nothing is left of the attempt."""
    final = final_name(path)
    if not is_special(final):
        with explained(path):
            temporary = temporary_name(final)
            temporary.touch()
            temporary.unlink()


def refuse_foreign_folder(path: str | Path, made_files: MadeFiles) -> None:
    """Refuse a folder that cannot be written, or that holds a file which wordalign did not make."""
    final = Path(path).resolve()
    _refuse_missing_parent(path)
    if not final.exists():
        return
    if not final.is_dir():
        raise OutputError(f"{path} is a file, where a folder is to be written: choose another name.")
    found = {file.relative_to(final).as_posix() for file in final.rglob("*") if not file.is_dir()}
    if foreign := sorted(found - made_files(final)) if found else []:
        raise OutputError(
            f"{path} holds {foreign[0]}, which was not made by this command, and will not be replaced: move "
            "it away first, or choose another folder."
        )


def final_name(path: str | Path) -> Path:
    """The file itself: where `path` is a symbolic link, the file behind it is replaced, and not the link."""
    named = Path(path)
    if named.is_dir():
        raise OutputError(f"{path} is a directory; give a file to write to.")
    # A pipe has no other name than the link /dev/fd/63, /dev/stdout … that leads to it.
    return named if is_special(named) else named.resolve()


def is_special(path: Path) -> bool:
    """Whether the path is a device or a pipe, which is written to and never replaced."""
    return path.exists() and not path.is_file()


def temporary_name(final: Path) -> Path:
    """A hidden name beside the place, which nobody else uses."""
    return final.with_name(_temporary(final.name))


def remove_abandoned(final: Path) -> None:
    """Delete the temporary files of `final` that a killed process has left.

    The caller must know that nobody else is writing the file.
    """
    ours = re.compile(re.escape(f".{final.name[:_KEPT_OF_NAME]}.") + f"[0-9a-f]{{12}}{re.escape(TEMPORARY)}")
    for path in final.parent.iterdir():
        if ours.fullmatch(path.name) and path.is_file():
            path.unlink(missing_ok=True)


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Turn an `OSError` of the block into an `OutputError` that names `path`."""
    try:
        yield
    except BrokenPipeError:
        raise  # a reader that has seen enough is no failure
    except OSError as error:
        raise as_output_error(error, path) from error


def as_output_error(error: OSError, path: str | Path) -> OutputError:
    """What went wrong with the file system, in a sentence about `path`."""
    folder = Path(path).parent
    if isinstance(error, FileNotFoundError) and not folder.exists():
        explanation = OutputError(f"Cannot write {path}: there is no folder {folder}.")
    else:
        explanation = OutputError(f"Cannot write {path}: {error.strerror or error}.")
    for note in getattr(error, "__notes__", []):
        explanation.add_note(note)
    return explanation


def _temporary(name: str) -> str:
    return f".{name[:_KEPT_OF_NAME]}.{uuid.uuid4().hex[:12]}{TEMPORARY}"


def _exchange(new: Path, final: Path) -> None:
    """Put a folder in its place. The one that was there is deleted only when the new one has taken over."""
    if not final.exists():
        new.rename(final)
        return
    old = temporary_name(final)
    final.rename(old)
    try:
        new.rename(final)
    except BaseException:
        old.rename(final)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    with path.open("rb+" if os.name == "nt" else "rb") as stream:
        os.fsync(stream.fileno())


def _refuse_missing_parent(path: str | Path) -> None:
    if not Path(path).absolute().parent.is_dir():
        raise OutputError(f"Cannot write {path}: there is no folder {Path(path).parent}.")


def refuse_overwriting(output: str | Path | None, files: Iterable[str]) -> None:
    """Refuse an output that is one of the input files."""
    if output is None or not Path(output).exists():
        return
    for file in files:
        if Path(file).exists() and Path(file).samefile(output):
            raise UsageError(f"{output} is an input too and would be overwritten: choose another output.")


def refuse_bad_outputs(outputs: Iterable[str | Path | None], files: Iterable[str]) -> None:
    """Refuse what would fail at the end of a long run, or lose something.

    That is an input as an output, one file as two outputs, and a place that cannot be written. None and `-`
    stand for no file.
    """
    files = list(files)
    seen: set[Path] = set()
    for output in outputs:
        if output is None or str(output) == STDIN:
            continue
        refuse_overwriting(output, files)
        refuse_unwritable(output)
        final = final_name(output)
        if final in seen and not is_special(final):
            raise UsageError(f"{output} is to be written twice: give the output and the report a file each.")
        seen.add(final)
