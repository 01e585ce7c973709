"""The Makefile and the Dockerfile: an old Python, a machine without fonts, what a container runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from wordalign.cli import build_parser

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


@pytest.fixture(scope="module")
def dockerfile() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, continued lines joined, each with its arguments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    joined = re.sub(r"\\\n\s*", "", text)
    return [tuple(line.split(" ", 1)) for line in joined.splitlines() if line.strip()]


def test_the_container_serves_the_page_and_is_no_root(dockerfile):
    last = dict(dockerfile)
    assert json.loads(last["ENTRYPOINT"]) == ["wordalign"]
    arguments = build_parser().parse_args(json.loads(last["CMD"]))
    assert (arguments.host, str(arguments.port)) == ("0.0.0.0", last["EXPOSE"])
    assert last["USER"] != "root"


def test_the_container_is_built_from_files_that_are_there(dockerfile):
    instructions = {"FROM", "WORKDIR", "COPY", "RUN", "ARG", "USER", "ENV", "EXPOSE", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in dockerfile} <= instructions
    kept = set(re.findall("^!(.*)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    for name, arguments in dockerfile:
        if name == "COPY":
            for file in arguments.split()[:-1]:
                assert file in kept
                assert (ROOT / file).exists()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {project["readme"], *project["license-files"]} <= kept
    extras = dict(dockerfile)["ARG"].removeprefix("EXTRAS=").split(",")
    assert set(extras) <= set(project["optional-dependencies"])


def test_the_install_lines_of_the_readme_name_extras_that_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"pip install '(?:\.|wordalign)\[(\w+)\]'", (ROOT / "README.md").read_text("utf-8"))
    assert {"hf", "serve", "figures", "statistical"} <= set(named) <= set(project["optional-dependencies"])
