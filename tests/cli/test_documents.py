"""`wordalign documents` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wordalign.cli import main
from wordalign.documents.read import read_characters

EXAMPLES = Path(__file__).parents[2] / "examples"
STORY = [str(EXAMPLES / f"story-{code}.txt") for code in ("eng", "deu")]


def run(capsys, *arguments):
    code = main(["documents", "--model", "tiny", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_all_outputs_at_once(capsys, tmp_path):
    names = {option: tmp_path / f"out.{option}" for option in ("tsv", "tmx", "html", "raw")}
    options = [part for option, path in names.items() for part in (f"--{option}", path)]
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    code, out, err = run(capsys, *STORY, "-o", tmp_path / "out.jsonl", *options, "--texts", *texts)
    assert (code, out) == (0, "")
    assert "14 and 15 sentences" in err
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    source, target = (read_characters(path) for path in STORY)
    for record in records:
        side = record["source"]
        assert source[side["start"] : side["end"]] == side["text"]
    links = [tuple(map(float, line.split("\t"))) for line in names["raw"].read_text().splitlines()]
    assert ("Zeitungen", "newspapers") in {
        (target[int(c) : int(d)], source[int(a) : int(b)]) for a, b, c, d, _ in links
    }
    assert len(links) == sum(len(record["links"]) for record in records)
    assert len(names["tsv"].read_text("utf-8").splitlines()) == 13
    assert "<tmx" in names["tmx"].read_text("utf-8")
    assert "Mütze" in names["html"].read_text("utf-8")
    assert [path.read_text("utf-8") for path in texts] == [source, target]


def test_json_goes_to_the_terminal_and_low_scores_stay_out_of_pairs(capsys, tmp_path):
    code, out, _ = run(capsys, *STORY, "--languages", "en", "de")
    assert code == 0
    assert len(out.splitlines()) == 14
    pairs = tmp_path / "pairs.tsv"
    run(capsys, *STORY, "--tsv", pairs, "--min-score", "0.99")
    scores = [float(line.split("\t")[2]) for line in pairs.read_text("utf-8").splitlines()]
    assert 0 < len(scores) < 13
    assert min(scores) >= 0.99


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((STORY[0], "nowhere.txt"), 1, "There is no file nowhere.txt"),
        ((*STORY, "--min-score", "2"), 2, "between 0 and 1"),
        ((*STORY, "--method", "argmax", "itermax"), 2, "Give one --method"),
        (("-", "-"), 2, "Only one"),
        ((*STORY, "--languages", "english", "german!"), 2, "ISO 639"),
    ],
)
def test_wrong_usage(capsys, arguments, code, said):
    found, _, err = run(capsys, *arguments)
    assert found == code
    assert said in err


def test_codes_that_are_not_known_are_named(capsys):
    code, out, err = run(capsys, *STORY, "--languages", "xx", "deu")
    assert code == 0
    assert out
    assert "xx is no language code" in err
    assert "deu is no language code" in err
    _, _, err = run(capsys, *STORY, "--languages", "en", "de-AT")
    assert "language code" not in err


def test_no_output_overwrites_a_text(capsys, tmp_path):
    copy = tmp_path / "a.txt"
    copy.write_text(Path(STORY[0]).read_text("utf-8"), "utf-8")
    code, _, err = run(capsys, copy, STORY[1], "--html", copy)
    assert code == 2
    assert "a.txt" in err
