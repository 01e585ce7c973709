"""A real cluster of several nodes, which loses workers, nodes and its driver in the middle of the work."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cluster_nodes import cluster

from wordalign.cli import main
from wordalign.config import AlignConfig
from wordalign.errors import InputError, WordalignError
from wordalign.run.ray import ClusterConfig, align_shards, run

LINES, SHARD = 280, 75  # of each file; its last part is short
DEADLY = """
import os

def split(text):
    if "\\u6b7b" in text:
        os._exit(1)
    return list(text)
"""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    """Two nodes of a core each, and a module that only they, and this process, can import."""
    folder = tmp_path_factory.mktemp("modules")
    (folder / "deadly.py").write_text(DEADLY)
    with pytest.MonkeyPatch.context() as patch, cluster(2, [folder]) as found:
        patch.syspath_prepend(folder)
        yield found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, sentence_pairs):
    """Two parallel folders of two files each."""
    folder = tmp_path_factory.mktemp("corpus")
    for side, name in enumerate(("eng", "other")):
        (folder / name).mkdir()
        for file, start in (("a.txt", 0), ("b.txt", 7)):
            chosen = (sentence_pairs[(line + start) % len(sentence_pairs)][side] for line in range(LINES))
            # A number in each line: one result cannot be taken for another.
            lines = [f"{number} {' '.join(words)}\n" for number, words in enumerate(chosen)]
            (folder / name / file).write_text("".join(lines), "utf-8")
    return folder


TINY = AlignConfig("tiny")


def lines_of(folder):
    return [path.read_text("utf-8").split("\n")[:-1] for path in sorted(folder.glob("part-*.txt"))]


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text("utf-8"))


def test_a_worker_and_a_node_die_and_every_line_has_one_result(nodes, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "_PLANNED_HERE", 0)  # the input is cut by the cluster too, as a large one is
    inputs = [str(corpus / name) for name in ("eng", "other")]
    out, one = tmp_path / "out", tmp_path / "one.txt"
    steps = []

    def disturb(step) -> None:
        steps.append((step.parts, step.of_parts))
        if step.parts == 1:
            nodes.kill_worker()
        if step.parts == 3:
            nodes.kill_node()

    found = align_shards(inputs, str(out), TINY, ClusterConfig(nodes.address, lines=SHARD), progress=disturb)
    nodes.add()
    assert steps == [(parts, 8) for parts in range(9)]
    assert (found.lines, found.failed, found.parts, found.resumed) == (2 * LINES, 0, 8, False)
    manifest = manifest_of(out)
    assert manifest["complete"]
    assert [part["lines"] for part in manifest["shards"]] == [75, 75, 75, 55] * 2
    assert {path.name for path in out.iterdir()} == {
        "manifest.json", *(part["name"] for part in manifest["shards"]),
    }  # fmt: skip
    # The same from one machine, with the lines that each part is made from.
    for part in manifest["shards"]:
        files = [tmp_path / "source.txt", tmp_path / "target.txt"]
        for file, whole in zip(files, part["files"], strict=True):
            lines = Path(whole).read_bytes().splitlines(keepends=True)
            file.write_bytes(b"".join(lines[part["before"] : part["before"] + part["lines"]]))
        assert main(["align", *map(str, files), "--model", "tiny", "-o", str(one), "--workers", "1"]) == 0
        assert one.read_bytes() == (out / part["name"]).read_bytes()


def test_a_driver_that_dies_is_gone_on_with(nodes, corpus, tmp_path):
    out = tmp_path / "out"
    files = [str(corpus / name / "a.txt") for name in ("eng", "other")]
    command = [sys.executable, "-m", "wordalign", "align", *files, "-o", str(out)]
    command += ["--engine", "ray", "--address", nodes.address, "--model", "tiny", "--shard-lines", "40"]
    driver = subprocess.Popen(command)
    end = time.monotonic() + 120
    while len(done := list((out / "finished").glob("part-*.json"))) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert len(done) >= 3
    assert not manifest_of(out)["complete"]
    before = {path.stem: (out / f"{path.stem}.txt").stat().st_ino for path in done}
    subprocess.run(command, check=True)
    assert manifest_of(out)["complete"]
    assert [len(part) for part in lines_of(out)] == [40] * 7
    # What was done before is not made again.
    assert before == {name: (out / f"{name}.txt").stat().st_ino for name in before}


def test_a_line_that_kills_its_workers_costs_its_part_alone(nodes, tmp_path):
    (tmp_path / "pairs.tsv").write_text("是\tyes\n好\tgood\n死\tdead\n不\tno\n", "utf-8")
    sources, out = [str(tmp_path / "pairs.tsv")], str(tmp_path / "out")
    cluster = ClusterConfig(nodes.address, lines=1)
    with pytest.raises(WordalignError, match=r"1 of 4 parts .* died 4 times.* part-00002\.txt, lines 3 to 3"):
        align_shards(sources, out, TINY, cluster, raw=True, segmenter="deadly:split")
    names = sorted(path.name for path in (tmp_path / "out").glob("part-*"))
    assert names == ["part-00000.txt", "part-00001.txt", "part-00003.txt"]


def test_a_bad_line_stops_the_run(nodes, tmp_path):
    (tmp_path / "pairs.tsv").write_bytes(b"Yes\tJa\n" * 4 + b"no tab\n" + b"No\tNein\n")
    sources, cluster = [str(tmp_path / "pairs.tsv")], ClusterConfig(nodes.address, lines=2)
    with pytest.raises(InputError, match=r"pairs\.tsv, line 5: expected source, TAB, target"):
        align_shards(sources, str(tmp_path / "out"), TINY, cluster)
    assert not (tmp_path / "out/part-00002.txt").exists()
    assert not manifest_of(tmp_path / "out")["complete"]


def test_a_cluster_that_is_not_there(tmp_path, capsys):
    (tmp_path / "pairs.tsv").write_text("Yes\tJa\n")
    arguments = ["align", str(tmp_path / "pairs.tsv"), "--engine", "ray", "-o", str(tmp_path / "out")]
    assert main([*arguments, "--address", "127.0.0.1:1", "--model", "tiny"]) == 1
    assert "wordalign: There is no Ray cluster at 127.0.0.1:1: Connection refused." in capsys.readouterr().err
