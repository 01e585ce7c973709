"""`wordalign align --aligner` and `wordalign symmetrize`, as their users run them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from wordalign.cli import main

pytest.importorskip("thot")


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eng.txt").write_text("the house\n\nthe Dog sees a house\n", "utf-8")
    (tmp_path / "deu.txt").write_text("das haus\nleer\nder hund sieht ein haus\n", "utf-8")
    (tmp_path / "more.tsv").write_text("the dog\tder hund\na house\tein haus\n" * 5, "utf-8")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        try:
            code = main(list(arguments))
        except SystemExit as stop:
            code = stop.code
        return code, *capfd.readouterr()

    return run_command


def test_train_save_and_load(run, tmp_path):
    code, out, err = run(
        "align", "eng.txt", "deu.txt", "--aligner", "fast_align", "--train", "more.tsv", "--lowercase",
        "--save-model", "m", "--symmetrize", "intersection", "union", "--format", "jsonl", "--scores",
        "-o", "links.jsonl",
    )  # fmt: skip
    assert (code, out, err) == (0, "", "")
    records = [json.loads(line) for line in (tmp_path / "links.jsonl").read_text().splitlines()]
    assert [record["links"] for record in records[:2]] == [[[0, 0], [1, 1]], []]
    assert list(records[0]["methods"]) == ["intersection", "union"]
    assert "lowercase | symmetrize=intersection | trained on 12 pairs" in records[0]["signature"]
    code, out, err = run("align", "eng.txt", "deu.txt", "--aligner", "fast_align", "--load-model", "m")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "0-0 1-1\t0-0 1-1"
    assert out.count("\n") == 3
    code, out, _ = run(
        "align", "eng.txt", "deu.txt", "--aligner", "fast_align", "--load-model", "m", "--symmetrize", "och"
    )
    assert (code, out.splitlines()[0]) == (0, "0-0 1-1")
    # The model knows its aligner; scores are there where they are asked for, and needed for a threshold.
    plain, scored, high = (
        run("align", "eng.txt", "deu.txt", "--load-model", "m", "--symmetrize", "union", *more)
        for more in ([], ["--scores"], ["--threshold", "1"])
    )
    assert plain[0] == scored[0] == high[0] == 0
    assert re.sub(r":[01]\.\d{4}", "", scored[1]) == plain[1] != scored[1]
    assert high[1] == "\n\n\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--aligner", "fast_algin"], 2, "Did you mean 'fast_align'"),
        (["--aligner", "ibm1", "--method", "argmax"], 2, "--method has no meaning for a statistical"),
        (["--aligner", "ibm1", "--distortion"], 2, "--distortion has no meaning"),
        (["--aligner", "ibm1", "--null-tau", "0.9"], 2, "--null-tau has no meaning"),
        (["--aligner", "ibm1", "--model", "base"], 2, "--model has no meaning"),
        (["--symmetrize", "union"], 2, "--symmetrize is for statistical aligners: give --aligner too."),
        (["--train", "more.tsv"], 2, "--train is for statistical aligners"),
        (["--aligner", "ibm1", "--symmetrize", "onion"], 2, "Did you mean 'union'"),
        (["--aligner", "ibm1", "--tokenizer", "tiny"], 2, "give the level 'subword' too"),
        (["--aligner", "ibm1", "--seed", "x"], 2, "neither a number nor none"),
        (
            ["--aligner", "ibm1", "--load-model", "none"],
            1,
            "none is no folder: give the folder that --save-model",
        ),
        (["--aligner", "ibm1", "--load-model", "m", "--lowercase"], 2, "--lowercase cannot be given with"),
        (["--aligner", "ibm1", "--save-model", "."], 1, "was not made by this command"),
        (["--aligner", "ibm1", "--train", "none.tsv"], 1, "There is no file none.tsv"),
        (["--aligner", "ibm1", "--train", "eng.txt", "more.tsv"], 1, "not parallel"),
        (["--aligner", "ibm1", "-o", "more.tsv", "--train", "more.tsv"], 2, "would be overwritten"),
    ],
)
def test_wrong_usage_is_explained(run, tmp_path, arguments, code, message):
    before = (tmp_path / "more.tsv").read_bytes() if (tmp_path / "more.tsv").exists() else b""
    found, out, err = run("align", "eng.txt", "deu.txt", *arguments)
    assert (found, out) == (code, ""), err
    assert message in err
    assert "Traceback" not in err
    assert (tmp_path / "more.tsv").read_bytes() == before


def test_a_model_of_another_aligner_is_refused(run):
    assert run("align", "eng.txt", "deu.txt", "--aligner", "ibm1", "--save-model", "m")[0] == 0
    code, _, err = run("align", "eng.txt", "deu.txt", "--aligner", "hmm", "--load-model", "m")
    assert code == 2
    assert "m is a model of ibm1, not of hmm: give --aligner ibm1." in err


@pytest.mark.parametrize(
    ("aligner", "number", "code"),
    [("hmm", signal.SIGINT, 130), ("hmm", signal.SIGTERM, 143), ("eflomal_gpl", signal.SIGTERM, 143)],
)
def test_an_end_leaves_no_half_model_and_no_process(run, tmp_path, aligner, number, code):
    """Ctrl-C, and what `kill` and a machine that shuts down send, to the first process alone."""
    pytest.importorskip("eflomal" if aligner == "eflomal_gpl" else "thot")
    (tmp_path / "big.tsv").write_text(
        "\n".join(f"{' '.join(f'w{k * n % 5003}' for k in range(30))}\t{'x y z ' * 9}" for n in range(4000))
    )
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "wordalign", "align", "big.tsv", "--aligner", aligner, "--save-model", "m",
         "-o", "links.txt"],
        cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list((tmp_path / "tmp").glob("*/said0.txt")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == code, stderr
    assert stderr.startswith(b"wordalign: Interrupted." if number == signal.SIGINT else b"")
    assert b"Traceback" not in stderr
    assert not (tmp_path / "m").exists()
    assert not list(tmp_path.glob("links.txt*"))
    assert not list(tmp_path.glob(".m.*"))
    assert not list((tmp_path / "tmp").iterdir())
    with pytest.raises(ProcessLookupError):  # the whole group is gone
        os.killpg(process.pid, 0)


def test_symmetrize_files(run, tmp_path):
    (tmp_path / "f.txt").write_text("0-0 1-1\n\n0-0\n")
    (tmp_path / "b.txt").write_text("0-0 1-2\n\n0-0 0-1\n")
    assert run("symmetrize", "f.txt", "b.txt", "--heuristic", "intersection") == (0, "0-0\n\n0-0\n", "")
    assert run("symmetrize", "f.txt", "b.txt", "-o", "out.txt") == (0, "", "")
    assert (tmp_path / "out.txt").read_text() == "0-0 1-1 1-2\n\n0-0 0-1\n"
    assert run("symmetrize", "--heuristic", "invert", "b.txt") == (0, "0-0 2-1\n\n0-0 1-0\n", "")
    (tmp_path / "short.txt").write_text("0-0\n")
    for arguments, code, message in (
        (["f.txt", "short.txt"], 1, "not parallel"),
        (["f.txt"], 2, "Give two files"),
        (["f.txt", "b.txt", "--heuristic", "invert"], 2, "invert takes one file"),
        (["f.txt", "b.txt", "--heuristic", "grow"], 2, "Did you mean 'grow-diag'"),
        (["f.txt", "b.txt", "-o", "f.txt"], 2, "would be overwritten"),
        (["f.txt", "eng.txt"], 1, "eng.txt, line 1: 'the' is not a link"),
    ):
        found, _, err = run("symmetrize", *arguments)
        assert found == code, err
        assert message in err
