"""Files and folders appear whole or not at all, and what wordalign did not make stays as it was."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

import wordalign
from wordalign.errors import OutputError
from wordalign.io.whole import (
    explained,
    put_where_free,
    refuse_unwritable,
    remove_abandoned,
    temporary_name,
    whole_file,
    whole_folder,
    whole_remote_file,
    write_whole,
)

PACKAGE = Path(wordalign.__file__).parent


def made_files(folder: Path) -> set[str]:
    try:
        return {"made.json", *json.loads((folder / "made.json").read_text())}
    except OSError:
        return set()


def write_folder(folder: Path, text: str, fail: bool = False) -> None:
    with whole_folder(folder, made_files) as new:
        (new / "inner").mkdir()
        (new / "inner" / "text").write_text(text)
        (new / "made.json").write_text('["inner/text"]')
        if fail:
            raise KeyboardInterrupt


def everything(folder: Path) -> dict[str, str]:
    return {
        file.relative_to(folder).as_posix(): file.read_text() for file in folder.rglob("*") if file.is_file()
    }


def test_a_file_is_there_when_it_is_whole_and_not_before(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
    assert everything(tmp_path) == {"file": "new"}
    with pytest.raises(ValueError, match="half"), whole_file(path):
        raise ValueError("half")
    assert everything(tmp_path) == {"file": "new"}


def test_two_writers_of_the_same_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as one, whole_file(path) as other:
        other.write_text("other")
        one.write_text("one")
    assert everything(tmp_path) == {"file": "one"}


def test_pipes_and_links_are_not_replaced(tmp_path, pipe):
    """A pipe of our own: where this fails, a device of the machine would be lost."""
    with pipe.reading() as read:
        write_whole(pipe.path, b"x")
    assert read() == b"x"
    assert pipe.path.is_fifo()
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_long_and_foreign_names(tmp_path):
    for name in ("x" * 255, "長" * 85):
        write_whole(tmp_path / name, b"x")
        assert (tmp_path / name).read_bytes() == b"x"


def test_what_cannot_be_written_is_a_sentence(tmp_path, full_after):
    with pytest.raises(OutputError, match="is a directory"):
        write_whole(tmp_path, b"")
    with pytest.raises(OutputError, match=r"there is no folder .*/no\."):
        refuse_unwritable(tmp_path / "no" / "file")
    with pytest.raises(OutputError, match=r"there is no folder .*/no\."):
        write_folder(tmp_path / "no" / "both", "1")
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file, where a folder"):
        write_folder(tmp_path / "file", "1")
    with full_after(10), pytest.raises(OutputError, match=r"Cannot write .*/other: File too large"):
        write_whole(tmp_path / "other", b"x" * 11)
    refuse_unwritable(tmp_path / "other")
    assert everything(tmp_path) == {"file": ""}


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "both"
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, "1", fail=True)
    assert not list(tmp_path.iterdir())
    write_folder(folder, "1")
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, "2", fail=True)
    assert everything(folder)["inner/text"] == "1"
    write_folder(folder, "2")
    assert [path.name for path in tmp_path.iterdir()] == ["both"]
    assert everything(folder)["inner/text"] == "2"


def test_a_folder_that_cannot_take_its_place_leaves_the_old_one(tmp_path, monkeypatch):
    folder = tmp_path / "both"
    write_folder(folder, "1")
    renames = []
    rename = Path.rename

    def second_fails(path, target):
        renames.append(path)
        if len(renames) == 2:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", second_fails)
    with pytest.raises(OutputError, match="Input/output error"):
        write_folder(folder, "2")
    assert everything(tmp_path)["both/inner/text"] == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["both"]


def test_neighbours_of_a_folder_are_left_alone(tmp_path):
    """Once, both.old and both.partial were taken for leftovers and deleted."""
    for name in ("both.old", "both.partial"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.txt").write_text("years of work")
    write_folder(tmp_path / "both", "1")
    write_folder(tmp_path / "both", "2")
    assert everything(tmp_path / "both.old") == everything(tmp_path / "both.partial")
    assert everything(tmp_path / "both.old") == {"thesis.txt": "years of work"}


@pytest.mark.parametrize("where", ["", "inner"])
def test_a_folder_with_files_of_others_is_not_replaced(tmp_path, where):
    folder = tmp_path / "both"
    folder.mkdir()
    write_folder(folder, "1")  # an empty folder is
    (folder / where / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match=r"thesis\.txt, which was not made by this command"):
        write_folder(folder, "2")
    assert (folder / where / "thesis.txt").read_text() == "years of work"
    assert (folder / "inner" / "text").read_text() == "1"


def test_files_of_others_are_seen_before_the_work_and_after_it(tmp_path):
    folder = tmp_path / "both"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="was not made"), whole_folder(folder, made_files):
        raise AssertionError("the work began")
    (folder / "thesis.txt").unlink()
    with pytest.raises(OutputError, match="was not made"), whole_folder(folder, made_files):
        (folder / "thesis.txt").write_text("years of work")
    assert everything(tmp_path) == {"both/thesis.txt": "years of work"}


def test_what_was_written_is_on_the_disk_before_it_takes_its_place(tmp_path, monkeypatch):
    steps = []
    fsync, replace, rename = os.fsync, Path.replace, Path.rename
    monkeypatch.setattr(os, "fsync", lambda number: (steps.append("sync"), fsync(number)))
    monkeypatch.setattr(Path, "replace", lambda path, to: (steps.append("place"), replace(path, to)))
    monkeypatch.setattr(Path, "rename", lambda path, to: (steps.append("place"), rename(path, to)))
    write_whole(tmp_path / "file", b"x")
    assert steps == ["sync", "place"]
    write_folder(tmp_path / "both", "1")
    assert steps[2:] == ["sync", "sync", "place"]  # of two files


def test_a_reader_that_has_seen_enough_is_no_failure_to_write():
    with pytest.raises(BrokenPipeError), explained("links.txt"):
        raise BrokenPipeError


def test_a_file_on_another_file_system_is_whole_or_gone(tmp_path):
    fs = pytest.importorskip("pyarrow.fs")
    files, path = fs.LocalFileSystem(), tmp_path / "new" / "part"
    with whole_remote_file(files, str(path)) as stream:
        stream.write(b"whole")
        assert not path.exists()
    with pytest.raises(ValueError, match="half"), whole_remote_file(files, str(path)):
        raise ValueError("half")
    assert everything(tmp_path) == {"new/part": "whole"}


def test_a_name_at_which_something_is_is_not_taken(tmp_path):
    (tmp_path / "o.partial").write_text("mine")
    (tmp_path / "o.partial.2").write_text("mine too")
    (tmp_path / "new").write_text("new")
    assert put_where_free(tmp_path / "new", tmp_path / "o.partial").name == "o.partial.3"
    assert everything(tmp_path) == {"o.partial": "mine", "o.partial.2": "mine too", "o.partial.3": "new"}


def test_only_temporary_files_of_the_same_name_are_abandoned(tmp_path):
    kept = [
        ".o.tmp",
        ".o.0123456789ab.tmpx",
        ".o.0123456789AB.tmp",
        ".oo.0123456789ab.tmp",
        "o.tmp",
        ".o.x.tmp",
    ]
    for name in kept:
        (tmp_path / name).touch()
    temporary_name(tmp_path / "o").touch()
    remove_abandoned(tmp_path / "o")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def renames_in(source: str) -> list[int]:
    """The lines of calls that put a file in another place, or delete a folder."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            module = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            one_argument = len(node.args) == 1 and not node.keywords  # str.replace has two
            if (
                (name == "replace" and (one_argument or module == "os"))
                or name in ("rename", "renames", "rmtree", "mkdtemp", "mkstemp")
                or (name == "move" and len(node.args) == 2)
            ):
                found.append(node.lineno)
    return found


def test_whole_is_the_only_place_that_puts_files_in_place():
    found = {
        str(path.relative_to(PACKAGE)): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := renames_in(path.read_text("utf-8")))
    }
    assert list(found) == ["io/whole.py"]


@pytest.mark.parametrize(
    "source",
    [
        "os.replace(a, b)",
        "a.replace(b)",
        "a.rename(b)",
        "shutil.move(a, b)",
        "shutil.rmtree(a)",
        "os.rename(a, b)",
    ],
)
def test_a_rename_would_be_found(source):
    assert renames_in(source) == [1]
    assert renames_in('text.replace("a", "b")\nreplace(job, null=1)') == []
