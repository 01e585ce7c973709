"""What kind of model a name or folder is."""

from __future__ import annotations

import shutil

import pytest

from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS, load_encoder, resolve
from wordalign.errors import ModelError, UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("model", "kind", "name", "layer"),
    [
        (None, "onnx", "base", None),
        ("tiny", "onnx", "tiny", None),
        ("mbert", "huggingface", "bert-base-multilingual-cased", 8),
        ("xlm-roberta-base", "huggingface", "xlm-roberta-base", 8),
        ("xlm-roberta-large", "huggingface", "xlm-roberta-large", None),
        ("bert-base-multilingual-uncased", "huggingface", "bert-base-multilingual-uncased", None),
        ("some/model", "huggingface", "some/model", None),
    ],
)
def test_names(model, kind, name, layer):
    found = resolve(model)
    assert (found.kind, found.name, found.layer) == (kind, name, layer)


def test_folders(tmp_path, tiny_model):
    assert resolve(str(tiny_model("bert"))).kind == "huggingface"
    (tmp_path / "vectors.json").write_text("{}")
    assert resolve(str(tmp_path)).kind == "static"


@pytest.mark.parametrize(
    "model", ["xlm-roberta-bse", "xlm-roberta-bsae", "bert-base-multilingual-cases", "mbrt", "teeny"]
)
def test_a_near_miss_is_told_before_the_hub_is_asked(model):
    with pytest.raises(UnknownNameError, match="Did you mean"):
        resolve(model)


@pytest.mark.parametrize("model", ["base@3", "tiny@3.1", "owner/name@main"])
def test_a_name_with_a_revision_is_told_before_the_hub_is_asked(model):
    with pytest.raises(UsageError, match="before the @ alone"):
        resolve(model)


@pytest.mark.parametrize("model", ["./nowhere", "/nowhere", "nowhere/", "a/b/c"])
def test_a_folder_that_is_not_there(model):
    with pytest.raises(UsageError, match="There is no folder"):
        resolve(model)


def test_a_folder_in_the_format_of_the_bundled_models(tmp_path, sentence_pairs):
    tiny = next(known for known in BUNDLED_MODELS if known.name == "tiny")
    folder = tmp_path / "mine"
    shutil.copytree(tiny.folder, folder)
    assert resolve(str(folder)).kind == "onnx"
    assert Aligner(str(folder)).align_batch(sentence_pairs) == Aligner("tiny").align_batch(sentence_pairs)
    with (folder / "tokenizer.json").open("a") as stream:
        stream.write(" ")
    with pytest.raises(ModelError, match=r"checksum is wrong\): export or copy the model again"):
        load_encoder(str(folder))
    (folder / "model.onnx").unlink()
    with pytest.raises(UsageError, match=r"no model\.onnx: if it is a statistical model"):
        load_encoder(str(folder))


@pytest.mark.parametrize("name", ["", " "])
def test_a_name_of_nothing_is_told(name):
    with pytest.raises(UsageError, match="The name of the model is empty"):
        resolve(name)


def test_a_folder_without_a_model_is_told(tmp_path):
    with pytest.raises(ModelError, match=r"usable model: a Hugging Face model has a config\.json"):
        load_encoder(str(tmp_path))
