"""The notebooks in examples/ run from their first cell to their last, and show what is stored in them."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
sys.path.append(str(ROOT / "docs"))


def words_of(outputs: list[dict]) -> str:
    """What was printed, without fractions: their last digits depend on the machine."""
    printed = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
    return re.sub(r"\d\.\d+", "#", printed)


def test_there_is_a_notebook():
    assert [path.name for path in NOTEBOOKS] == ["carrying.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path, tmp_path, monkeypatch):
    pytest.importorskip("IPython")
    from make_notebook import run_cells

    shutil.copytree(path.parent, tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    notebook = json.loads(path.read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = run_cells(notebook)
    again = "run `python docs/make_notebook.py` on it and look at what has changed"
    for cell, outputs in zip(cells, shown, strict=True):
        assert words_of(cell["outputs"]) == words_of(outputs), again
        kinds = [sorted(output.get("data", ())) for output in cell["outputs"]]
        assert kinds == [sorted(output.get("data", ())) for output in outputs], again
    assert any(words_of(outputs) for outputs in shown)
    assert path.stat().st_size < 200_000
