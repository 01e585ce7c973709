"""`wordalign agreement`, with every kind of file that annotators have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordalign.cli import main

WORDS = (["Das", "Haus", "schläft"], ["The", "house", "sleeps"])


def project(*pairs: tuple[dict[str, str], bool], **more: object) -> str:
    """The file of a project whose pairs have these links, done or not."""
    made = [
        {"source": WORDS[0], "target": WORDS[1], "links": links, "done": done, "nulls": {}}
        for links, done in pairs
    ]
    return json.dumps({"format": "wordalign-project", "version": 1, "pairs": made, **more}, indent=1)


ANN = {"0-0": "sure", "1-1": "sure"}
BEN = {"0-0": "sure", "1-1": "possible", "2-2": "sure"}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ann.json").write_text(project((ANN, True), (ANN, True)), "utf-8")
    Path("ben.json").write_text(project((BEN, True), (ANN, False)), "utf-8")
    return tmp_path


def test_projects_are_compared_where_both_are_done(files, capsys):
    assert main(["agreement", "ann.json", "ben.json"]) == 0
    out = capsys.readouterr().out
    assert "pairs   1 (1 not done in both)" in out
    assert "links   2 and 3, 2 in common" in out
    assert "F1      0.800" in out
    assert "AER     0.250 (first against second), 0.200 (second against first)" in out
    assert "kappa   0.727" in out
    assert main(["agreement", "ann.json", "ben.json", "--all", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"], found["both"]) == (2, 4)


def test_common_gold_links_are_what_evaluate_reads(files, capsys):
    assert main(["agreement", "ann.json", "ben.json", "--common", "gold.txt"]) == 0
    assert Path("gold.txt").read_text("utf-8") == "0-0 1p1 2p2\n0-0 1-1\n"
    Path("links.txt").write_text("0-0\n0-0 1-1\n", "utf-8")
    capsys.readouterr()
    assert main(["evaluate", "gold.txt", "links.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"][0]["precision"] == 1


def test_a_project_is_gold_for_evaluate(files, capsys):
    Path("links.txt").write_text("0-0 1-1 2-2\n0-0\n", "utf-8")
    assert main(["evaluate", "ben.json", "links.txt", "--json"]) == 0
    out = capsys.readouterr()
    assert "not marked as done: 1 (first: pair 2)" in out.err
    system = json.loads(out.out)["systems"][0]
    assert (system["precision"], system["recall"]) == (1, 0.75)


def test_pharaoh_and_jsonl_stand_beside_each_other(files, capsys):
    records = [{"source": WORDS[0], "target": WORDS[1], "gold": "0-0 1p1 2-2", "done": True}]
    Path("ben.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    Path("ann.txt").write_text("0-0 1-1\n", "utf-8")
    assert main(["agreement", "ann.txt", "ben.jsonl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["f1"], found["places"]) == (pytest.approx(0.8), 9)
    Path("ben.txt").write_text("0-0 1p1 2-2\n", "utf-8")
    assert main(["agreement", "ann.txt", "ben.txt"]) == 0
    out = capsys.readouterr()
    assert "kappa" not in out.out
    assert "Kappa needs the words" in out.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (project((ANN, True)), "one of them has no pair 2"),
        (project((ANN, True), (ANN, True)).replace("Haus", "Hut"), "The words of pair 1 are not the same"),
        (project((ANN, False), (ANN, False)), "No pair is done in both files"),
        (project(({"0-9": "sure"}, True)), "pair 1: link 0-9"),
        (project(({"0-0": "maybe"}, True)), "pair 1: a link is sure or possible, and not 'maybe'"),
        (project(({"0:0": "sure"}, True)), "'0:0' is not a link"),
        (project(version=9), "was written by a newer wordalign"),
        ('{"format": "other", "pairs": []}', "is not the file of an annotation project"),
        ("{\n", "is neither JSON lines nor the file of a project"),
        ('{"gold": "0-0"}\n{"gold"\n', "line 2: this is not JSON"),
        ('{"gold": "0-0"}\n[1]\n', "pair 2: this is not a pair with words and links"),
    ],
)
def test_files_that_do_not_fit_are_explained(files, capsys, content, said):
    Path("other.json").write_text(content, "utf-8")
    assert main(["agreement", "ann.json", "other.json"]) == 1
    assert said in capsys.readouterr().err
