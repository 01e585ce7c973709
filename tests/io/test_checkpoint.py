"""A run that is killed at any moment is gone on with as if nothing had happened."""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError, OutputError, UsageError
from wordalign.io import checkpoint, read_lines
from wordalign.io.checkpoint import Digests, ResumableOutput
from wordalign.io.records import LineError, Records
from wordalign.parallel import cut

SETTINGS = {"wordalign": "1", "--format": "pharaoh"}


def text_of(lines: int) -> str:
    return "".join(f"line {number} {'x' * (number * 7 % 23)}\n" for number in range(1, lines + 1))


def work(folder: Path, name: str, moment=lambda: None, *, resume=True, errors=True, settings=SETTINGS) -> int:
    """A run without a model: a line for each line, an error for every seventh."""
    files = [str(folder / "input.txt")]
    output = ResumableOutput(folder / name, folder / "errors.jsonl" if errors else None, resume=resume)
    if output.finished():
        output.verify(settings, Records(files), files)
        return output.failed
    with output:
        rest = output.start(settings, Records(files), files)
        moment()
        for chunk in output.watch(cut(rest, 5)):
            bad = [LineError(record.number, "bad") for record in chunk if record.number % 7 == 0]
            output.write([record.lines[0].decode().upper() for record in chunk], bad)
            moment()
    return output.failed


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """A state after every chunk, a part of compressed output after two or three."""
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)
    monkeypatch.setattr(checkpoint, "FRAME_TEXT", 250)


class Moments:
    """Copies the folder before every change of a file that the run makes: what a kill would leave."""

    def __init__(self, folder: Path, copies: Path, monkeypatch) -> None:
        self.folder, self.copies, self.count = folder, copies, 0
        for module, name in ((os, "fsync"), (os, "truncate"), (Path, "replace"), (Path, "unlink")):
            self._watch(monkeypatch, module, name)

    def __call__(self) -> None:
        self.count += 1
        shutil.copytree(self.folder, self.copies / str(self.count))

    def _watch(self, monkeypatch, module, name: str) -> None:
        original = getattr(module, name)

        def watched(*arguments, **options):
            self()
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, watched)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_from_every_moment_on_the_result_is_the_same_bytes(tmp_path, monkeypatch, suffix):
    folder, copies = tmp_path / "run", tmp_path / "copies"
    folder.mkdir()
    copies.mkdir()
    (folder / "input.txt").write_text(text_of(72))
    with monkeypatch.context() as watching:
        moments = Moments(folder, copies, watching)
        assert work(folder, f"out{suffix}", moments) == 10
    names = ["errors.jsonl", "input.txt", f"out{suffix}", f"out{suffix}.state"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert list(read_lines(folder / f"out{suffix}")) == text_of(72).upper().splitlines()
    assert moments.count > 40
    monkeypatch.setattr(checkpoint, "SECONDS", 1000.0)
    for copy in copies.iterdir():
        assert work(copy, f"out{suffix}") == 10
        assert sorted(path.name for path in copy.iterdir()) == names, copy
        for name in names:
            assert (copy / name).read_bytes() == (folder / name).read_bytes(), (copy, name)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_work_that_is_done_is_not_done_again(tmp_path, suffix):
    (tmp_path / "input.txt").write_text(text_of(200))
    steps = []

    def stop_in_the_middle() -> None:
        steps.append(1)
        if len(steps) == 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        work(tmp_path, f"out{suffix}", stop_in_the_middle)
    assert "--resume goes on after line" in caught.value.__notes__[-1]
    before = len(steps)
    work(tmp_path, f"out{suffix}", lambda: steps.append(1))
    assert len(steps) - before <= 40 - 20 + 2
    assert list(read_lines(tmp_path / f"out{suffix}")) == text_of(200).upper().splitlines()


def interrupt(folder: Path, name: str = "out") -> None:
    count = iter(range(8))

    def stop() -> None:
        if next(count) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work(folder, name, stop)


def everything(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("line 3 ", "line 4 "), "changed since .* in the first 30 lines"),
        (lambda text: text[: text.index("line 6 ")], "30 lines had been read, and now there are"),
        (lambda text: "", "now there are 0"),
    ],
)
def test_another_input_is_refused_and_nothing_is_lost(tmp_path, change, message):
    (tmp_path / "input.txt").write_text(text_of(72))
    interrupt(tmp_path)
    (tmp_path / "input.txt").write_text(change(text_of(72)))
    before = everything(tmp_path)
    with pytest.raises(InputError, match=message):
        work(tmp_path, "out")
    assert everything(tmp_path) == before
    work(tmp_path, "out", resume=False)
    assert (tmp_path / "out").read_text() == change(text_of(72)).upper()


