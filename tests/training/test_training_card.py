"""The model cards that ship say what the reports say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from training.card import make_card

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["base", "tiny"])
def test_the_card_is_made_of_the_reports(name: str) -> None:
    model = ROOT / "src/wordalign/models" / name
    template = (ROOT / "training/card.md").read_text("utf-8")
    facts = json.loads((model / "model.json").read_text())
    size = (model / "model.onnx").stat().st_size / 1e6
    card = make_card(template, facts, ROOT / "training/results" / name, size)
    assert (model / "MODEL_CARD.md").read_text("utf-8") == card, "run training.card again"
