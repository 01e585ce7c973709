"""What the experiments share."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from mini import make_data
from reproduction.lab import tables
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options
from reproduction.lab.systems import NotRunError, RememberingEncoder
from reproduction.lab.text import find_text, read_text
from reproduction.layers import OneLayer

from wordalign import Aligner
from wordalign.encoders import Encoder
from wordalign.types import Encoding


def test_table_cells_are_written_as_documented():
    failures, examples = doctest.testmod(tables)
    assert examples >= 3
    assert failures == 0


def test_differences_have_a_sign_and_no_minus_zero():
    assert tables.signed(-0.001) == "+.00"
    assert tables.signed(-0.014) == "−.01"
    assert tables.both(1.0, 0.98) == "1.000 (.98, +.02)"


class Counting(Encoder):
    signature = "counting"
    default_level = "word"

    def __init__(self):
        self.asked = []

    def encode(self, sentences):
        self.asked += [tuple(sentence) for sentence in sentences]
        return [Encoding(np.ones((len(words), 2)), np.arange(len(words))) for words in sentences]


def test_each_sentence_is_encoded_once():
    inner = Counting()
    encoder = RememberingEncoder(inner)
    first = encoder.encode([["a", "b"], ["c"], ["a", "b"]])
    second = encoder.encode([["c"], ["d"]])
    assert inner.asked == [("a", "b"), ("c",), ("d",)]
    assert [len(found.vectors) for found in first + second] == [2, 1, 2, 1, 1]
    assert second[0] is first[1]
    assert encoder.default_level == "word"
    assert (encoder.signature, encoder.calibration) == ("counting", None)


def test_forgetting_loses_nothing(monkeypatch):
    monkeypatch.setattr("reproduction.lab.systems.REMEMBERED_NUMBERS", 5)
    encoder = RememberingEncoder(Counting())
    for words in (["a", "b"], ["c", "d"], ["a", "b"], ["e"], ["c", "d"]):
        assert len(encoder.encode([words, ["f"]])[0].vectors) == len(words)


def test_a_layer_is_that_layer(tiny_model, sentence_pairs):
    folder = str(tiny_model("bert"))
    pairs = sentence_pairs[:6]
    sentences = list(dict.fromkeys(tuple(side) for pair in pairs for side in pair))
    every = Aligner(folder, layer="conc").encoder.encode(sentences)
    encodings = dict(zip(sentences, every, strict=True))
    for layer in range(5):
        expected = Aligner(folder, layer=layer, level="subword", method="argmax").align_batch(pairs)
        sliced = OneLayer(encodings, layer, 5)
        found = Aligner(sliced, level="subword", method="argmax").align_batch(pairs)
        assert [one.links for one in found] == [one.links for one in expected]


def test_text_of_one_source_and_of_any(tmp_path):
    path = tmp_path / "eng-deu.tsv"
    path.write_text("Yes.\tJa.\ttatoeba\nNo one.\tNiemand.\teuroparl-direct\n", "utf-8")
    assert find_text(tmp_path, "deu") == path
    assert read_text(path, "deu", 10) == [(("No", "one", "."), ("Niemand", "."))]
    path.write_text("Yes.\tJa.\nNo one.\tNiemand.\n", "utf-8")
    assert len(read_text(path, "deu", 10)) == 2
    assert len(read_text(path, "deu", 1)) == 1
    assert find_text(tmp_path, "fra") is None


def test_what_is_missing_is_said(tmp_path):
    lab = Lab(Options(data=make_data(tmp_path), text=None, work=tmp_path / "work"))
    assert lab.languages == ["deu", "hin"]
    with pytest.raises(NotRunError, match="gold not available"):
        lab.gold("fas")
    with pytest.raises(NotRunError, match="no parallel text"):
        lab.text("deu", 10)
    with pytest.raises(NotRunError, match="no mapped vectors"):
        lab.encoder(lab.system("fasttext"), "word", "deu")
    assert lab.gold("deu").counts() == {"sentences": 5, "sure": 40, "possible": 2}


def test_without_training_only_what_is_trained_is_run(tmp_path):
    data, work = make_data(tmp_path), tmp_path / "work"
    lab = Lab(Options(data=data, text=data / "text", work=work, train=False))
    with pytest.raises(NotRunError, match="not trained here on 5 pairs"):
        lab.trained("fast_align", "word", "deu", 5)
    before = lab.describe(["engines"])
    work.mkdir()
    (work / "fast_align.json").touch()
    assert lab.describe(["engines"]) != before
