"""The Makefile as a newcomer meets it: on an old Python, and on a machine with a browser but no fonts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def make(tmp_path):
    """Run make with the given programs, each a line of shell, before those of the machine."""

    def run(*arguments: str, **programs: str) -> subprocess.CompletedProcess[str]:
        for name, line in programs.items():
            program = tmp_path / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
            program.chmod(0o755)
        environment = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"}
        command = ["make", *arguments, f"VENV={tmp_path}/venv"]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)

    return run


def test_an_old_python_is_refused_at_once(make, tmp_path):
    code = "import sys; program = sys.argv[2]; sys.version_info = (3, 10, 13); exec(program)"
    done = make("example", "PYTHON=old", old=f"exec {sys.executable} -c '{code}' \"$@\"")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stdout
    assert "make PYTHON=python3.12 example" in done.stdout
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("has_fonts", [True, False])
def test_fonts_are_installed_where_there_is_a_browser_but_none_of_them(make, tmp_path, has_fonts):
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    if has_fonts:
        (fonts / "NotoSans-Regular.ttf").touch()
    done = make("browser", f"FONTS={fonts}", chromium="", id="echo 0", apt_get='echo "$@" >&2')
    assert done.returncode == 0
    assert ("install" in done.stderr, "fonts-noto-core" in done.stderr) == (not has_fonts, not has_fonts)
    assert "chromium" not in done.stderr


def test_where_nothing_can_be_installed_the_tests_still_run(make, tmp_path):
    done = make("browser", f"FONTS={tmp_path}/none", chromium="", id="echo 1000")
    assert done.returncode == 0
    assert "Not installed: fonts-noto-core fonts-noto-cjk." in done.stdout
