"""README.md and docs/ are true: every command and every program in them runs as it is shown.

The fenced blocks of a document run one after the other in one copy of `examples/`, so that a block can use
what an earlier one wrote. The word after the fence says what a block is:

sh        commands, which must all succeed
console   lines that begin with `$ ` are commands, the lines below must be exactly what they print
python    a program, or, with >>>, a session whose answers must be those shown
text, json and others are shown and not run

A comment `<!-- not run: the reason -->` on the line before a block skips it, and pytest reports the reason. A
comment `<!-- beside: wordalign serve -->` runs a block while that command serves on port 8000.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import wordalign
from wordalign.cli import build_parser
from wordalign.text import split_words

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN = {"text", "json", "toml", "make", "diff", "dockerfile"}

_FENCE = re.compile(r"^```(\w*)$")
_MARK = re.compile(r"^<!-- (not run|beside): (.+) -->$")


class Block(NamedTuple):
    document: str
    line: int
    language: str
    text: str
    not_run: str | None
    beside: str | None


def blocks(document: Path) -> list[Block]:
    found = []
    lines = document.read_text("utf-8").splitlines()
    start, language = None, ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if start is None:
            start, language = number, match[1]
            continue
        mark = _MARK.match(lines[start - 1])
        text = "\n".join(lines[start + 1 : number]) + "\n"
        name = document.relative_to(ROOT).as_posix()
        marked = {mark[1]: mark[2]} if mark else {}
        found.append(Block(name, start + 1, language, text, marked.get("not run"), marked.get("beside")))
        start = None
    return found


ALL_BLOCKS = [block for document in DOCUMENTS for block in blocks(document)]


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    """A folder for each document, which begins as a copy of `examples/`."""
    made: dict[str, Path] = {}

    def folder(document: str) -> Path:
        if document not in made:
            made[document] = tmp_path_factory.mktemp("docs") / "examples"
            shutil.copytree(EXAMPLES, made[document])
        return made[document]

    return folder


@pytest.mark.parametrize("block", ALL_BLOCKS, ids=lambda block: f"{block.document}:{block.line}")
def test_a_block_runs_as_shown(block, scratch, monkeypatch):
    if block.not_run is not None:
        pytest.skip(f"not run: {block.not_run}")
    if block.language in NOT_RUN:
        return
    for program in ("curl", "gzip", "xz", "zcat"):
        if re.search(rf"\b{program} ", block.text) and shutil.which(program) is None:
            pytest.skip(f"not run: this machine has no {program}")
    folder = scratch(block.document)
    if block.beside is not None:
        with served(block.beside, folder) as port:
            said = run(["bash", "-euo", "pipefail", "-c", block.text.replace(":8000", f":{port}")], folder)
        assert json.loads(said)["results"][0]
    elif block.language == "sh":
        run(["bash", "-euo", "pipefail", "-c", block.text], folder)
    elif block.language == "console":
        for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE):
            assert run(["bash", "-euo", "pipefail", "-c", command], folder) == printed
    elif block.language == "python" and ">>>" in block.text:
        monkeypatch.chdir(folder)
        test = doctest.DocTestParser().get_doctest(block.text, {}, block.document, None, block.line)
        said: list[str] = []
        assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)
    elif block.language == "python":
        program = folder / "program_of_the_docs.py"
        program.write_text(block.text, "utf-8")
        run([sys.executable, program.name], folder)
    else:
        pytest.fail(f"{block.document}, line {block.line}: say after the fence what the block is")


def environment() -> dict[str, str]:
    paths = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": paths, "COLUMNS": "80", "HF_HUB_OFFLINE": "1"}


@contextmanager
def served(command: str, folder: Path) -> Iterator[int]:
    """Serve on any free port, which stands for the port 8000 of the documentation."""
    words = [*shlex.split(command), "--port", "0"]
    with subprocess.Popen(words, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            ready = re.search(r"http://[^:]+:(\d+)/", server.stdout.readline())
            assert ready is not None
            yield int(ready[1])
        finally:
            server.terminate()


def run(command: list[str], folder: Path) -> str:
    """Run a command as a reader does, and return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--raw" not in done.stderr, f"The text looks untokenised: {done.stderr}"
    return done.stdout


