"""`wordalign align --engine ray` as its user runs it, on this machine alone."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from wordalign.cli import main
from wordalign.io import read_lines

COMMAND = [sys.executable, "-m", "wordalign", "align"]


def complaint(capsys, code, *arguments):
    """What the command says on standard error."""
    assert main(["align", *map(str, arguments)]) == code
    said = capsys.readouterr().err
    assert all(line.startswith("wordalign: ") for line in said.splitlines())
    return said


def test_parquet_to_compressed_json(tmp_path, sentence_pairs, capsys):
    """One run with nearly every option; then what a second one says, and what it refuses."""
    rows = [{"en": " ".join(source), "xx": " ".join(target)} for source, target in sentence_pairs[:45]]
    rows[3]["xx"] = None
    (tmp_path / "in").mkdir()
    for name, some in (("a", rows[:30]), ("b", rows[30:])):
        parquet.write_table(arrow.Table.from_pylist(some), tmp_path / f"in/{name}.parquet", row_group_size=7)
    options = ["--format", "jsonl", "--scores", "--method", "argmax", "itermax", "--model", "tiny"]
    skip = ["--on-error", "skip"]
    arguments = [str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--engine", "ray", *options]
    arguments += ["--columns", "en", "xx", "--shard-lines", "20", "--compress", "zst"]
    done = subprocess.run([*COMMAND, *arguments, *skip], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    errors = (
        f"wordalign: 1 of 45 lines had errors and got no links: see {tmp_path}/out/part-*.errors.jsonl.\n"
    )
    assert done.stderr == errors
    shards = json.loads((tmp_path / "out/manifest.json").read_text("utf-8"))["shards"]
    assert [part["rows"] for part in shards] == [20, 10, 15]
    (error,) = read_lines(tmp_path / "out/part-00000.errors.jsonl")
    assert json.loads(error)["line"] == 4
    # One machine, the same rows as JSON.
    for part, some in zip(shards, (rows[:20], rows[20:30], rows[30:]), strict=True):
        lines = [json.dumps({"source": row["en"], "target": row["xx"]}) + "\n" for row in some]
        (tmp_path / "one.jsonl").write_text("".join(lines))
        assert main(["align", str(tmp_path / "one.jsonl"), "-o", str(tmp_path / "one"), *options, *skip]) == 0
        assert list(read_lines(tmp_path / "out" / part["name"])) == list(read_lines(tmp_path / "one"))
    capsys.readouterr()
    assert complaint(capsys, 0, *arguments, *skip) == (
        f"wordalign: {tmp_path}/out is complete: 45 lines in 3 parts.\n{errors}"
    )
    said = complaint(capsys, 2, *arguments)
    assert "was begun with other settings: on_error was skip, now it is stop." in said
    parquet.write_table(arrow.table({"en": ["a"], "xx": ["b"]}), tmp_path / "in/b.parquet")
    assert "was begun with another input" in complaint(capsys, 2, *arguments, *skip)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ([], "the output is a folder: give one with -o"),
        (["-o", "IN/below"], "lie in each other"),
        (["-o", "IN/.."], "lie in each other"),
        (["-o", "OUT", "--null"], "--null reads all of the input first"),
        (["-o", "OUT", "--aligner", "eflomal"], "learns from all of its input at once"),
        (["-o", "OUT", "--seed", "3"], "--seed is for statistical aligners"),
        (["-o", "OUT", "--errors", "x"], "leave --errors out"),
        (["-o", "OUT", "--segmenter", "x:y"], "give --raw too"),
        (["-o", "OUT", "--shard-lines", "0"], "lines of a shard are 1 or more"),
        (["-o", "gopher://OUT"], "no file system that Arrow knows"),
        (["-o", "OUT", "--model", "tinny"], "There is no model 'tinny'"),
    ],
)
def test_refused_before_anything_is_started(tmp_path, capsys, options, reason):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.tsv").write_text("Yes\tJa\n")
    options = [word.replace("IN", f"{tmp_path}/in").replace("OUT", f"{tmp_path}/out") for word in options]
    assert reason in complaint(capsys, 2, tmp_path / "in", "--engine", "ray", *options)
    assert not (tmp_path / "out").exists()


def test_untokenised_text_gets_a_warning_before_anything_is_started(tmp_path, capsys):
    (tmp_path / "in.tsv").write_text("It has stopped.\tSie steht.\n")
    cluster = ["--engine", "ray", "--address", "127.0.0.1:1", "--model", "tiny"]
    said = complaint(capsys, 1, tmp_path / "in.tsv", "-o", tmp_path / "out", *cluster)
    assert "does not look tokenised (as in 'stopped.')" in said
    assert "There is no Ray cluster" in said


def test_its_options_mean_nothing_without_it(tmp_path, capsys):
    for option in ("--address=x", "--cores=2", "--shard-lines=5", "--compress=gz"):
        said = complaint(capsys, 2, tmp_path, option)
        assert f"{option.partition('=')[0]} is for many machines: give --engine ray too." in said
