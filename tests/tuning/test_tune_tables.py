"""The tables of docs/tune.md, for every kind of result that benchmarks/tune.py writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")

SCORES = {"precision": 0.5, "recall": 0.5, "f1": 0.5, "aer": 0.5}
BETTER = dict.fromkeys(SCORES, 0.75)
SETS = {"gold/eng-ces": SCORES, "gold-dev/eng-hun.xlwa-dev": SCORES}


def result(run: str, language: str, size: int, parent: str = "base@2", **more: Any) -> dict[str, Any]:
    settings = {"gold_steps": 100, "text_tokens": None}
    report = {"parent": parent, "settings": settings, "seconds": 99.0, "processor_seconds": 120.0}
    common = {"pairs": 1234, "before": SCORES, "after": BETTER, "others": SETS}
    return {"run": run, "language": language, "size": size, "rate": None, "report": report, **common, **more}


@pytest.fixture
def tuning_tables(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[dict[str, Any]]], str]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    from shown.tuning import tuning_tables

    return tuning_tables


PARENT = {"run": "parent", "language": "-", "size": 0, "rate": None, "parent": "base@2", "others": SETS}
EFLOMAL = {"run": "eflomal", "language": "tha", "size": 20_000, "rate": None, "word": SCORES}


def test_every_kind_of_run_has_its_row(tuning_tables):
    runs = [
        *(result("gold", language, 100) for language in ("ron", "deu", "swe", "jpn")),
        result("new", "tha", 20_000),
        result("domain", "hun", 0),
        result("time", "gold", 0, seconds=88.0),
    ]
    said = tuning_tables([PARENT, EFLOMAL, *runs])
    for name in ("Romanian", "German", "Swedish", "Japanese"):
        assert f"| {name} | 100 | base@2 | 100 | 0.500 | 0.750 | +0.000 | +0.000 |" in said
    assert "| Thai | 1,234 | base@2 | default | 0.500 | 0.500 | 0.750 | +0.000 | +0.000 |" in said
    assert "| Hungarian | 1,234 | base@2 | 0.500 | 0.750 | +0.000 | +0.000 |" in said
    assert "100 gold sentences, with the defaults on two cores of their own: 88 s." in said
    assert "a tuning took, on gold sentences 99 to 99 s, on text 99 to 99 s." in said


def test_what_was_not_measured_is_left_open(tuning_tables):
    said = tuning_tables([result("new", "bul", 5_000, parent="tiny@1")])
    assert "| default | – | 0.500 | 0.750 | – | – |" in said
    assert "gold sentences" not in said


def test_tried_rates_are_no_results(tuning_tables):
    assert tuning_tables([PARENT, {**result("gold", "ron", 50), "rate": 1e-3}]) == ""


def test_results_of_another_parent_are_kept(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    from tune import _key

    one, two = (result("new", "tha", 5_000, parent=parent) for parent in ("base@2", "tiny@1"))
    assert _key(one) != _key(two)
    assert _key(one) == _key({**one, "pairs": 1})
    assert _key(PARENT) != _key({**PARENT, "parent": "tiny@1"})
