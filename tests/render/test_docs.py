"""What docs/figures.md shows is true: commands exist, the example and the program run, images are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from wordalign.cli import build_parser, main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/figures.md").read_text("utf-8")


def test_every_command_exists():
    shown = [line.partition("#")[0] for line in TEXT.splitlines() if line.startswith("wordalign show ")]
    assert len(shown) >= 8
    for line in shown:
        build_parser().parse_args(shlex.split(line)[1:])


def test_the_first_example_prints_what_is_shown(capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    command, picture = re.search(r"```\n\$ wordalign (.*?)\n(.*?)```", TEXT, re.DOTALL).groups()
    capfd.readouterr()
    assert main(shlex.split(command)) == 0
    assert capfd.readouterr().out == picture


def test_the_program_runs():
    pytest.importorskip("resvg_py")
    (program,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)
    assert str(names["grid"]).startswith("<svg")
    assert "Two pairs" in str(names["page"])


def test_every_image_is_there():
    images = re.findall(r"\]\((images/.*?)\)", TEXT)
    assert len(images) >= 6
    for image in images:
        assert (ROOT / "docs" / image).stat().st_size > 1000
