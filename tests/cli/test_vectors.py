"""`wordalign vectors` as its user runs it, from text to links."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from wordalign.cli import main
from wordalign.encoders.static.vectors import Vectors
from wordalign.vectors.read import read_vectors
from wordalign.vectors.write import write_vectors

sys.path.insert(0, str(Path(__file__).parent.parent / "vectors"))
from spaces import disguised, language


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as stop:  # argparse's own complaints
            code = stop.code
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return run_command


@pytest.fixture
def twins(tmp_path) -> list[str]:
    """eng.vec and xxx.npy, whose words are the same in another order and another alphabet."""
    rows = language(400)
    copy, order = disguised(rows)
    words = [f"w{number}" for number in range(len(rows))]
    write_vectors(tmp_path / "eng.vec", Vectors(tuple(words), rows))
    write_vectors(tmp_path / "xxx.npy", Vectors(tuple(f"x{number}" for number in order), copy))
    return words


def test_from_vectors_to_links(run, twins, tmp_path):
    code, _, err = run(
        "vectors", "map", "eng.vec", "xxx.npy", "-o", "both", "--patience", "5", "--device", "cpu"
    )
    assert code == 0, err
    assert "both: converged after" in err
    assert "of their pairs recovered" in err
    manifest = json.loads((tmp_path / "both" / "vectors.json").read_text())
    assert manifest["mapping"]["good"]
    assert (manifest["source"]["name"], manifest["target"]["name"]) == ("eng", "xxx")
    assert manifest["settings"]["start"] == "distributions"
    (tmp_path / "eng.txt").write_text("w3 w1 w2\n\nw4 zzz\n")
    (tmp_path / "xxx.txt").write_text("x1 x2 x3\nx9\nqqq x4\n")
    code, out, err = run(
        "align", "eng.txt", "xxx.txt", "--model", "both", "--method", "argmax", "--distortion", "0.1"
    )
    assert (code, out) == (0, "0-2 1-0 2-1\n\n0-1\n"), err


def test_a_doubtful_mapping_is_written_with_a_warning(run, twins, tmp_path):
    write_vectors(tmp_path / "other.npy", Vectors(tuple(map(str, range(400))), language(400, seed=7)))
    code, _, err = run("vectors", "map", "eng.vec", "other.npy", "-o", "both", "--patience", "3")
    assert code == 0
    assert "warning: it is not certain that the mapping is right: mean similarity" in err
    assert not json.loads((tmp_path / "both" / "vectors.json").read_text())["mapping"]["good"]


def test_a_failed_mapping_is_not_written_unless_forced(run, twins, tmp_path):
    noise = np.random.default_rng(0).standard_normal((400, 30)).astype(np.float32)
    write_vectors(tmp_path / "noise.npy", Vectors(tuple(map(str, range(400))), noise))
    files = ["vectors", "map", "eng.vec", "noise.npy", "-o", "both", "--patience", "3"]
    code, _, err = run(*files)
    assert code == 1
    assert "The mapping failed: mean similarity" in err
    assert not list(tmp_path.glob("both*"))
    code, _, err = run(*files, "--force")
    assert code == 0
    assert "warning: it is not certain" in err
    assert not json.loads((tmp_path / "both" / "vectors.json").read_text())["mapping"]["good"]


def test_a_dictionary_as_a_start(run, twins, tmp_path):
    (tmp_path / "pairs.tsv").write_text("".join(f"w{n}\tx{n}\n" for n in range(50)))
    options = ["-o", "both", "--patience", "3"]
    assert run("vectors", "map", "eng.vec", "xxx.npy", "--dictionary", "pairs.tsv", *options)[0] == 0
    code, _, err = run("vectors", "map", "eng.vec", "xxx.npy", "--identical", *options)
    assert code == 1
    assert "Only 0 identical words" in err
    (tmp_path / "pairs.tsv").write_text("one two three\n")
    code, _, err = run("vectors", "map", "eng.vec", "xxx.npy", "--dictionary", "pairs.tsv", *options)
    assert code == 1
    assert "pairs.tsv, line 1: expected two words" in err


def test_training(run, tmp_path):
    pytest.importorskip("gensim")
    (tmp_path / "eng.txt").write_text("The old bridge, closed!\nThe new bridge.\n" * 20, "utf-8")
    code, _, err = run("vectors", "train", "eng.txt", "--raw", "--lowercase", "--dimensions", "8",
                       "--epochs", "1", "--buckets", "100", "--threads", "1",
                       "-o", "eng.vec", "eng.bin")  # fmt: skip
    assert code == 0, err
    assert "words: eng.vec eng.bin" in err
    assert set(read_vectors("eng.vec").words) == {"the", "bridge", "old", "new", "closed", ",", "!", "."}
    assert read_vectors("eng.bin").ngrams is not None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eng.bin", "eng.txt", "eng.vec"]
    code, _, _ = run("vectors", "convert", "eng.vec", "-o", "eng.npy", "--max-words", "3")
    assert code == 0
    assert len(read_vectors("eng.npy").words) == 3
    code, _, err = run("vectors", "train", "eng.txt", "--raw", "--level", "subword", "--dimensions", "4",
                       "--buckets", "100", "-o", "pieces.vec")  # fmt: skip
    assert code == 0, err
    assert "▁bridge" in read_vectors("pieces.vec").words


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "none.txt", "-o", "v.vec"], 1, "There is no file none.txt"),
        (["train", "eng.vec", "-o", "v.txt"], 2, "written as .vec, .vec.gz, .npy or .bin, not as 'v.txt'"),
        (["train", "eng.vec", "-o", "no/v.vec"], 1, "Cannot write"),
        (["train", "eng.vec", "-o", "v.vec", "--epochs", "0"], 2, "epochs must be 1 or more"),
        (["map", "eng.vec", "none.vec", "-o", "both"], 1, "There is no file none.vec"),
        (["map", "eng.vec", "xxx.npy", "-o", "."], 1, "was not made by this command"),
        (["map", "eng.vec", "xxx.npy", "-o", "no/both"], 1, "there is no folder no"),
        (["map", "eng.vec", "xxx.npy", "-o", "both", "--device", "cuda:99"], 2, "The device 'cuda:99'"),
        (["map", "eng.vec", "xxx.npy", "-o", "both", "--cutoff", "0"], 2, "cutoff must be 1 or more"),
        (["convert", "eng.vec", "-o", "v.bin"], 2, "written as"),
    ],
)
def test_mistakes_are_explained_in_a_line(run, twins, tmp_path, arguments, code, message):
    found, _, err = run("vectors", *arguments)
    assert (found, message in err) == (code, True), err
    assert not (tmp_path / "both").exists()
