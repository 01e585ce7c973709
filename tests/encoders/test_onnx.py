"""The bundled model, as it ships."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from wordalign import Aligner
from wordalign.encoders import BUNDLED_MODELS, subwords
from wordalign.encoders.dequantise import float_arrays, load_module
from wordalign.encoders.int8_rate import SIZE, _graph, int8_operations_per_second
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.errors import MissingExtraError, ModelError, UsageError
from wordalign.tuning.graph import collect


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the model that a test may damage."""
    return Path(shutil.copytree(BUNDLED_MODELS[0].folder, tmp_path / "model"))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("The museum is closed.", "Das Museum ist geschlossen.", "0-0 1-1 2-2 3-3 4-4"),
        ("She reads a book.", "Elle lit un livre.", "0-0 1-1 2-2 3-3 4-4"),
        ("The weather is cold today.", "امروز هوا سرد است.", "1-1 2-3 3-2 4-0 5-4"),
        ("This water is cold.", "यह पानी ठंडा है।", "0-0 1-1 2-3 3-2 4-4"),
    ],
)
def test_raw_text_is_aligned_at_once(aligner, source, target, expected):
    found = set(aligner.align(source, target).pharaoh().split())
    wanted = set(expected.split())
    assert len(found & wanted) >= len(wanted) - 1
    assert len(found - wanted) <= 1


def test_long_words_are_forgotten_sooner(aligner, monkeypatch):
    monkeypatch.setattr(subwords, "REMEMBERED_LETTERS", 1000)
    encoder = OnnxEncoder(BUNDLED_MODELS[0].folder)
    for number in range(20):
        sentence = ["house" * 40 + str(number), "house"]
        assert encoder.subwords(sentence) == aligner.encoder.subwords(sentence)
        assert sum(map(len, encoder._subwords._number_of)) <= 1000 + 300


def test_neither_torch_nor_the_network_is_touched():
    code = (
        "import socket, sys\n"
        "def refuse(*arguments): raise AssertionError('network')\n"
        "socket.socket.connect = refuse\n"
        "from wordalign import Aligner\n"
        "print(Aligner().align('Good morning', 'Guten Morgen').pharaoh())\n"
        "assert not {'torch', 'transformers', 'scipy'} & set(sys.modules), 'heavy import'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0-0 1-1\n"


def test_scores_are_probabilities_and_the_threshold_means_them(aligner):
    pair = "The old bridge was rebuilt after the war.", "Le vieux pont a été reconstruit après la guerre."
    alignment = aligner.align(*pair)
    assert aligner.methods == ("calibrated",)
    assert all(0 < score < 1 for score in alignment.scores)
    strict = Aligner(aligner.encoder, threshold=0.9).align(*pair)
    assert set(strict.links) == {
        link for link, score in zip(alignment.links, alignment.scores, strict=True) if score >= 0.9
    }


def test_the_papers_methods_have_calibrated_scores_too(aligner, sentence_pairs):
    methods = Aligner(aligner.encoder, method=["argmax", "itermax", "match", "calibrated"])
    for found in methods.stream_methods(sentence_pairs):
        assert set(found["argmax"].links) <= set(found["itermax"].links)
        scores = dict(zip(found["itermax"].links, found["itermax"].scores, strict=True))
        for link, score in zip(found["argmax"].links, found["argmax"].scores, strict=True):
            assert scores[link] == score


def test_punctuation_is_never_linked_to_words(aligner, sentence_pairs):
    aligner = Aligner(aligner.encoder, method="match")
    for alignment in aligner.stream(sentence_pairs):
        for source, target in alignment.word_pairs():
            assert any(map(str.isalnum, source)) == any(map(str.isalnum, target)), (source, target)


def test_a_pair_gets_the_same_links_and_scores_whatever_it_is_batched_with(aligner, sentence_pairs):
    together = aligner.align_batch(sentence_pairs)
    for pair, found in zip(sentence_pairs, together, strict=True):
        alone = aligner.align(*pair)
        assert alone.links == found.links
        assert alone.scores == pytest.approx(found.scores, abs=1e-3)


def test_sentences_joined_to_one_long_line_keep_most_of_their_links(aligner, sentence_pairs):
    """Whole, the line would be longer than anything the model was trained on, and mostly wrong."""
    wanted, source, target = set(), [], []
    for (left, right), found in zip(sentence_pairs, aligner.align_batch(sentence_pairs), strict=True):
        wanted |= {(i + len(source), j + len(target)) for i, j in found.links}
        source, target = [*source, *left], [*target, *right]
    found = set(aligner.align(source, target).links)
    assert len(found & wanted) > 0.8 * len(wanted)
    assert len(found & wanted) > 0.5 * len(found)


@pytest.mark.parametrize("model", [known.name for known in BUNDLED_MODELS])
def test_the_vectors_are_the_same_to_the_last_bit_with_any_number_of_threads(model, sentence_pairs):
    folder = next(known.folder for known in BUNDLED_MODELS if known.name == model)
    sentences = [side for pair in sentence_pairs for side in pair]
    one, *others = [OnnxEncoder(folder, threads=threads).encode(sentences) for threads in (1, 2, 3)]
    for other in others:
        for ours, theirs in zip(one, other, strict=True):
            np.testing.assert_array_equal(ours.vectors, theirs.vectors)


def test_words_of_control_characters_get_no_links(aligner):
    controls = [chr(number) for number in (1, 2, 7, 0x202E)]
    found = aligner.align(["The", *controls, "museum"], ["Das", *controls, "Mu\0seum"])
    assert found.pharaoh() == "0-0 5-5"


def test_a_sentence_of_any_length_is_read_to_its_end(aligner, sentence_pairs):
    words = [word for source, _ in sentence_pairs for word in source] * 8
    assert len(words) > 3000
    (encoding,) = aligner.encoder.encode([words])
    assert np.unique(encoding.word_of_row).tolist() == list(range(len(words)))
    links = set(Aligner(aligner.encoder, method="argmax").align(words[-900:], words[-900:]).links)
    assert sum(i == j for i, j in links) > 0.9 * 900


@pytest.mark.parametrize(
    "words", [[], [""], ["\x00"], ["\u200b", "ok"], ["\ud800"], ["𓀀𓀁", "ⴰⵣⵓⵍ", "🎉"], ["a" * 20_000]]
)
def test_odd_words_do_no_harm(aligner, words):
    alignment = aligner.align(words, ["ok", "🎉"])
    assert all(i < len(words) and j < 2 for i, j in alignment.links)


def damage_truncate(folder: Path) -> None:
    path = folder / "model.onnx"
    path.write_bytes(path.read_bytes()[:-1000])


def damage_one_bit(folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def damage_remove(folder: Path) -> None:
    (folder / "model.onnx").unlink()


def damage_facts(folder: Path) -> None:
    (folder / "model.json").write_text("{")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (damage_truncate, "checksum"),
        (damage_one_bit, "checksum"),
        (damage_remove, "cannot be read"),
        (damage_facts, "is damaged"),
    ],
)
def test_a_damaged_model_is_refused(folder, damage, message):
    damage(folder)
    with pytest.raises(ModelError, match=f"{message}.*export or copy the model again"):
        OnnxEncoder(folder)


