"""The whole way from text to the exported file, on a toy language, on the CPU, in seconds."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

NEEDED = (
    "eflomal",
    "torch",
    "onnx",
    "onnxruntime",
    "sentencepiece",
    "tokenizers",
    "regex",
    "google.protobuf",
)


def _missing() -> list[str]:
    missing = []
    for name in NEEDED:
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            missing.append(name)
    return missing


MISSING = _missing()
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"the training requirements are not installed: {MISSING}"
)

ROOT = Path(__file__).parents[2]


def stage(name: str, *arguments: object) -> str:
    """Run one stage as a user would; returns what it printed."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", f"training.{name}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything up to trained weights."""
    import toy

    folder = tmp_path_factory.mktemp("training")
    toy.write_text(folder / "text")
    toy.write_gold(folder / "dev", "eng-bul.toy")
    toy.write_gold(folder / "dev", "eng-rus.silver")
    (folder / "recipe.toml").write_text(toy.RECIPE)
    (folder / "config.toml").write_text(toy.CONFIG)
    recipe = ("--recipe", folder / "recipe.toml")
    stage("prepare", "--text", folder / "text", "--work", folder, *recipe, "--jobs", 1)
    stage("label", "--work", folder, *recipe, "--jobs", 1)
    stage("vocabulary", "--work", folder, *recipe, "--jobs", 1)
    stage("pack", "--work", folder, *recipe, "--jobs", 1, "--part-mib", 1)
    train = (
        *(
            "--data",
            folder / "packed",
            "--vocabulary",
            folder / "vocabulary",
            "--config",
            folder / "config.toml",
        ),
        *(
            "--state",
            folder / "state",
            "--dev",
            folder / "dev",
            "--jobs",
            2,
            "--device",
            "cpu",
            "--no-compile",
        ),
        *(*recipe, "--total-steps", 50, "--out", folder / "weights"),
    )
    first = stage("train", *train, "--steps", 25)
    assert "relabelled at 0.4" in first
    second = stage("train", *train, "--steps", 25)
    assert "at step 25;" in second
    return folder


@pytest.fixture(scope="module")
def model(work: Path) -> Path:
    """The exported folder, with the choices of the report `torch.json`."""
    vocabulary = ("--vocabulary", work / "vocabulary")
    report = ("--report", work / "torch.json")
    stage("evaluate", "--encoder", work / "weights", *vocabulary, "--dev", work / "dev", *report)
    sample = ("--sample", work / "dev")
    stage("export", "--weights", work / "weights", *vocabulary, *sample, *report, "--out", work / "model")
    return work / "model"


def test_dropped_sources_are_gone(work: Path) -> None:
    counts = json.loads((work / "prepared" / "bul.json").read_text())
    assert counts == {"good": 270}


def test_labels_link_no_punctuation_to_words(work: Path) -> None:
    from training.label import read_prepared

    from wordalign.text import is_punctuation

    english, other = read_prepared(work / "prepared" / "bul.tsv")
    with np.load(work / "labels" / "bul.npz") as labels:
        pair_of_link = np.repeat(np.arange(len(english)), labels["counts"])
        links = list(zip(pair_of_link, labels["english"], labels["other"], strict=True))
    assert len(links) > len(english)
    assert all(is_punctuation(english[p][i]) == is_punctuation(other[p][j]) for p, i, j in links)


def test_tokenizer_normalises_by_itself(work: Path) -> None:
    from tokenizers import Tokenizer
    from training.normalise import normalise

    tokenizer = Tokenizer.from_file(str(work / "vocabulary" / "tokenizer.json"))
    for word in ("HOUSE", "hoúse", "Йод", "كتابٌ", "۱۲", "’", "日本"):
        assert tokenizer.normalizer.normalize_str(word) == normalise(word)
    encoding = tokenizer.encode_batch(
        [["House", "日", "river"]], is_pretokenized=True, add_special_tokens=False
    )[0]
    assert set(encoding.word_ids) == {0, 1, 2}


def test_unpacked_copies_hold_the_same_words(work: Path) -> None:
    from tokenizers import Tokenizer
    from training.trainer import piece_tables
    from training.unpack import unpack

    tokenizer = Tokenizer.from_file(str(work / "vocabulary" / "tokenizer.json"))
    starting, _ = piece_tables(tokenizer)
    shards = sorted((work / "packed").glob("*.shard"))
    model = work / "vocabulary" / "unigram.model"
    arrays, languages = unpack(shards, starting, model, work / "again", copies=3, share=1.0, jobs=2)
    assert languages == ["bul", "rus"]
    tokens, starts, lengths = arrays["tokens"], arrays["starts"], arrays["lengths"]
    texts = []
    for copy in range(3):
        first, size = starts[copy, 7, 0], lengths[copy, 7, 0]
        texts.append("".join(tokenizer.id_to_token(i) for i in tokens[first : first + size].tolist()))
        assert arrays["words"][first] == 0
        assert arrays["words"][first + size - 1] == texts[-1].count("▁") - 1
    assert len(set(texts)) == 1


