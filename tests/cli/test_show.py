"""`wordalign show` as its user runs it: real files, a real terminal, the bundled model."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from wordalign.cli import main

COMMAND = [sys.executable, "-m", "wordalign", "show"]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    (tmp_path / "eng.txt").write_text("The museum is closed .\nYes\nThe <script> house\n", "utf-8")
    (tmp_path / "deu.txt").write_text("Das Museum ist geschlossen .\nJa\nDas <script> Haus\n", "utf-8")
    (tmp_path / "a.txt").write_text("0-0 1-1 2-2 3-3 4-4\n0-0\n0-0 1-1 2-2\n", "utf-8")
    (tmp_path / "b.txt").write_text("0-0 1-1 2-3 3-3 4-4\n0-0\n0-0 2-2\n", "utf-8")
    (tmp_path / "gold.txt").write_text("0-0 1-1 2p2 3-3 4-4\n0-0\n0-0 1-1 2p2\n", "utf-8")
    return tmp_path


@pytest.fixture
def show(corpus, capfdbinary):
    capfdbinary.readouterr()

    def run(*arguments: str):
        try:
            code = main(["show", *arguments])
        except SystemExit as stop:
            code = stop.code
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


FILES = ("eng.txt", "deu.txt")


def test_two_sentences_from_the_command_line(show):
    code, out, _ = show("--pair", "The museum is closed.", "Das Museum ist geschlossen.")
    assert code == 0
    assert out.splitlines() == [
        "The  museum  is  closed  .",
        " 0     1     2     3     4",
        "",
        " 0     1      2        3       4",
        "Das  Museum  ist  geschlossen  .",
    ]


def test_existing_links_gold_and_a_choice_of_lines(show):
    code, out, _ = show(*FILES, "--links", "a.txt", "--gold", "gold.txt", "--lines", "2-3")
    assert code == 0
    assert "museum" not in out
    assert out.startswith("── 2 ──\nYes\n")
    assert "── 3 ──" in out
    assert "2?" in out
    code, out, _ = show(*FILES, "--links", "a.txt", "--links", "b.txt", "--line", "1")
    assert "2¹" in out
    assert "2²,3" in out
    assert "n¹ a.txt only   n² b.txt only" in out


def test_links_that_align_wrote_with_their_words(show, corpus):
    record = {"source": ["a", "b"], "target": ["x"], "links": [[1, 0]]}
    (corpus / "links.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    code, out, _ = show("links.jsonl", "--links", "links.jsonl")
    assert code == 0
    assert out.splitlines()[1:3] == ["a  b", "·  1"]


def test_a_grid_in_the_terminal(show):
    _, out, _ = show(*FILES, "--links", "a.txt", "--gold", "gold.txt", "--line", "1", "--grid")
    assert "│  ┌ Museum" in out
    assert out.count("[●]") == 4
    assert out.count("(●)") == 1


def test_svg_png_and_html(show, corpus):
    code, out, _ = show(*FILES, "--links", "a.txt", "--line", "3", "--svg", "p.svg", "--title", "A <title>")
    assert (code, out) == (0, "")
    texts = [element.text for element in ElementTree.parse("p.svg").iter() if element.tag.endswith("text")]
    assert {"A <title>", "<script>", "Haus"} <= set(texts)
    code, _, _ = show(
        *FILES, "--links", "a.txt", "--links", "b.txt", "--gold", "gold.txt", "--html", "p.html"
    )
    assert code == 0
    page = (corpus / "p.html").read_text("utf-8")
    assert "<script> house" not in page
    assert page.count("\\u003cscript>") == 2
    assert not list(corpus.glob("*.partial"))
    code, _, _ = show(*FILES, "--links", "a.txt", "--line", "3", "--grid", "--png", "p.png")
    assert code == 0
    assert (corpus / "p.png").read_bytes().startswith(b"\x89PNG")


def test_several_pictures_are_written_together_or_not_at_all(show, corpus):
    chosen = (*FILES, "--links", "a.txt", "--line", "1")
    code, _, _ = show(*chosen, "--svg", "p.svg", "--png", "p.png", "--html", "p.html.gz")
    assert code == 0
    assert (corpus / "p.svg").read_text("utf-8").startswith("<svg")
    assert (corpus / "p.png").read_bytes().startswith(b"\x89PNG")
    assert b"Word alignments" in gzip.decompress((corpus / "p.html.gz").read_bytes())
    before = sorted(corpus.iterdir())
    for failing in (
        (*FILES, "--links", "a.txt", "--html", "q.html", "--svg", "q.svg"),  # three pairs do not fit an SVG
        (*chosen, "--html", "q.html", "--png", "q.png", "--svg", "nowhere/q.svg"),
        (*chosen, "--svg", "q.svg", "--html", "q.svg"),
    ):
        code, _, err = show(*failing)
        assert code in (1, 2), err
        assert sorted(corpus.iterdir()) == before


def test_links_of_a_file_below_the_threshold_are_not_drawn(show, corpus):
    (corpus / "scored.txt").write_text("0-0:0.9 1-1:0.5 2-2:0.7 3-3:0.3 4-4:0.9\n0-0\n0-0\n", "utf-8")
    _, out, _ = show(*FILES, "--links", "scored.txt", "--line", "1", "--threshold", "0.7")
    assert out.splitlines()[2].split() == ["0", "·", "2", "·", "4"]


def test_links_of_plain_text_are_said_to_need_raw(show, corpus):
    (corpus / "eng.txt").write_text("The museum is closed.\n", "utf-8")
    (corpus / "deu.txt").write_text("Das Museum ist geschlossen.\n", "utf-8")
    (corpus / "a.txt").write_text("0-0 1-1 2-2 3-3 4-4\n", "utf-8")
    for option in ("--links", "--gold"):
        code, _, err = show(*FILES, "--links", "a.txt", option, "a.txt")
        assert code == 1
        assert "out of range: the source sentence has 4 words" in err
        assert "give --raw here too" in err
    assert show(*FILES, "--links", "a.txt", "--gold", "a.txt", "--raw")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["The house", "Das Haus"], 1, "no file The house. To draw two sentences instead, add --pair."),
        (["--pair", "The house"], 2, "--pair takes two sentences"),
        ([*FILES, "--links", "a.txt", "--svg", "p.svg"], 2, "choose it with --line N"),
        ([*FILES, "--links", "a.txt", "--line", "9"], 1, "the input has no line 9"),
        ([*FILES, "--links", "short.txt"], 1, "short.txt ends before line 2"),
        ([*FILES, "--links", "long.txt"], 1, "long.txt has more lines than the text"),
        ([*FILES, "--links", "wide.txt"], 1, "wide.txt, line 1: link 9-0"),
        ([*FILES, "--links", "a.txt", "--gold", "short.txt"], 1, "short.txt has no gold links for line 2"),
        ([*FILES, "--links", "a.txt", "--gold", "wide.txt"], 1, "wide.txt, sentence 1: link 9-0"),
        ([*FILES, "--links", "a.txt", "--html", "p.html", "--grid"], 2, "has no grids"),
        ([*FILES, "--links", "a.txt", "--line", "1", "--svg", "eng.txt"], 2, "is an input too"),
        ([*FILES, "--links", "a.txt", "--line", "1", "--svg", "no/p.svg"], 1, "Cannot write no/p.svg"),
        ([*FILES, "--links", "a.txt", "--method", "argmax"], 2, "not both"),
        ([*FILES, "--method", "argmax", "match", "itermax"], 2, "At most two"),
        ([*FILES, "--lines", "3-1"], 2, "lines count from 1"),
        ([*FILES, "--lines", "x"], 2, "not like 3-7"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_explained(show, corpus, arguments, code, said):
    (corpus / "short.txt").write_text("0-0\n", "utf-8")
    (corpus / "long.txt").write_text("0-0\n" * 4, "utf-8")
    (corpus / "wide.txt").write_text("9-0\n0-0\n0-0\n", "utf-8")
    found, _, err = show(*arguments)
    assert (found, said in err, "Traceback" in err) == (code, True, False), err
    assert (corpus / "eng.txt").read_text("utf-8").startswith("The museum")


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command writes to a real terminal of 50 columns."""
    leader, follower = pty.openpty()
    variables = {**os.environ, "COLUMNS": "50", "TERM": "xterm-256color", **environment}
    with subprocess.Popen([*COMMAND, *arguments], stdout=follower, stderr=follower, env=variables):
        os.close(follower)
        read = b""
        while True:
            try:
                block = os.read(leader, 4096)
            except OSError:  # how Linux says that the other side is closed
                break
            if not block:
                break
            read += block
    os.close(leader)
    return read.decode()


def test_colours_only_where_they_are_wanted(corpus, show, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    chosen = (*FILES, "--links", "a.txt", "--line", "1")
    assert "\x1b[38;5;" in on_a_terminal(*chosen)
    assert "\x1b" not in on_a_terminal(*chosen, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(*chosen, TERM="dumb")
    assert "\x1b" not in on_a_terminal(*chosen, "--colour", "never")
    assert "\x1b" not in show(*chosen)[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[38;5;" in show(*chosen, "--color", "always")[1]