def test_a_model_of_another_format_is_refused(folder):
    facts = json.loads((folder / "model.json").read_text())
    del facts["calibration"]
    (folder / "model.json").write_text(json.dumps(facts))
    with pytest.raises(ModelError, match="this version of wordalign"):
        OnnxEncoder(folder)


@pytest.mark.parametrize(
    "options", [{"layer": 3}, {"dtype": "bfloat16"}, {"revision": "main"}, {"revision": "x", "device": "cpu"}]
)
def test_options_of_other_models_are_refused(options):
    with pytest.raises(UsageError, match=f"leave out {next(iter(options))}"):
        Aligner("base", **options)


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="The device 'nowhere' cannot be used here"):
        Aligner("base", device="nowhere")


def test_without_torch_a_gpu_needs_an_extra_and_auto_is_the_processor(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordalign.encoders.device.choose", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("wordalign.encoders.device")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=r"wordalign\[gpu\]"):
        Aligner("tiny", device="cuda")
    assert Aligner("tiny", device="auto").encoder.device == "cpu"


def test_the_shipped_graphs_are_those_that_export_writes():
    """A product of known numbers by the graph that is measured, and a rate that a processor can have."""
    for model in BUNDLED_MODELS:
        assert model.folder is not None
        module = load_module(model.folder)
        arrays = float_arrays(model.folder / "model.onnx")
        names = [name.removesuffix(".weight") for name, array in arrays.items() if array.ndim == 2]
        built = collect(arrays, module.shape.to_dict(), 63, dict.fromkeys(names, (-1.0, 1.0)))
        shipped = onnx.load(str(model.folder / "model.onnx")).graph.node
        assert [(node.op_type, list(node.input), list(node.output), node.domain) for node in shipped] == [
            (node.kind, list(node.inputs), list(node.outputs), node.domain) for node in built.nodes
        ]


def test_the_rate_of_int8_products_is_that_of_the_graph():
    """A product of known numbers, by the graph that is measured; and a rate that a processor can have."""
    session = onnxruntime.InferenceSession(_graph(), providers=["CPUExecutionProvider"])
    ones = np.ones((SIZE, SIZE), dtype=np.uint8)
    weights = np.random.default_rng(1).integers(-63, 63, (SIZE, SIZE), dtype=np.int8)
    assert np.array_equal(session.run(None, {"a": ones})[0][0], weights.sum(axis=0, dtype=np.int32))
    assert 1e9 < int8_operations_per_second(1, 0.01) < 1e14


def test_files_fit_the_promised_size():
    for model in BUNDLED_MODELS:
        assert sum(path.stat().st_size for path in model.folder.iterdir()) < 47e6
        assert (model.folder / "model.onnx").stat().st_size <= 45e6
        assert (model.folder / "MODEL_CARD.md").exists()
