"""The whole way from text to the exported file, on a toy language, on the CPU."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

NEEDED = (
    "eflomal",
    "torch",
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


def first_model(folder: Path, recipe: tuple[object, ...]) -> Path:
    """A model folder with random weights and a vocabulary of its own."""
    import torch
    import toy
    from training.weights import save_weights

    from wordalign.encoders.torch_module import EncoderModule, EncoderShape

    old = folder / "old"
    old.mkdir()
    (old / "prepared").symlink_to(folder / "prepared")
    (old / "data.json").write_text('{"languages": {}}')
    stage("vocabulary", "--work", old, *recipe, "--jobs", 1)
    tokenizer = json.loads((old / "vocabulary" / "tokenizer.json").read_text("utf-8"))
    torch.manual_seed(1)
    encoder = EncoderModule(EncoderShape(**{**toy.CONFIG, "vocabulary": len(tokenizer["model"]["vocab"])}))
    arrays = {name: value.detach().numpy() for name, value in encoder.named_parameters()}
    save_weights(old / "weights", arrays, {"config": encoder.shape.to_dict()})
    given = ("--vocabulary", old / "vocabulary", "--sample", folder / "dev", "--data", old / "data.json")
    stage("export", "--weights", old / "weights", *given, "--out", old / "model")
    return old / "model"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything up to trained weights, from a model that knows nothing yet."""
    import toy

    folder = tmp_path_factory.mktemp("training")
    toy.write_text(folder / "text")
    toy.write_gold(folder / "dev", "eng-bul.toy")
    toy.write_gold(folder / "dev", "bul-rus.other")
    toy.write_gold(folder / "dev", "eng-rus.silver")
    toy.write_gold(folder / "gold-train", "eng-rus.toy")
    toy.write_gold(folder / "gold-annotated", "eng-bul.other")
    (folder / "recipe.toml").write_text(toy.RECIPE)
    recipe = ("--recipe", folder / "recipe.toml")
    stage("prepare", "--text", folder / "text", "--work", folder, *recipe, "--jobs", 1)
    stage("label", "--work", folder, *recipe, "--jobs", 1)
    start = first_model(folder, recipe)
    (folder / "recipe.toml").write_text(toy.RECIPE.replace("size = 345", "size = 440"))
    stage("vocabulary", "--work", folder, *recipe, "--jobs", 1, "--extend", start / "tokenizer.json")
    stage("pack", "--work", folder, *recipe, "--jobs", 1, "--part-mib", 1)
    given = ("--packed", folder / "packed", "--vocabulary", folder / "vocabulary", "--dev", folder / "dev")
    gold = ("--gold", folder / "gold-train", folder / "gold-annotated", "--start", start, "--tiny", start)
    places = ("--state", folder / "state", "--out", folder / "weights", "--device", "cpu")
    stages = ("pretrain", "teacher", "label", "student", "tiny")
    said = stage("train", *given, *gold, *places, *recipe, "--stages", *stages)
    (folder / "said.txt").write_text(said)
    return folder


@pytest.fixture(scope="module")
def model(work: Path) -> Path:
    """The exported folder, with what was chosen on the development sets."""
    given = ("--vocabulary", work / "vocabulary", "--sample", work / "dev", "--data", work / "data.json")
    stage("export", "--weights", work / "weights" / "student", *given, "--out", work / "model")
    report = ("--report", work / "int8.json", "--write")
    stage("evaluate", "--model", work / "model", "--dev", work / "dev", *report)
    return work / "model"


def test_dropped_sources_and_most_of_what_machines_translated_are_gone(work: Path) -> None:
    counts = json.loads((work / "prepared" / "bul.json").read_text())
    assert counts == {"good": 240, "list": 20}


def test_labels_link_no_punctuation_to_words(work: Path) -> None:
    from training.label import read_prepared

    from wordalign.text import is_punctuation

    english, other, _ = read_prepared(work / "prepared" / "bul.tsv")
    with np.load(work / "labels" / "bul.npz") as labels:
        pair_of_link = np.repeat(labels["rows"], labels["counts"])
        links = list(zip(pair_of_link, labels["english"], labels["other"], strict=True))
    assert len(links) > len(english)
    assert all(is_punctuation(english[p][i]) == is_punctuation(other[p][j]) for p, i, j in links)