def test_other_settings_are_refused_by_name_and_nothing_is_lost(tmp_path):
    (tmp_path / "input.txt").write_text(text_of(72))
    interrupt(tmp_path)
    before = everything(tmp_path)
    for changed, message in (
        ({"wordalign": "2"}, 'wordalign was "1" and is now "2"'),
        ({"--format": "tsv"}, '--format was "pharaoh" and is now "tsv"'),
        ({"--raw": True}, "--raw was not set and is now true"),
    ):
        with pytest.raises(UsageError, match=message):
            work(tmp_path, "out", settings={**SETTINGS, **changed})
        assert everything(tmp_path) == before


def test_what_follows_the_lines_done_may_change(tmp_path):
    """A bad line ends a run; it is mended, and the run goes on."""
    (tmp_path / "input.txt").write_text(text_of(72))
    interrupt(tmp_path)
    mended = text_of(72).replace("line 50 ", "line fifty ")
    (tmp_path / "input.txt").write_text(mended)
    work(tmp_path, "out")
    assert (tmp_path / "out").read_text() == mended.upper()


def test_the_last_chunk_before_an_error_in_the_input_is_not_counted_on(tmp_path):
    """It is shorter than it would be without the error; all chunks and parts after it would lie elsewhere."""
    source, result = tmp_path / "input.txt", tmp_path / "out.gz"
    packed = gzip.compress(text_of(72).encode(), compresslevel=0)
    source.write_bytes(packed)
    work(tmp_path, result.name)
    expected = result.read_bytes()
    for end in range(100, len(packed), 53):
        result.unlink()
        source.write_bytes(packed[:end])
        with pytest.raises(InputError, match="cut off"):
            work(tmp_path, result.name)
        source.write_bytes(packed)
        work(tmp_path, result.name)
        assert result.read_bytes() == expected, end


def test_a_partial_file_that_was_tampered_with_is_refused(tmp_path):
    (tmp_path / "input.txt").write_text(text_of(72))
    interrupt(tmp_path)
    (tmp_path / "out.partial").write_text("short\n")
    with pytest.raises(OutputError, match="is shorter than when the run was interrupted"):
        work(tmp_path, "out")
    (tmp_path / "out.state").write_text("{")
    with pytest.raises(OutputError, match="does not say how far"):
        work(tmp_path, "out")


def test_a_finished_output_is_refused_unless_it_was_made_from_the_same(tmp_path):
    source = tmp_path / "input.txt"
    source.write_text(text_of(72))
    work(tmp_path, "out")
    before = everything(tmp_path)
    assert work(tmp_path, "out", lambda: pytest.fail("nothing is left to do")) == 10
    with pytest.raises(UsageError, match=r'out was made with other settings: --format was "pharaoh"'):
        work(tmp_path, "out", settings={**SETTINGS, "--format": "tsv"})
    for changed in (text_of(73), text_of(71), text_of(72).replace("line 70 ", "line 7 ")):
        source.write_text(changed)
        with pytest.raises(InputError, match=r"input\.txt changed since .*out was made"):
            work(tmp_path, "out")
    source.write_text(text_of(72))
    assert everything(tmp_path) == before
    (tmp_path / "out").write_text("something else\n")
    with pytest.raises(UsageError, match="not known what it was made from"):
        work(tmp_path, "out")
    work(tmp_path, "out", resume=False)
    assert "out.state" not in everything(tmp_path)
    with pytest.raises(UsageError, match="not known what it was made from"):
        work(tmp_path, "out")
    (tmp_path / "out").unlink()
    work(tmp_path, "out")
    assert everything(tmp_path) == before


def test_a_new_run_that_is_killed_at_once_leaves_the_finished_output(tmp_path):
    """The partial file is there already, and the state still speaks of the finished output."""
    (tmp_path / "input.txt").write_text(text_of(72))
    work(tmp_path, "out")
    (tmp_path / "out.partial").touch()
    assert work(tmp_path, "out", lambda: pytest.fail("nothing is left to do")) == 10