def test_evaluate_and_export_agree(work: Path, model: Path) -> None:
    card = json.loads((model / "model.json").read_text())
    assert card["languages"] == ["eng", "bul", "rus"]
    assert set(card["sha256"]) == {"model.onnx", "tokenizer.json"}
    given = ("--chosen", work / "torch.json", "--dev", work / "dev")
    stage("evaluate", "--encoder", model, *given, "--report", work / "int8.json")
    graph = ("--encoder", model / "model.float.onnx", "--vocabulary", work / "vocabulary")
    stage("evaluate", *graph, *given, "--report", work / "float.json")
    torch, int8, single = (
        json.loads((work / name).read_text())["dev"]["eng-bul.toy"]
        for name in ("torch.json", "int8.json", "float.json")
    )
    assert single["argmax"]["f1"] > 0.9
    assert single["argmax"] == torch["argmax"]
    assert abs(int8["argmax"]["f1"] - single["argmax"]["f1"]) < 0.05


def test_float_graph_equals_torch(work: Path, model: Path) -> None:
    from training.encoders import from_graph, from_weights

    ids = np.array([[5, 300, 301, 17], [300, 6, 0, 0]], dtype=np.int64)
    mask = (ids != 0).astype(np.int64)
    ours = from_graph(model / "model.float.onnx")(ids, mask)
    theirs = from_weights(work / "weights")(ids, mask)
    np.testing.assert_allclose(ours[mask == 1], theirs[mask == 1], atol=2e-5)


ENGLISH = [["River", ",", "\u200b", "house", "!"], ["window"], []]
OTHER = [["рака", "«", "дом", "\u00b2", "№"], ["...", "окно"], ["а"]]


def test_similarities_equal_a_slow_computation(model: Path) -> None:
    """One sentence at a time, one word at a time, by the definitions."""
    from tokenizers import Tokenizer
    from training.encoders import from_graph, load_encoder
    from training.metrics import GoldSet
    from training.similarity import similarities

    forward = from_graph(model / "model.float.onnx")
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))

    def slow_words(sentence: list[str]) -> list[np.ndarray | None]:
        encoded = tokenizer.encode(sentence, is_pretokenized=True, add_special_tokens=False)
        ids = np.array([encoded.ids], dtype=np.int64)
        vectors = forward(ids, np.ones_like(ids))[0].astype(np.float64)
        words: list[np.ndarray | None] = []
        for number in range(len(sentence)):
            own = [vectors[row] for row, word in enumerate(encoded.word_ids) if word == number]
            words.append(sum(own) / np.linalg.norm(sum(own)) if own else None)
        return words

    def plain(word: str) -> bool:
        return any(unicodedata.category(character)[0] in "LNM" for character in word)

    gold = GoldSet("eng-xxx", ENGLISH, OTHER, [set()] * 3, [set()] * 3)
    found = similarities(gold, load_encoder(model / "model.float.onnx", model))
    assert [matrix.shape for matrix in found] == [(5, 5), (1, 2), (0, 1)]
    for english, other, matrix in zip(ENGLISH[:2], OTHER, found, strict=False):
        left, right = slow_words(english), slow_words(other)
        expected = np.zeros(matrix.shape)
        for i, j in np.ndindex(matrix.shape):
            if left[i] is not None and right[j] is not None and plain(english[i]) == plain(other[j]):
                expected[i, j] = (left[i] @ right[j] + 1) / 2
        np.testing.assert_allclose(matrix, expected, atol=1e-5)
        assert (matrix == 0).any()


def test_evaluated_links_are_those_of_the_aligner(model: Path) -> None:
    from training.calibration import from_table
    from training.encoders import load_encoder
    from training.metrics import GoldSet, links_of
    from training.similarity import similarities

    from wordalign import Aligner
    from wordalign.encoders.onnx import OnnxEncoder
    from wordalign.links import argmax, calibrated, itermax

    card = json.loads((model / "model.json").read_text())
    thresholds, curve = card["thresholds"], from_table(card["calibration"])
    methods = {
        "argmax": argmax,
        "itermax": itermax,
        f"calibrated:always={thresholds['always']},mutual={thresholds['mutual']}": (
            lambda matrix: calibrated(matrix, **thresholds, calibration=curve)
        ),
    }
    gold = GoldSet("eng-xxx", ENGLISH, OTHER, [set()] * 3, [set()] * 3)
    found = similarities(gold, load_encoder(model, None))
    encoder = OnnxEncoder(model)
    for spec, extract in methods.items():
        aligned = Aligner(encoder, method=spec).align_batch(zip(ENGLISH, OTHER, strict=True))
        assert [links_of(extract(matrix)) for matrix in found] == [set(a.links) for a in aligned]
