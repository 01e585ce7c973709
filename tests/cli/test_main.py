"""What holds for every command: outputs that cannot be written, and Ctrl-C at any moment."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from wordalign.cli import main


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (
        ("eng.txt", "the <b>house</b>\n"),
        ("deu.txt", "das Haus\n"),
        ("a.conll", "the O\nhouse B-LOC\n"),
        ("links.txt", "0-0 1-1\n"),
        ("wrong.txt", "0-9\n"),
    ):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    ["check eng.txt deu.txt --links links.txt", "project a.conll deu.txt", "transfer eng.txt deu.txt"],
)
def test_a_report_never_replaces_the_output(corpus, capsys, command):
    assert main([*command.split(), "-o", "out.txt", "--report", "./out.txt"]) == 2
    assert "a file each" in capsys.readouterr().err
    assert not (corpus / "out.txt").exists()


@pytest.mark.parametrize(
    "command",
    [
        "lexicon eng.txt deu.txt --links wrong.txt -o",
        "lexicon eng.txt deu.txt --links wrong.txt --format lex -o",
        "check eng.txt deu.txt --links wrong.txt --report",
        "null-threshold eng.txt eng.txt --model no-such-folder/ -o",
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(corpus, capsys, command):
    """Each has a second fault, which is noticed as soon as the work begins."""
    assert main([*command.split(), "gone/out"]) == 1
    assert "there is no folder gone" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["models", "methods"])
def test_a_full_disk_behind_a_list_is_explained(command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "wordalign", command], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"wordalign: Cannot write standard output: No space left on device.\n"


def test_ctrl_c_while_a_command_is_imported_is_no_traceback():
    interrupted = (
        "import importlib.abc, signal, sys\n"
        "class Interrupt(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'wordalign.cli.align': signal.raise_signal(signal.SIGINT)\n"
        "import wordalign.cli\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.exit(wordalign.cli.main(['align', 'a', 'b']))\n"
    )
    done = subprocess.run([sys.executable, "-c", interrupted], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"wordalign: Interrupted.\n")


@pytest.mark.parametrize("interrupted", [True, False])
def test_ctrl_c_while_a_library_loads_is_no_failure(interrupted, monkeypatch, capsys):
    def load(arguments):
        raise ImportError("initialization failed") from (KeyboardInterrupt() if interrupted else None)

    monkeypatch.setattr("wordalign.cli.parse_arguments", lambda words: argparse.Namespace(run=load))
    if interrupted:
        assert main([]) == 130
        assert capsys.readouterr().err == "wordalign: Interrupted.\n"
    else:
        with pytest.raises(ImportError, match="initialization failed"):
            main([])
