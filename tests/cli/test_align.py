"""The command as its user runs it: real files, real pipes, a real terminal, a real Ctrl-C."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from typing import NamedTuple

import pytest

from wordalign.cli import main

COMMAND = [sys.executable, "-m", "wordalign"]


class Done(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def run(tmp_path, tiny_model, monkeypatch, capfdbinary):
    """Runs the command inside this process: starting torch anew for every test would take minutes."""
    monkeypatch.chdir(tmp_path)
    model = str(tiny_model("bert"))
    capfdbinary.readouterr()

    def run_command(*arguments: str, text: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        try:
            code = main([model if word == "MODEL" else word for word in arguments])
        except SystemExit as stop:  # argparse's own complaints
            code = stop.code
        sys.stdout.flush()
        return Done(code, *capfdbinary.readouterr())

    return run_command


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "eng.txt").write_text("The museum is closed .\n\nYes\n", "utf-8")
    (tmp_path / "deu.txt").write_text("Das Museum ist geschlossen .\nLeer\nJa\n", "utf-8")
    return tmp_path


def complaint(done, code):
    """The one line on standard error that explains a failure."""
    text = done.stderr.decode()
    assert done.returncode == code, text
    assert "Traceback" not in text
    (line,) = [line for line in text.splitlines() if line.startswith("wordalign: ")]
    return line


def test_two_files_to_a_file_one_line_each(run, corpus):
    done = run("align", "eng.txt", "deu.txt", "-o", "links.txt", "--model", "MODEL")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    first, second, third = (corpus / "links.txt").read_text().split("\n")[:-1]
    assert all("-" in link for link in first.split())
    assert (second, third) == ("", "0-0")
    assert not (corpus / "links.txt.partial").exists()


def test_pairs_on_standard_input(run, corpus):
    two_files = run("align", "eng.txt", "deu.txt", "--model", "MODEL").stdout
    text = b"The museum is closed . ||| Das Museum ist geschlossen .\n\nYes ||| Ja\n"
    assert run("align", "-", "--model", "MODEL", text=text).stdout == two_files


def test_several_methods_as_jsonl_with_scores(run, corpus):
    done = run("align", "eng.txt", "deu.txt", "--model", "MODEL", "--method", "argmax", "itermax", "match",
               "--format", "jsonl", "--scores")  # fmt: skip
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(records) == 3
    assert list(records[0]["methods"]) == ["argmax", "itermax", "match"]
    for found in records[0]["methods"].values():
        assert len(found["links"]) == len(found["scores"]) > 0
    assert "method=argmax | wordalign" in records[0]["signature"]


def test_raw_text(run):
    done = run("align", "-", "--raw", "--model", "MODEL", "--format", "jsonl",
               text="It's closed. ||| 閉まった。\n".encode())  # fmt: skip
    record = json.loads(done.stdout)
    assert record["source"] == ["It", "'s", "closed", "."]
    assert record["target"] == ["閉", "ま", "っ", "た", "。"]
    assert record["target_offsets"][0] == [0, 1]


def test_a_segmenter_by_module_and_function(run, tmp_path, monkeypatch):
    (tmp_path / "twos.py").write_text("def cut(run): return [run[i:i+2] for i in range(0, len(run), 2)]")
    monkeypatch.chdir(tmp_path)
    done = run("align", "-", "--raw", "--segmenter", "twos:cut", "--model", "MODEL", "--format", "jsonl",
               text="a ||| 東京大学\n".encode())  # fmt: skip
    assert json.loads(done.stdout)["target"] == ["東京", "大学"]
    done = run("align", "-", "--raw", "--segmenter", "jeiba", "--model", "MODEL", text=b"")
    assert "segmenter 'jeiba'" in complaint(done, 2)


def test_null_in_two_passes_equals_stored_thresholds(run, corpus):
    files = ["--model", "MODEL", "--method", "argmax", "match"]
    two_passes = run("align", "eng.txt", "deu.txt", *files, "--null", "60")
    assert (
        run("null-threshold", "eng.txt", "deu.txt", *files, "--percentile", "60", "-o", "n.json").returncode
        == 0
    )
    stored = run("align", "eng.txt", "deu.txt", *files, "--null-thresholds", "n.json")
    assert two_passes.stdout == stored.stdout
    plain = run("align", "eng.txt", "deu.txt", *files)
    assert len(two_passes.stdout) < len(plain.stdout)
    line = complaint(run("align", "-", *files, "--null", text=b"a ||| b\n"), 2)
    assert "null-threshold" in line


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["align", "eng.txt", "none.txt", "--model", "MODEL"], 1, "There is no file none.txt"),
        (["align", "eng.txt", ".", "--model", "MODEL"], 1, "is a directory"),
        (["align", "eng.txt", "short.txt", "--model", "MODEL"], 1, "not parallel"),
        (["align", "eng.txt", "latin.txt", "--model", "MODEL"], 1, "latin.txt, line 2: not UTF-8"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "-o", "no/links.txt"], 1, "Cannot write"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "-o", "."], 1, "is a directory"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "-o", "eng.txt"], 2, "would be overwritten"),
        (["align", "eng.txt", "deu.txt", "--model", "mbrt"], 2, "Did you mean 'mbert'"),
        (["align", "eng.txt", "deu.txt", "--model", "./nowhere"], 2, "no folder './nowhere'"),
        (["align", "eng.txt", "deu.txt", "--model", "."], 1, "does not hold a usable model"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "--layer", "13"], 2, "no layer 13: choose 0"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "--method", "max"], 2, "Did you mean"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "--device", "cuda:9"], 2, "'cuda:9'"),
        (["align", "eng.txt", "deu.txt", "--model", "MODEL", "--dtype", "int8"], 2, "no dtype 'int8'"),
        (["align", "eng.txt", "deu.txt", "eng.txt", "--model", "MODEL"], 2, "two parallel files"),
        (["align", "eng.txt", "--model", "MODEL"], 1, "eng.txt, line 1: expected 'source"),
        (
            ["align", "eng.txt", "deu.txt", "--model", "MODEL", "--null-thresholds", "deu.txt"],
            1,
            "no null thresholds",
        ),
    ],
)
def test_bad_input_is_explained_in_a_line(run, corpus, arguments, code, message):
    (corpus / "short.txt").write_text("eins\n")
    (corpus / "latin.txt").write_bytes(b"ok\nGr\xfc\xdfe\nok\n")
    assert message in complaint(run(*arguments), code)
    assert not (corpus / "links.txt").exists()


def test_null_threshold_never_overwrites_its_input(run, corpus):
    before = (corpus / "eng.txt").read_bytes()
    assert "would be overwritten" in complaint(
        run("null-threshold", "eng.txt", "deu.txt", "-o", "eng.txt"), 2
    )
    assert (corpus / "eng.txt").read_bytes() == before


def test_a_dash_is_standard_output_and_never_a_file(run, corpus):
    done = run("align", "eng.txt", "deu.txt", "--model", "MODEL", "-o", "-")
    assert done.stdout.count(b"\n") == 3
    assert not (corpus / "-").exists()
    (corpus / "-").write_text("a file of that name")
    assert "reads the input twice" in complaint(run("align", "-", "--model", "MODEL", "--null"), 2)


def test_a_full_disk_behind_standard_output_is_explained(corpus, tiny_model):
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run(
            [*COMMAND, "align", "eng.txt", "deu.txt"], cwd=corpus, stdout=full, stderr=subprocess.PIPE
        )
    assert "Cannot write standard output" in complaint(done, 1)


def test_wrong_usage_exits_with_2(run):
    assert run("align").returncode == 2
    assert run("aline", "a", "b").returncode == 2
    assert run().returncode == 2


def test_a_missing_extra_names_the_install_command(corpus, tiny_model):
    (corpus / "blocked" / "torch").mkdir(parents=True)
    (corpus / "blocked" / "torch" / "__init__.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')"
    )
    done = subprocess.run(
        [*COMMAND, "align", "eng.txt", "deu.txt", "--model", str(tiny_model("bert"))],
        cwd=corpus, capture_output=True, env={**os.environ, "PYTHONPATH": str(corpus / "blocked")},
    )  # fmt: skip
    assert "pip install 'wordalign[hf]'" in complaint(done, 1)


def test_lines_before_a_bad_one_are_kept(run, corpus):
    (corpus / "pairs.txt").write_bytes(b"Yes ||| Ja\nNo ||| Nein\nbroken\nYes ||| Ja\n")
    done = run("align", "pairs.txt", "-o", "links.txt", "--model", "MODEL")
    line = complaint(done, 1)
    assert "pairs.txt, line 3" in line
    assert "links.txt.partial" in line
    assert (corpus / "links.txt.partial").read_text() == "0-0\n0-0\n"
    assert not (corpus / "links.txt").exists()


def test_a_reader_that_has_enough_is_no_error(corpus, tiny_model):
    (corpus / "many.txt").write_text("Yes ||| Ja\n" * 20_000)
    command = " ".join([*COMMAND, "align", "many.txt", "--model", str(tiny_model("bert"))])
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -n 1; echo ${{PIPESTATUS[0]}}"],
        cwd=corpus, capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == b"0-0\n0\n"
    assert done.stderr == b""


@pytest.mark.parametrize("to_file", [True, False])
def test_ctrl_c_leaves_complete_lines(corpus, tiny_model, to_file):
    (corpus / "many.txt").write_text("The museum is closed . ||| Das Museum ist geschlossen .\n" * 300_000)
    output = ["-o", "links.txt"] if to_file else []
    partial = corpus / ("links.txt.partial" if to_file else "stdout.txt")
    with (corpus / "stdout.txt").open("wb") as stdout:
        process = subprocess.Popen(
            [*COMMAND, "align", "many.txt", "--model", str(tiny_model("bert")), *output],
            cwd=corpus, stdout=stdout, stderr=subprocess.PIPE,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while not (partial.exists() and partial.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.startswith(b"wordalign: Interrupted.")
    assert b"Traceback" not in stderr
    lines = partial.read_bytes()
    assert lines.endswith(b"\n")
    assert len(set(lines.splitlines())) == 1
    assert not (corpus / "links.txt").exists()


def test_ctrl_c_is_not_lost_where_python_drops_exceptions(corpus):
    """It may arrive while an object is being deleted, say one that a regular expression was compiled with."""
    (corpus / "dying.py").write_text(
        "class Dying:\n    def __del__(self): raise KeyboardInterrupt\n\n"
        "dying = [Dying()]\n\ndef cut(run):\n    dying.clear()\n    return [run]\n"
    )
    (corpus / "many.txt").write_text("a ||| 東京\n" * 300_000, "utf-8")
    done = subprocess.run(
        [*COMMAND, "align", "many.txt", "--raw", "--segmenter", "dying:cut", "--model", "tiny",
         "--workers", "1"],
        cwd=corpus, capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 130
    assert done.stderr.startswith(b"wordalign: Interrupted.")


def test_progress_is_shown_on_a_terminal_only(run, corpus, tiny_model):
    assert run("align", "eng.txt", "deu.txt", "--model", "MODEL").stderr == b""
    reader, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    done = subprocess.run(
        [*COMMAND, "align", "eng.txt", "deu.txt", "--model", str(tiny_model("bert")), "-o", "l.txt"],
        cwd=corpus, stderr=terminal, timeout=120,
    )  # fmt: skip
    os.close(terminal)
    assert done.returncode == 0
    shown = os.read(reader, 65536).decode()
    assert "aligning" in shown
    assert "3/3" in shown


def test_memory_does_not_grow_with_the_number_of_lines(corpus, tiny_model):
    def peak(lines: int) -> int:
        (corpus / "many.txt").write_text("Yes , the museum ||| Ja , das Museum\n" * lines)
        code = (
            "import resource, sys; from wordalign.cli import main\n"
            f"main(['align', 'many.txt', '--model', {str(tiny_model('bert'))!r}, '-o', 'links.txt'])\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=corpus, capture_output=True, check=True)
        assert (corpus / "links.txt").read_bytes().count(b"\n") == lines
        return int(done.stdout)

    assert peak(20_000) < peak(1_000) + 20_000  # kilobytes; the 19,000 lines more take 15,000 on disk alone


def test_the_lists_of_models_and_methods(run):
    models = run("models").stdout.decode()
    assert "mbert" in models
    assert "xlm-roberta-base" in models
    methods = run("methods").stdout.decode()
    assert "itermax:n_max=2,alpha=0.9" in methods
    assert run("--version").stdout.startswith(b"wordalign ")
