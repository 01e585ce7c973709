"""`wordalign data` as its user runs it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import termios

import pytest

from data_sets.file_server import serving
from data_sets.publish import made_up, publish
from wordalign.cli import main
from wordalign.data import known_sets, lookup


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("WORDALIGN_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "wordalign" / "data"


@pytest.fixture
def url():
    ((name, content),) = publish(lookup("eng-hin"), made_up("eng-hin"))
    with serving() as server:
        yield server.serve(f"/{name}", content)


def states(capsys, *more):
    assert main(["data", "list", "--json", *more]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)}


def test_the_list_shows_every_set_and_where_it_is(capsys, cache, url, tmp_path, monkeypatch):
    main(["data", "get", "eng-hin", "--url", url])
    main(["data", "get", "eng-hin", "--url", url, "--data", str(tmp_path / "own")])
    capsys.readouterr()
    assert main(["data", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", *known_sets()]
    row = next(line for line in lines if line.startswith("eng-hin "))
    assert row.split()[1:4] == ["eng-hin", "90", "test"]
    assert row.endswith("in cache")
    found = states(capsys)
    assert found["eng-fra"]["state"] == "not downloaded"
    assert found["eng-deu"]["state"] == "on request"
    assert found["eng-hin"]["folder"] == str(cache / "eng-hin")
    assert found["eng-hin"]["verified"] is False
    assert states(capsys, "--data", str(tmp_path / "own"))["eng-hin"]["state"] == "local"
    monkeypatch.setenv("WORDALIGN_DATA", str(tmp_path / "own"))
    assert states(capsys)["eng-hin"]["folder"] == str(tmp_path / "own" / "eng-hin")


def test_the_list_shows_ones_own_sets_and_odd_sizes(capsys, cache):
    for name in ("eng-mine", "eng-fra"):
        (cache / name).mkdir(parents=True)
        (cache / name / "gold.txt").write_text("0-0\n")
    found = states(capsys)
    assert (found["eng-mine"]["sentences"], found["eng-mine"]["state"]) == ([1], "in cache")
    assert found["eng-fra"]["state"] == "in cache (1 sentences)"
    assert main(["data", "list"]) == 0


def test_a_set_of_two_files(capsys, cache, tmp_path):
    name = "eng-deu.europarl2000"
    arguments = []
    for file, content in publish(lookup(name), made_up(name)):
        (tmp_path / file).write_bytes(content)
        arguments += ["--url", str(tmp_path / file)]
    assert main(["data", "get", *arguments, name]) == 0
    assert "150 sentences" in capsys.readouterr().out


def test_a_folder_that_is_not_there_is_said(capsys, tmp_path):
    assert main(["data", "list", "--data", str(tmp_path / "none")]) == 0
    assert capsys.readouterr().err == f"wordalign: there is no folder {tmp_path / 'none'} yet.\n"


def test_get_says_what_it_got_and_how_to_cite_it(capsys, cache, url):
    assert main(["data", "get", "eng-hin", "--url", url]) == 0
    said = capsys.readouterr()
    assert f"eng-hin: 90 sentences, 1,408 sure links, 0 more possible, in {cache / 'eng-hin'}" in said.out
    assert "please cite: Joel Martin" in said.out
    assert "sha256 (recorded" in said.out
    assert said.err == ""
    assert main(["data", "get", "eng-hin"]) == 0
    assert "already" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["eng-due"], 2, "Did you mean 'eng-deu'"),
        (["eng-deu"], 1, "goldAlignment"),
        (["eng-hin", "--url", "none.tar.gz"], 1, "There is no file none.tar.gz"),
        (["eng-hin", "--url", "ftp://127.0.0.1/x"], 2, "neither an https address nor a local file"),
        (["eng-hin", "--url", "http://127.0.0.1:9/x"], 1, "Cannot reach"),
    ],
)
def test_errors_are_sentences(capsys, cache, arguments, code, message):
    assert main(["data", "get", *arguments]) == code
    said = capsys.readouterr().err
    assert said.startswith("wordalign: ")
    assert said.count("\n") == 1
    assert message in said
    assert not cache.exists() or not list(cache.iterdir())


def test_progress_on_a_terminal(url):
    reader, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 80))
    done = subprocess.run(
        [sys.executable, "-m", "wordalign", "data", "get", "eng-hin", "--url", url],
        stdout=subprocess.PIPE, stderr=terminal, timeout=120,
    )  # fmt: skip
    os.close(terminal)
    assert done.returncode == 0
    assert "100%" in os.read(reader, 65536).decode()
