from __future__ import annotations

import json

import pytest

from wordalign.cli import main
from wordalign.encoders import BUNDLED_MODELS


@pytest.mark.parametrize("model", [None, "tiny"])
def test_every_language_of_a_bundled_model_has_a_line(model, capsys):
    assert main(["models", "--languages", *([model] if model else [])]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["code", "language", "script", "pairs", "measured"]
    folder = next(known.folder for known in BUNDLED_MODELS if model in (None, known.name))
    about = json.loads((folder / "model.json").read_text("utf-8"))
    codes = [entry["language"] for entry in about.get("coverage", [])] or about["languages"]
    assert [line.split()[0] for line in lines] == codes
    assert all("F1" in line or line.endswith("not measured") for line in lines)


@pytest.fixture
def folder(tmp_path):
    """Makes a folder of the bundled format whose model.json says what is given."""

    def make(about):
        (tmp_path / "model.onnx").touch()
        (tmp_path / "model.json").write_text(json.dumps(about), "utf-8")
        return str(tmp_path)

    return make


def test_figures_pairs_and_names_are_shown_where_they_are_known(folder, capsys):
    german = {"language": "deu", "name": "German", "pairs": 320000, "script": "Latn",
              "measured": {"set": "eng-deu", "f1": 0.8, "aer": 0.1}}  # fmt: skip
    thai = {"language": "tha", "name": "Thai", "pairs": 1200, "script": "Thai"}
    model = folder({"languages": ["xxx"], "coverage": [german, thai, {"language": "lao", "measured": None}]})
    assert main(["models", model, "--languages"]) == 0
    assert capsys.readouterr().out == (
        "code  language  script    pairs  measured\n"
        "deu   German    Latn    320,000  F1 0.800, AER 0.100 (eng-deu)\n"
        "tha   Thai      Thai      1,200  not measured\n"
        "lao                              not measured\n"
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["models", "base"], "give --languages too"),
        (["models", "mbert", "--languages"], "has no list of languages"),
        (["models", "tiyn", "--languages"], "Did you mean 'tiny'"),
    ],
)
def test_what_cannot_be_listed(arguments, complaint, capsys):
    assert main(arguments) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("about", [{}, {"coverage": [{"name": "German"}]}, {"coverage": "deu"}, []])
def test_a_damaged_list_is_told(about, folder, capsys):
    assert main(["models", folder(about), "--languages"]) == 1
    assert "does not say which languages" in capsys.readouterr().err
