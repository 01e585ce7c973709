"""What the README shows is true: its example runs, its tables are those of the results."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_first_example_runs_as_printed():
    failures, examples = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert examples >= 4
    assert failures == 0


def test_the_tables_are_those_of_the_results():
    done = subprocess.run(
        [sys.executable, "benchmarks/tables.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_command_line_option_shown_exists():
    from wordalign.cli import build_parser

    text = (ROOT / "README.md").read_text("utf-8")
    shown = [line.split("#")[0].split(">")[0].split("|")[-1].split() for line in text.splitlines()
             if line.startswith(("wordalign ", "cat pairs.txt"))]  # fmt: skip
    assert len(shown) >= 5
    for words in shown:
        build_parser().parse_args(words[1:])
