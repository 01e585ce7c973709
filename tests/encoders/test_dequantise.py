"""The bundled int8 weights as floats again: the same weights, and nearly the same vectors."""

from __future__ import annotations

import json
import shutil
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from wordalign.encoders.onnx import OnnxEncoder
from wordalign.encoders.onnx_file import read_weights
from wordalign.encoders.resolve import resolve
from wordalign.encoders.unigram import UnigramCutter
from wordalign.errors import ModelError

TINY = resolve("tiny").folder
SENTENCES = [
    ["The", "museum", "is", "closed", "on", "Mondays", "."],
    ["Das", "Museum", "ist", "montags", "geschlossen", "."],
    ["博物馆", "星期一", "不", "开放", "。"],
]


def test_weights_are_read_as_the_package_onnx_reads_them():
    onnx = pytest.importorskip("onnx")
    ours = read_weights(TINY / "model.onnx")
    theirs = onnx.load(str(TINY / "model.onnx")).graph.initializer
    assert len(ours) == len(theirs) > 50
    for weight in theirs:
        expected = onnx.numpy_helper.to_array(weight)
        assert ours[weight.name].dtype == expected.dtype
        np.testing.assert_array_equal(ours[weight.name], expected)


@pytest.mark.parametrize("damage", ["cut", "text", "empty"])
def test_what_is_no_onnx_file_is_explained(tmp_path, damage):
    data = (TINY / "model.onnx").read_bytes()
    file = tmp_path / "model.onnx"
    file.write_bytes({"cut": data[: len(data) // 2], "text": b"not a model " * 50, "empty": b""}[damage])
    with pytest.raises(ModelError, match=r"model\.onnx"):
        read_weights(file)


def test_float_vectors_are_those_of_the_int8_model():
    torch = pytest.importorskip("torch")
    from wordalign.encoders.dequantise import load_module

    module, encoder, cutter = (
        load_module(TINY),
        OnnxEncoder(TINY, threads=1),
        UnigramCutter(TINY / "tokenizer.json"),
    )
    for words, encoding in zip(SENTENCES, encoder.encode(SENTENCES), strict=True):
        ids = torch.tensor([list(chain.from_iterable(cutter.ids(words)))])
        with torch.no_grad():
            vectors = module(ids, torch.ones_like(ids))[0].numpy()
        cosine = (vectors * encoding.vectors).sum(1)
        assert cosine.min() > 0.97
        assert cosine.mean() > 0.985


def test_the_scales_of_the_calibration_come_along():
    torch = pytest.importorskip("torch")
    from wordalign.encoders.dequantise import load_module

    module = load_module(TINY)
    encoder = OnnxEncoder(TINY, threads=1)
    cosine = torch.tensor([[[0.7, 0.1, -0.2], [0.3, 0.6, 0.0]]])
    with torch.no_grad():
        ours = module.link_logits(cosine, torch.ones_like(cosine, dtype=torch.bool))[0].numpy()
    np.testing.assert_allclose(ours, encoder.calibration.score((cosine[0].numpy() + 1) / 2), atol=1e-4)


def test_a_model_of_another_shape_is_refused(tmp_path):
    pytest.importorskip("torch")
    from wordalign.encoders.dequantise import load_module

    folder = Path(shutil.copytree(TINY, tmp_path / "other"))
    facts = json.loads((folder / "model.json").read_text("utf-8"))
    (folder / "model.json").write_text(json.dumps({**facts, "dimension": 17}))
    with pytest.raises(ModelError, match="can turn into a torch module"):
        load_module(folder)