def test_most_blocks_are_run():
    ran = [block for block in ALL_BLOCKS if block.not_run is None and block.language not in NOT_RUN]
    assert len(ran) >= 18
    assert {"README.md", "docs/figures.md", "docs/evaluation.md"} <= {block.document for block in ran}


def inline_commands(document: Path) -> list[str]:
    """The commands within sentences and tables, which are often names of commands and not whole ones."""
    prose = re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [" ".join(found.split()) for found in re.findall(r"`(wordalign [^`]+)`", prose)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_commands_and_options_within_sentences_exist(document):
    for command in inline_commands(document):
        parser = build_parser()
        words = shlex.split(command.replace("…", "").replace("\\|", "|"))[1:]
        while words and (below := subparsers(parser)):
            assert words[0] in below, f"{document.name}: {command}"
            parser = below[words.pop(0)]
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= set(parser._option_string_actions), f"{document.name}: {command}"


def subparsers(parser: ArgumentParser) -> dict[str, ArgumentParser]:
    return next((action.choices for action in parser._actions if isinstance(action, _SubParsersAction)), {})


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_and_images_lead_somewhere(document):
    text = document.read_text("utf-8")
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    for target in targets:
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_files_to_read_are_there():
    """The list names `links/` (a folder), `types.py` (a file) and `argmax` (a file of the last folder)."""
    text = (ROOT / "README.md").read_text("utf-8")
    section = text.partition("## Reading the code")[2].partition("\n\n`training/`")[0]
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)*(?:/|\.py)?)`", section.partition("1.")[2])
    assert len(named) > 40
    package, folder = ROOT / "src/wordalign", Path()
    for name in named:
        if name.endswith("/"):
            whole = name.count("/") > 1 or (package / name).is_dir()
            path = package / name if whole else folder / name
            folder = path if whole else folder
        else:
            path = package / name if name.endswith(".py") else folder / f"{name}.py"
        assert path.exists(), f"{name} is not at {path.relative_to(ROOT)}"


def test_the_site_is_built(tmp_path):
    """A link that leads nowhere, or a name that the reference does not find, is an error."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first = (tmp_path / "site/index.html").read_text("utf-8")
    assert "Which word of a sentence corresponds" in first
    assert 'src="http' not in first  # the site loads nothing from elsewhere
    reference = (tmp_path / "site/reference/index.html").read_text("utf-8")
    for name in wordalign.__all__:
        assert f">{name}<" in reference or name == "__version__", name


def test_docstrings_become_markdown(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from site_docstrings import as_markdown

    docstring = "Add.\n\n`one`  a number,\n       or two\n`three` another\n\n>>> 1 + 1\n2\n\nThe end."
    assert as_markdown(docstring) == (
        "Add.\n\n- `one`: a number, or two\n- `three`: another\n\n```python\n>>> 1 + 1\n2\n```\n\nThe end."
    )
    assert as_markdown("`one` is one of\n`two` words.") == "`one` is one of\n`two` words."


def test_the_tables_are_those_of_the_results():
    done = subprocess.run(
        [sys.executable, "benchmarks/tables.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_example_files_belong_together():
    """`pairs.txt` holds the words of `eng.txt` and `deu.txt`, and `gold.txt` links those words."""
    source, target, pairs, gold = (
        (EXAMPLES / name).read_text("utf-8").splitlines()
        for name in ("eng.txt", "deu.txt", "pairs.txt", "gold.txt")
    )
    assert len(source) == len(target) == len(pairs) == len(gold)
    for left, right, pair, links in zip(source, target, pairs, gold, strict=True):
        words = split_words(left).words, split_words(right).words
        assert pair == f"{' '.join(words[0])} ||| {' '.join(words[1])}"
        for link in links.split():
            i, j = map(int, re.split("[-p]", link))
            assert (i < len(words[0]), j < len(words[1])) == (True, True), link
