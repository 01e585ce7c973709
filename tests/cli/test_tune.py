"""`wordalign tune` as its user runs it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("thot")

sys.path.insert(0, str(Path(__file__).parent.parent / "tuning"))
from toys import toy_pairs, write_toy_model

from wordalign.cli import main


def test_from_files_to_a_model_that_align_takes(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    write_toy_model(tmp_path / "toy")
    pairs = toy_pairs(80)
    lines = [(" ".join(pair.source.words), " ".join(pair.target.words)) for pair, _ in pairs]
    links = [" ".join(f"{i}-{j}" for i, j in sorted(gold.sure)) for _, gold in pairs]
    columns = {"a.txt": [a for a, _ in lines], "b.txt": [b for _, b in lines], "gold.txt": links}
    for name, column in columns.items():
        Path(name).write_text("\n".join(column) + "\n", encoding="utf-8")
    command = ["tune", "a.txt", "b.txt", "--gold", "gold.txt", "-o", "mine", "--model", "toy"]
    assert main([*command, "--gold-steps", "30", "--gold-rate", "0.003", "--languages", "xxx"]) == 0
    said = capfd.readouterr().err
    assert "gold: step 30 of 30, held-out AER" in said
    assert "by more than chance" in said
    assert "In other languages" in said
    assert "mine is written" in said
    assert main(["align", "a.txt", "b.txt", "--model", "mine", "-o", "links.txt"]) == 0
    assert main(["evaluate", "gold.txt", "links.txt"]) == 0
    found = capfd.readouterr().out
    assert "AER" in found or "aer" in found.lower()
    assert main(["models", "mine", "--languages"]) == 0
    assert "xxx" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Give parallel text"),
        (["few.txt", "few.txt"], 1, "3 usable pairs of text and no gold links"),
        (["few.txt", "none.txt"], 1, "none.txt"),
        (["few.txt", "few.txt", "--aligner", "no_such"], 1, "3 usable pairs"),
    ],
)
def test_bad_input_is_a_sentence(tmp_path, monkeypatch, capfd, arguments, code, said):
    monkeypatch.chdir(tmp_path)
    Path("few.txt").write_text("one\ntwo words\nthree\n", encoding="utf-8")
    assert main(["tune", *arguments, "-o", "mine"]) == code
    assert said in capfd.readouterr().err
    assert not Path("mine").exists()
