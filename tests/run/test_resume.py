"""Long runs of `wordalign align`: interrupted, killed, resumed; bad lines skipped; compressed files."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from wordalign.cli import main
from wordalign.io import checkpoint, read_lines
from wordalign.parallel import cut
from wordalign.run import ChunkAligner, files

ROOT = Path(__file__).parents[2]
MODEL = ("--model", "tiny")
GOOD = ["the house is old\tdas Haus ist alt", "water and bread\tWasser und Brot", "good\tgut"]


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """The command in this process, with small chunks, so that short runs have many states."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ChunkAligner, "cut", lambda self, records: cut(records, 10))
    monkeypatch.setattr(checkpoint, "FRAME_TEXT", 200)
    monkeypatch.setattr(checkpoint, "SECONDS", 0.0)

    def run_command(*arguments: str, text: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        code = main(["align", "--workers", "1", *MODEL, *arguments])
        sys.stdout.flush()
        return code, *capfd.readouterr()

    return run_command


def lines_of(count: int) -> list[str]:
    return [f"{number} {line}" for number, line in enumerate(GOOD * count)][:count]


def write(path: str, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    Path(path).write_bytes(gzip.compress(text) if path.endswith(".gz") else text)


def contents(*names: str) -> list[bytes]:
    return [Path(name).read_bytes() for name in names]


@pytest.mark.parametrize(
    ("link_format", "suffix"),
    [("pharaoh", ""), ("jsonl", ""), ("tsv", ".gz"), ("jsonl", ".xz"), ("tsv", ".zst")],
)
def test_after_a_bad_line_is_mended_the_run_goes_on(run, suffix, link_format):
    lines = lines_of(55)
    options = ("--format", link_format, "--scores")
    write("pairs.tsv", lines)
    assert run("pairs.tsv", "-o", f"whole{suffix}", *options)[0] == 0
    write("pairs.tsv", [*lines[:44], "no tab", *lines[45:]])
    code, _, said = run("pairs.tsv", "-o", f"links{suffix}", *options)
    assert code == 1
    assert "line 45" in said
    assert "--resume goes on after line" in said
    assert list(read_lines(f"links{suffix}.partial")) == list(read_lines(f"whole{suffix}"))[:44]
    write("pairs.tsv", lines)
    assert run("pairs.tsv", "-o", f"links{suffix}", *options, "--resume")[0] == 0
    assert contents(f"links{suffix}") == contents(f"whole{suffix}")
    assert sorted(path.name for path in Path().iterdir()) == [
        f"links{suffix}", f"links{suffix}.state", "pairs.tsv", f"whole{suffix}",
    ]  # fmt: skip


@pytest.fixture
def interrupted(run):
    """pairs.tsv is good now, but was not when links.txt was begun; the state is after line 40."""
    write("pairs.tsv", [*lines_of(44), "no tab"])
    assert run("pairs.tsv", "-o", "links.txt")[0] == 1
    write("pairs.tsv", lines_of(55))
    return Path("links.txt.partial")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--scores"], "--scores was false and is now true"),
        (["--format", "tsv"], '--format was "pharaoh"'),
        (["--method", "argmax"], "method=argmax"),
        (["--threshold", "0.5"], "threshold=0.5"),
        (["--null-tau", "0.5"], "null=0.5"),
        (["--distortion"], "distortion=0.5"),
        (["--raw"], "--raw was false"),
        (["--on-error", "skip"], '--on-error was "stop"'),
    ],
)
def test_other_settings_are_refused(run, interrupted, options, reason):
    before = interrupted.read_bytes()
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume", *options)
    assert code == 2
    assert reason in said
    assert interrupted.read_bytes() == before
    assert run("pairs.tsv", "-o", "links.txt", "--resume")[0] == 0


def test_another_version_is_refused(run, interrupted, monkeypatch):
    monkeypatch.setattr(files, "__version__", "99.0")
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume")
    assert code == 2
    assert 'and is now "99.0"' in said


def test_another_input_is_refused(run, interrupted):
    write("pairs.tsv", ["new\tneu", *lines_of(55)[1:]])
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume")
    assert code == 1
    assert "pairs.tsv changed since" in said
    assert "in the first 40 lines" in said
    assert interrupted.exists()


def test_the_name_and_the_compression_of_the_input_do_not_matter(run, interrupted):
    write("renamed.tsv.gz", lines_of(55))
    assert run("renamed.tsv.gz", "-o", "links.txt", "--resume")[0] == 0
    assert len(list(read_lines("links.txt"))) == 55


def test_standard_input_is_piped_again(run, interrupted):
    text = Path("pairs.tsv").read_bytes()
    assert run("-", "--input-format", "tsv", "-o", "links.txt", "--resume", text=text)[0] == 0
    run("pairs.tsv", "-o", "whole.txt")
    assert contents("links.txt") == contents("whole.txt")


def test_without_resume_the_lines_are_overwritten_but_not_without_a_word(run, interrupted):
    code, _, said = run("pairs.tsv", "-o", "links.txt")
    assert code == 0
    assert "overwriting 40 lines of an interrupted run; --resume would keep what is there" in said
    assert not interrupted.exists()


