from __future__ import annotations

import os
import sys

import pytest

from wordalign.errors import OutputError
from wordalign.io import open_output, read_lines


def stop_after_a_line(path) -> KeyboardInterrupt:
    try:
        with open_output(path) as write:
            write("0-0")
            raise KeyboardInterrupt
    except KeyboardInterrupt as stopped:
        return stopped


def write_all(path, lines) -> None:
    with open_output(path) as write:
        for line in lines:
            write(line)


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "links.txt"
    with open_output(path) as write:
        write("0-0")
        assert not path.exists()
        write("")
    assert path.read_bytes() == b"0-0\n\n"
    assert list(tmp_path.iterdir()) == [path]


def test_after_a_failure_the_old_file_and_the_finished_lines_are_there(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("old\n")
    caught = stop_after_a_line(path)
    assert path.read_text() == "old\n"
    assert (tmp_path / "links.txt.partial").read_text() == "0-0\n"
    assert "links.txt.partial" in caught.__notes__[0]


def test_lines_that_were_kept_before_are_not_overwritten(tmp_path):
    (tmp_path / "links.txt.partial").write_text("years of work\n")
    caught = stop_after_a_line(tmp_path / "links.txt")
    assert (tmp_path / "links.txt.partial").read_text() == "years of work\n"
    assert (tmp_path / "links.txt.partial.2").read_text() == "0-0\n"
    assert "links.txt.partial.2" in caught.__notes__[0]


def test_a_failure_before_the_first_line_leaves_nothing(tmp_path):
    with pytest.raises(ValueError, match="early"), open_output(tmp_path / "links.txt"):
        raise ValueError("early")
    assert list(tmp_path.iterdir()) == []


def test_a_directory_or_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(OutputError, match="is a directory"), open_output(tmp_path):
        pass
    with pytest.raises(OutputError, match="Cannot write"), open_output(tmp_path / "no" / "links.txt"):
        pass


def test_a_full_disk_is_an_output_error():
    with pytest.raises(OutputError, match="/dev/full"), open_output("/dev/full") as write:
        write("x" * 100_000)


def test_closed_standard_output_is_explained(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(OutputError, match="Standard output is closed"), open_output(None):
        pass


def test_lone_surrogates_do_not_lose_the_line(tmp_path):
    with open_output(tmp_path / "o") as write:
        write("a\ud800b")
    assert (tmp_path / "o").read_bytes() == b"a?b\n"


def test_a_special_file_is_written_to_and_never_replaced(pipe):
    """A pipe of our own: where this fails, a device of the machine would be lost."""
    with pipe.reading() as read, open_output(pipe.path) as write:
        write("0-0")
    assert read() == b"0-0\n"
    assert pipe.path.is_fifo()
    assert [path.name for path in pipe.path.parent.iterdir()] == [pipe.path.name]


def test_behind_a_link_the_file_is_replaced_and_not_the_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_output(tmp_path / "link") as write:
        write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new\n"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_what_a_full_disk_leaves_can_be_read(tmp_path, suffix, full_after):
    lines = [f"{number * 7919 % 97}-{number * 104729 % 89}" for number in range(400)]
    path, partial = tmp_path / f"o{suffix}", tmp_path / f"o{suffix}.partial"
    for size in range(1, 200, 31):
        with full_after(size), pytest.raises(OutputError, match="Cannot write"):
            write_all(path, lines)
        assert not path.exists()
        if partial.exists():
            kept = list(read_lines(partial.rename(tmp_path / f"kept{suffix}")))
            assert kept == lines[: len(kept)]


def test_a_pipe_is_written_to_by_the_name_of_its_end():
    """What a shell gives for >(command)."""
    reader, writer = os.pipe()
    with open_output(f"/dev/fd/{writer}") as write:
        write("0-0")
    os.close(writer)
    with os.fdopen(reader) as stream:
        assert stream.read() == "0-0\n"