@pytest.mark.parametrize("name", ["out.partial", "out.state", "errors.jsonl.partial"])
@pytest.mark.parametrize("resume", [True, False])
def test_files_of_others_are_left_alone(tmp_path, name, resume):
    (tmp_path / "input.txt").write_text(text_of(72))
    (tmp_path / name).write_text("years of work")
    before = everything(tmp_path)
    with pytest.raises(OutputError, match=f"{name} (exists|does not say)"):
        work(tmp_path, "out", resume=resume)
    assert everything(tmp_path) == before


def test_a_failure_in_the_first_chunk_leaves_what_the_next_run_may_overwrite(tmp_path):
    (tmp_path / "input.txt").write_text(text_of(72))
    count = iter(range(3))

    def stop() -> None:
        if next(count) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work(tmp_path, "out", stop, resume=False)
    work(tmp_path, "out", resume=False)
    assert (tmp_path / "out").read_text() == text_of(72).upper()


def test_two_runs_do_not_write_the_same_file(tmp_path):
    (tmp_path / "input.txt").write_text(text_of(72))

    def meanwhile() -> None:
        with pytest.raises(OutputError, match="Another run is writing"):
            work(tmp_path, "out")

    work(tmp_path, "out", meanwhile)
    assert (tmp_path / "out").read_text() == text_of(72).upper()


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
def test_a_full_disk_at_any_byte_is_a_sentence_and_the_run_goes_on(tmp_path, suffix, full_after):
    (tmp_path / "input.txt").write_text(text_of(72))
    work(tmp_path, f"out{suffix}", errors=False)
    whole = (tmp_path / f"out{suffix}").read_bytes()
    for size in range(200, len(whole), len(whole) // 13):
        (tmp_path / f"out{suffix}").unlink()
        with full_after(size), pytest.raises(OutputError, match="Cannot write"):
            work(tmp_path, f"out{suffix}", errors=False)
        if (tmp_path / f"out{suffix}.partial").exists():
            (tmp_path / f"out{suffix}.partial").rename(tmp_path / f"kept{suffix}")
            kept = list(read_lines(tmp_path / f"kept{suffix}"))
            assert kept == text_of(72).upper().splitlines()[: len(kept)]
            (tmp_path / f"kept{suffix}").rename(tmp_path / f"out{suffix}.partial")
        work(tmp_path, f"out{suffix}", errors=False)
        assert (tmp_path / f"out{suffix}").read_bytes() == whole, size


@pytest.mark.parametrize("suffix", ["", ".zst"])
def test_no_lines_give_an_empty_file(tmp_path, suffix):
    (tmp_path / "input.txt").write_text("")
    work(tmp_path, f"out{suffix}")
    assert list(read_lines(tmp_path / f"out{suffix}")) == list(read_lines(tmp_path / "errors.jsonl")) == []


def test_a_run_that_never_started_leaves_all_as_it_was(tmp_path):
    (tmp_path / "input.txt").write_text(text_of(72))
    with pytest.raises(ValueError, match="no model"), ResumableOutput(tmp_path / "out"):
        raise ValueError("no model")
    assert list(everything(tmp_path)) == ["input.txt"]
    interrupt(tmp_path)
    before = everything(tmp_path)
    output = ResumableOutput(tmp_path / "out")
    assert output.overwrites == 30
    with pytest.raises(ValueError, match="no model"), output:
        raise ValueError("no model")
    assert everything(tmp_path) == before


def test_nothing_can_be_resumed_in_a_pipe(pipe):
    with pytest.raises(UsageError, match="/pipe cannot be one"):
        ResumableOutput(pipe.path, resume=True)


@settings(max_examples=100)
@given(st.lists(st.binary().map(lambda line: line.replace(b"\n", b"")), max_size=20), st.data())
def test_digests_tell_lines_apart_and_not_how_they_were_read(tmp_path_factory, lines, data):
    path = tmp_path_factory.mktemp("digests") / "lines"
    path.write_bytes(b"x\n" + b"".join(line + b"\n" for line in lines))
    records = list(Records([path]))

    def digest(blocks) -> list[str]:
        digests = Digests(1)
        for block in blocks:
            digests.add(block)
        return digests()

    cut = data.draw(st.integers(0, len(records)))
    assert digest([records]) == digest([records[:cut], records[cut:]])
    assert digest([records[:-1]]) != digest([records])
