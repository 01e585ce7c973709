"""What the experiments share."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from mini import make_data
from reproduction.lab import tables
from reproduction.lab.kept import keep_rows
from reproduction.lab.lab import Lab
from reproduction.lab.options import Options
from reproduction.lab.systems import NotRunError, RememberingEncoder, list_systems, load_system
from reproduction.lab.text import find_text, read_text
from reproduction.layers import BundledLayers, OneLayer

from reproduction import train
from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS, Encoder
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


def test_one_training_alone_is_taken_by_the_results(tmp_path, monkeypatch, capsys):
    pytest.importorskip("thot")
    data, work = make_data(tmp_path), tmp_path / "work"
    command = ["train", "--data", str(data), "--work", str(work), "fast_align", "word", "deu", "5", "99"]
    monkeypatch.setattr("sys.argv", command)
    train.main()
    assert "trained on 20 pairs" in capsys.readouterr().err
    lab = Lab(Options(data=data, text=data / "text", work=work, train=False))
    assert lab.trained("fast_align", "word", "deu", 5).text_pairs == 5


def test_no_more_text_than_the_paper_s_aligners_had(tmp_path):
    lab = Lab(Options(data=make_data(tmp_path), train_pairs=50_000, ibm4_pairs=10_000))
    assert [lab.training_size("eflomal", language) for language in ("deu", "ron", "hin")] == [
        50_000,
        50_000,
        3_000,
    ]
    assert lab.training_size("ibm4", "deu") == 10_000
    assert lab.training_size("ibm4", "hin") == 3_000
    few = Lab(Options(data=lab.options.data, ibm4_pairs=10_000, ibm4_subwords=1_000))
    assert few.training_size("ibm4", "deu") == 10_000
    assert few.training_size("ibm4", "deu", level="subword") == 1_000
    assert few.training_size("eflomal", "deu", level="subword") == 10_000
    # A learning curve asks for what it wants.
    assert lab.training_size("eflomal", "hin", 200_000) == 200_000


def test_a_model_s_layer_stands_in_its_name():
    systems = {
        system.key: system for system in list_systems(Options(models=("own[6]=folder", "mbert=other")))
    }
    assert (systems["own"].model, systems["own"].layer, systems["own"].label) == ("folder", 6, "own mBERT[6]")
    assert (systems["mbert"].model, systems["mbert"].layer, systems["mbert"].label) == (
        "other",
        None,
        "mBERT[8]",
    )
    without = next(system for system in list_systems(Options()) if system.key == "own")
    with pytest.raises(NotRunError, match="reproduction/mlm"):
        load_system(without, "word", "deu")


def _agreement(one, other):
    """The share of links that two lists of alignments have in common."""
    links = [{(n, *link) for n, found in enumerate(side) for link in found.links} for side in (one, other)]
    return 2 * len(links[0] & links[1]) / (len(links[0]) + len(links[1]))


def test_the_last_layer_of_base_is_base(sentence_pairs):
    folder = next(model.folder for model in BUNDLED_MODELS if model.name == "base")
    layers = BundledLayers(folder)
    sentences = [tuple(side) for pair in sentence_pairs for side in pair]
    encodings = dict(zip(sentences, layers.encode(sentences), strict=True))
    last = OneLayer(encodings, layers.layers - 1, layers.layers)
    whole = Aligner("base", level="subword", method="argmax").align_batch(sentence_pairs)
    found = Aligner(last, level="subword", method="argmax").align_batch(sentence_pairs)
    # Weights of one byte and their float copies differ in the last digits.
    assert _agreement(whole, found) > 0.9
    first = Aligner(OneLayer(encodings, 0, layers.layers), level="subword", method="argmax")
    assert _agreement(whole, first.align_batch(sentence_pairs)) < _agreement(whole, found)


def test_rows_of_an_earlier_run_are_kept():
    static = {"system": "fasttext", "language": "deu", "method": "argmax", "paper": {"f1": 0.6}}
    eflomal = {"system": "eflomal", "language": "deu", "level": "word"}
    trained = {"scores": {"f1": 0.7}, "signature": "eflomal | trained on 10508 pairs", "text_pairs": 10_000}
    old = {
        "cells": [static | {"scores": {"f1": 0.59}, "signature": "vectors"}, eflomal | trained,
                  {"system": "base", "language": "deu", "scores": {"f1": 0.8}}],
        "maps": {"word/eng-deu": {"recovered": 0.5}},
    }  # fmt: skip
    without = {"not_run": "no mapped vectors given (--vectors)"}
    new = {
        "cells": [static | without, static | {"method": "match"} | without,
                  eflomal | {"not_run": "not trained here on 10,000 pairs (word level)"},
                  eflomal | {"not_run": "not trained here on 50,000 pairs (word level)"},
                  {"system": "base", "language": "deu", "not_run": "lost"}],
        "maps": {"subword/eng-deu": {"recovered": 0.1}},
    }  # fmt: skip
    found = keep_rows(new, old)
    assert found["cells"][0] == static | {"scores": {"f1": 0.59}, "signature": "vectors", "kept": True}
    assert found["cells"][2] == eflomal | trained | {"kept": True}
    assert ["not_run" in cell for cell in found["cells"]] == [False, True, False, True, True]
    assert found["maps"] == {"word/eng-deu": {"recovered": 0.5}, "subword/eng-deu": {"recovered": 0.1}}


def test_rows_of_a_model_of_our_own_are_kept_with_the_layer_that_was_read():
    old = {"cells": [{"system": "own", "label": "own mBERT[7]", "language": "deu", "scores": {"f1": 0.7}}]}
    new = {
        "cells": [{"system": "own", "label": "own mBERT", "language": "deu", "not_run": "no model given (…)"}]
    }
    assert keep_rows(new, old)["cells"] == [old["cells"][0] | {"kept": True}]


def test_what_a_row_found_is_kept_only_beside_the_model_that_it_was_compared_with():
    example = {"name": "eflomal", "language": "ces", "first_signature": "base@3"}
    found = {"sentence": 30, "second": [[0, 0]], "signature": "eflomal | trained on 10508 pairs"}
    missing = {"not_run": "not trained here on 10,000 pairs (word level)"}
    old = {"examples": [example | found]}
    assert keep_rows({"examples": [example | missing]}, old) == {
        "examples": [example | found | {"kept": True}]
    }
    newer = {"examples": [example | {"first_signature": "base@4"} | missing]}
    assert keep_rows(newer, old) == newer


def test_times_of_another_run_are_not_kept():
    row = {"system": "fasttext", "label": "fastText – Argmax"}
    new = {"rows": [row | {"not_run": "no mapped vectors given (--vectors)"}]}
    assert keep_rows(new, {"rows": [row | {"seconds": 0.1}]}) == new


def test_curves_and_whole_results_of_a_model_of_our_own_are_kept():
    missing = {"not_run": "no model given (--model own=FOLDER, which reproduction/mlm makes)"}
    system = {"system": "own", "kind": "huggingface", "label": "own mBERT"}
    old = {"models": [system | {"curves": [{"language": "deu"}], "layers": 13, "signature": "own"}]}
    new = {"models": [system | {"curves": []} | missing]}
    assert keep_rows(new, old) == {"models": [old["models"][0] | {"kept": True}]}
    whole = {"log": [1, 2]}
    assert keep_rows(missing, whole) == whole | {"kept": True}
    assert keep_rows({"not_run": "gold not available"}, whole) == {"not_run": "gold not available"}


def test_rows_of_programs_are_kept_for_the_same_amount_of_text():
    row = {"engine": "ibm4", "language": "deu", "program": "GIZA++ with one class", "pairs": 3000}
    old = {"cells": [row | {"scores": {"f1": 0.6}}]}
    missing = {"not_run": "no program GIZA++ given (--programs)"}
    assert keep_rows({"cells": [row | missing]}, old) == {"cells": [old["cells"][0] | {"kept": True}]}
    more = {"cells": [row | {"pairs": 10_000} | missing]}
    assert keep_rows(more, old) == more