def test_old_pieces_keep_their_ids_and_new_ones_follow(work: Path) -> None:
    from tokenizers import Tokenizer
    from training.normalise import normalise

    old, new = (
        Tokenizer.from_file(str(work / folder / "tokenizer.json")) for folder in ("old/model", "vocabulary")
    )
    size = old.get_vocab_size()
    assert size < new.get_vocab_size() <= 440
    assert all(old.id_to_token(number) == new.id_to_token(number) for number in range(size))
    for word in ("HOUSE", "hoúse", "Йод", "كتابٌ", "۱۲", "๓", "’", "日本"):
        assert new.normalizer.normalize_str(word) == normalise(word)


def test_sentences_with_the_same_english_side_are_joined(work: Path) -> None:
    said = (work / "said.txt").read_text()
    given, copies, joined = map(int, re.search(r"(\d+) pairs, (\d+) copies, (\d+) joined", said).groups())
    assert (given, copies) == (2 * 260, 20)
    assert joined >= 200


def test_the_model_learns_the_toy_language_and_int8_keeps_it(work: Path, model: Path) -> None:
    report = json.loads((work / "int8.json").read_text())["dev"]["eng-bul.toy"]
    assert report["calibrated"]["f1"] > 0.9
    assert 0.8 < report["links_a_word"] < 1.2
    assert "held_out_error" in report


def test_what_ships_says_what_it_knows(model: Path) -> None:
    facts = json.loads((model / "model.json").read_text())
    assert facts["languages"] == ["eng", "bul", "rus"]
    assert set(facts["sha256"]) == {"model.onnx", "tokenizer.json"}
    bulgarian, russian = facts["coverage"]
    assert (bulgarian["name"], bulgarian["script"], bulgarian["pairs"]) == ("Bulgarian", "Cyrl", 260)
    assert bulgarian["measured"]["set"] == "eng-bul.toy"
    assert "measured" not in russian  # a set of which only some words are labelled is no measure


def test_the_exported_folder_is_a_model(model: Path) -> None:
    from training.metrics import GoldSet, links_of
    from training.similarity import similarities

    from wordalign import Aligner
    from wordalign.encoders.onnx import OnnxEncoder
    from wordalign.links import argmax, calibrated
    from wordalign.text.situations import situation_of

    aligner = Aligner(str(model))
    thresholds = json.loads((model / "model.json").read_text())["thresholds"]
    encoder = OnnxEncoder(model)
    gold = GoldSet("eng-xxx", ENGLISH, OTHER, [set()] * 3, [set()] * 3)
    found = similarities(gold, encoder)
    curves = encoder.calibration
    kinds = [situation_of(*words) for words in zip(ENGLISH, OTHER, strict=True)]
    assert [matrix.shape for matrix in found] == [(5, 5), (1, 2), (0, 1)]
    for spec, extract in (
        (None, lambda matrix, kind: calibrated(matrix, **thresholds, calibration=curves.in_situation(kind))),
        ("argmax", lambda matrix, kind: argmax(matrix)),
    ):
        aligned = aligner.with_options(method=spec) if spec else aligner
        links = [set(alignment.links) for alignment in aligned.align_batch(zip(ENGLISH, OTHER, strict=True))]
        assert [links_of(extract(*given)) for given in zip(found, kinds, strict=True)] == links


def test_float_graph_equals_torch(work: Path, tmp_path: Path) -> None:
    import onnxruntime
    import torch
    from training.weights import load_weights

    from wordalign.encoders.torch_module import EncoderModule, EncoderShape
    from wordalign.tuning.graph import build_graph

    arrays, facts = load_weights(work / "weights" / "student")
    encoder = EncoderModule(EncoderShape(**facts["config"])).eval()
    encoder.load_state_dict({name: torch.from_numpy(np.asarray(array)) for name, array in arrays.items()})
    session = onnxruntime.InferenceSession(
        build_graph(arrays, facts["config"]), providers=["CPUExecutionProvider"]
    )
    ids = np.array([[5, 300, 301, 17], [300, 6, 0, 0]], dtype=np.int64)
    mask = (ids != 0).astype(np.int64)
    (ours,) = session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})
    with torch.no_grad():
        theirs = encoder(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    np.testing.assert_allclose(ours[mask == 1], theirs[mask == 1], atol=2e-5)


ENGLISH = [["River", ",", "\u200b", "house", "!"], ["window"], []]
OTHER = [["рака", "«", "дом", "\u00b2", "№"], ["...", "окно"], ["а"]]