def test_resume_begins_a_run_and_leaves_a_finished_one_alone(run):
    write("pairs.tsv", lines_of(20))
    assert run("pairs.tsv", "-o", "links.txt", "--resume") == (0, "", "")
    before = Path("links.txt").stat()
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume")
    assert (code, said) == (0, "wordalign: links.txt is finished: leave --resume out to align again.\n")
    assert Path("links.txt").stat() == before
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume", "--method", "argmax")
    assert code == 2
    assert "links.txt was made with other settings" in said
    assert "method=argmax" in said
    write("pairs.tsv", lines_of(21))
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--resume")
    assert (code, "pairs.tsv changed since" in said) == (1, True)
    assert Path("links.txt").stat() == before


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--resume"], "give it with -o"),
        (["--resume", "-o", "/dev/null"], "/dev/null cannot"),
        (["--errors", "e.jsonl", "-o", "links.txt"], "give --on-error skip too"),
        (["--errors", "links.txt", "-o", "links.txt", "--on-error", "skip"], "both the output and"),
        (["--errors", "pairs.tsv", "-o", "links.txt", "--on-error", "skip"], "is an input too"),
        (["--errors", "/dev/null", "-o", "links.txt", "--on-error", "skip"], "/dev/null"),
        (["--workers", "-1", "-o", "links.txt"], "workers"),
    ],
)
def test_wrong_usage_is_explained(run, options, reason):
    write("pairs.tsv", lines_of(3))
    code, _, said = run("pairs.tsv", *options)
    assert code == 2
    assert reason in said
    assert [path.name for path in Path().iterdir()] == ["pairs.tsv"]


def test_a_statistical_aligner_has_no_states(run):
    write("pairs.tsv", lines_of(3))
    assert main(["align", "pairs.tsv", "--aligner", "fast_align", "--resume", "-o", "links.txt"]) == 2


def test_skipped_lines_have_an_empty_result_and_a_reason(run):
    lines = lines_of(35)
    Path("pairs.tsv").write_bytes(
        b"".join(
            {3: b"no tab\n", 18: b"caf\xe9\tcaf\n", 34: b"\0" + bytes(17 << 20) + b"\n"}.get(
                number, f"{line}\n".encode()
            )
            for number, line in enumerate(lines)
        )
    )
    code, _, said = run("pairs.tsv", "-o", "links.txt", "--on-error", "skip")
    assert code == 0
    assert "wordalign: 3 of 35 lines had errors and got no links: see links.txt.errors.jsonl." in said
    errors = [json.loads(line) for line in read_lines("links.txt.errors.jsonl")]
    assert [error["line"] for error in errors] == [4, 19, 35]
    for error, word in zip(errors, ("TAB", "UTF-8", "16 MiB"), strict=True):
        assert word in error["reason"]
    found = list(read_lines("links.txt"))
    assert [number for number, line in enumerate(found) if not line] == [3, 18, 34]
    write("good.tsv", [line for number, line in enumerate(lines) if number not in (3, 18, 34)])
    run("good.tsv", "-o", "good.txt")
    assert list(read_lines("good.txt")) == [line for line in found if line]


def test_skipped_lines_of_a_stream_and_of_the_pass_for_null(run):
    text = b"a house\tein Haus\nbad\nwater\tWasser\n"
    code, out, said = run("-", "--input-format", "tsv", "--on-error", "skip", text=text)
    assert (code, out.count("\n")) == (0, 3)
    assert "see errors.jsonl" in said
    assert json.loads(Path("errors.jsonl").read_text())["line"] == 2
    Path("pairs.tsv").write_bytes(text)
    code, _, said = run("pairs.tsv", "--null", "--on-error", "skip", "--errors", "e.jsonl", "-o", "links.txt")
    assert (code, len(list(read_lines("links.txt")))) == (0, 3)
    assert "see e.jsonl" in said


def test_errors_are_counted_across_an_interruption(run, monkeypatch):
    lines = lines_of(60)
    lines[5] = lines[25] = lines[55] = "no tab"
    write("pairs.tsv", lines)
    options = ("pairs.tsv", "--on-error", "skip", "--resume")
    assert run(*options, "-o", "whole.txt.gz", "--errors", "whole.jsonl")[0] == 0
    original = checkpoint.ResumableOutput.write

    def stop_late(self, done, errors=()):
        if self.records >= 40:
            raise KeyboardInterrupt
        original(self, done, errors)

    with monkeypatch.context() as stopping:
        stopping.setattr(checkpoint.ResumableOutput, "write", stop_late)
        code, _, said = run(*options, "-o", "links.txt.gz", "--errors", "links.jsonl")
    assert code == 130
    assert said.startswith("wordalign: Interrupted. The lines finished so far are in ")
    assert "The same command with --resume goes on after line" in said
    code, _, said = run(*options, "-o", "links.txt.gz", "--errors", "links.jsonl")
    assert (code, "3 of 60 lines had errors" in said) == (0, True)
    assert contents("links.txt.gz", "links.jsonl") == contents("whole.txt.gz", "whole.jsonl")


def test_killed_at_random_moments_and_resumed(tmp_path, monkeypatch):
    """The figures of many more kills are in benchmarks/results."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from resume import ROUNDS, kill_and_resume

    found = kill_and_resume(tmp_path, kills=3, seed=3, lines=1000, chunk=50, rounds=ROUNDS[1:2])
    assert found["good"], found
    assert found["kills"] >= 3
    assert found["rounds"] >= 1
