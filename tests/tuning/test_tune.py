"""From gold links and text to a tuned model that works like any other."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

pytest.importorskip("torch")
pytest.importorskip("thot")

from toys import toy_pairs

import wordalign
from wordalign import Aligner, InputError, UsageError
from wordalign.evaluate import evaluate
from wordalign.tuning.run import TuneSettings
from wordalign.types import GoldAlignment

FAST = TuneSettings(gold_steps=60, gold_rate=3e-3, text_tokens=40_000, text_rate=3e-3, checks=3)
FEW = replace(FAST, gold_steps=6, text_tokens=4_000)
TEST = toy_pairs(40, seed=99)


def aer(folder) -> float:
    found = Aligner(str(folder)).align_batch([pair for pair, _ in TEST])
    return evaluate([gold for _, gold in TEST], [set(one.links) for one in found]).scores.aer


@pytest.fixture(scope="module")
def tuned(toy_model, tmp_path_factory):
    """A model that learned the toy language from gold links."""
    output = tmp_path_factory.mktemp("tuned") / "mine"
    said: list[str] = []
    report = wordalign.tune(
        gold=toy_pairs(120), output=output, model=str(toy_model), settings=FAST, report=said.append
    )
    return output, report, said


def test_gold_links_teach_a_new_language(tuned, toy_model):
    output, report, said = tuned
    assert report.better
    assert report.gold
    assert aer(output) < 0.1 < 0.4 < aer(toy_model)
    assert report.after["aer"] < report.before["aer"]
    assert report.comparison.differences["aer"].significant()
    assert report.pieces > 20
    assert any("added to the vocabulary" in sentence for sentence in said)
    assert not list(output.parent.glob("*.partial"))


def test_the_folder_says_what_it_is(tuned):
    output, report, _ = tuned
    card = (output / "MODEL_CARD.md").read_text("utf-8")
    assert "# Model card: mine" in card
    assert "toy@1" in card
    assert f"| after | {report.after['precision']:.4f} |" in card
    facts = json.loads((output / "model.json").read_text("utf-8"))
    assert facts["name"] == "mine"
    assert facts["version"].startswith("toy-1-")
    assert facts["tuned"]["data"]["gold"] == 96  # a fifth of the 120 is held out
    assert Aligner(str(output)).signature().startswith("mine@toy-1-")


def test_a_tuned_model_can_be_tuned_again_and_its_folder_replaced(tuned, tmp_path):
    output, _, _ = tuned
    again = tmp_path / "again"
    for _ in range(2):
        report = wordalign.tune(gold=toy_pairs(30, seed=5), output=again, model=str(output), settings=FEW)
    assert report.parent.startswith("mine@toy-1-")
    assert aer(again) < 0.15


def test_text_alone_teaches_a_new_language(toy_model, tmp_path):
    text = [pair for pair, _ in toy_pairs(400, seed=3)]
    report = wordalign.tune(text, output=tmp_path / "mine", model=str(toy_model), settings=FAST)
    assert report.better
    assert not report.gold
    assert report.known is not None
    assert report.known < 0.5
    assert aer(tmp_path / "mine") < 0.1


def test_what_makes_it_worse_is_not_written(tuned, tmp_path):
    parent, _, _ = tuned
    wrong = [
        (pair, GoldAlignment(links, links))
        for pair, gold in toy_pairs(60, seed=7)
        for links in [frozenset((i, len(pair.target) - 1 - j) for i, j in gold.sure)]
    ]
    report = wordalign.tune(
        gold=wrong, dev=toy_pairs(40, seed=8), output=tmp_path / "mine", model=str(parent), settings=FAST
    )
    assert aer(tmp_path / "mine") <= aer(parent) + 0.01
    if not report.better:
        assert (tmp_path / "mine/model.onnx").read_bytes() == (parent / "model.onnx").read_bytes()
        assert "not better" in report.verdict()


def test_the_same_seed_gives_the_same_model(toy_model, tmp_path):
    folders = [tmp_path / name / "mine" for name in ("one", "two")]
    for folder in folders:
        folder.parent.mkdir()
        wordalign.tune(gold=toy_pairs(30), output=folder, model=str(toy_model), settings=FEW)
    for name in ("model.onnx", "tokenizer.json", "MODEL_CARD.md"):
        assert folders[0].joinpath(name).read_bytes() == folders[1].joinpath(name).read_bytes(), name


def test_an_interrupted_run_keeps_the_best_and_is_resumed(toy_model, tmp_path):
    def interrupt(checked):
        if checked.step == 20:
            raise KeyboardInterrupt

    given = {"gold": toy_pairs(60), "model": str(toy_model)}
    settings = replace(FAST, gold_steps=60)
    (tmp_path / "whole").mkdir()
    whole = wordalign.tune(output=tmp_path / "whole/mine", settings=settings, **given)
    output = tmp_path / "mine"
    stopped = wordalign.tune(output=output, settings=settings, progress=interrupt, **given)
    assert stopped.stopped
    assert (tmp_path / "mine.partial").exists()
    assert aer(output) < aer(toy_model)
    steps = []
    resumed = wordalign.tune(
        output=output, settings=settings, resume=True, progress=lambda c: steps.append(c.step), **given
    )
    assert steps == [40, 60]
    assert not resumed.stopped
    assert not (tmp_path / "mine.partial").exists()
    assert (output / "model.onnx").read_bytes() == (tmp_path / "whole/mine/model.onnx").read_bytes()
    assert resumed.after == whole.after


@pytest.mark.parametrize("end_of", ["text", "gold"])
def test_a_run_that_stops_at_the_end_of_a_stage_is_resumed_with_what_it_has_learned(
    toy_model, tmp_path, end_of
):
    def interrupt(checked):
        if checked.stage == end_of and checked.step == checked.steps:
            raise KeyboardInterrupt

    given = {
        "pairs": [pair for pair, _ in toy_pairs(220, seed=3)],
        "gold": toy_pairs(60),
        "model": str(toy_model),
    }
    (tmp_path / "whole").mkdir()
    wordalign.tune(output=tmp_path / "whole/mine", settings=FEW, **given)
    output = tmp_path / "mine"
    assert wordalign.tune(output=output, settings=FEW, progress=interrupt, **given).stopped
    wordalign.tune(output=output, settings=FEW, resume=True, **given)
    assert (output / "model.onnx").read_bytes() == (tmp_path / "whole/mine/model.onnx").read_bytes()


def test_other_settings_are_not_resumed(toy_model, tmp_path):
    def interrupt(checked):
        raise KeyboardInterrupt

    given = {"gold": toy_pairs(30), "model": str(toy_model), "output": tmp_path / "mine"}
    wordalign.tune(settings=FEW, progress=interrupt, **given)
    with pytest.raises(InputError, match="other input or other settings"):
        wordalign.tune(settings=replace(FEW, seed=1), resume=True, **given)
    (tmp_path / "mine.partial").write_bytes(b"damaged")
    with pytest.raises(InputError, match="cannot be resumed"):
        wordalign.tune(settings=FEW, resume=True, **given)


@pytest.mark.parametrize("model", ["mbert", "no/such"])
def test_only_models_in_our_format_can_be_tuned(model, tmp_path):
    with pytest.raises(UsageError, match="cannot be tuned"):
        wordalign.tune(gold=toy_pairs(30), output=tmp_path / "mine", model=model)


def test_a_folder_of_others_is_left_alone(toy_model, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    with pytest.raises(wordalign.OutputError, match=r"thesis\.txt"):
        wordalign.tune(gold=toy_pairs(30), output=folder, model=str(toy_model))
    assert [file.name for file in folder.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("name", ["gold_steps", "text_rate", "checks"])
def test_settings_are_checked(name):
    with pytest.raises(UsageError, match=name):
        TuneSettings(**{name: 0})


def test_a_gpu_that_is_not_there_is_refused(toy_model, tmp_path):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    settings = TuneSettings(device="cuda")
    with pytest.raises(UsageError, match="no GPU"):
        wordalign.tune(gold=toy_pairs(30), output=tmp_path / "mine", model=str(toy_model), settings=settings)
