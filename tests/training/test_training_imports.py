"""Training runs where little is installed: on a GPU machine with torch, numpy and tokenizers."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ABSENT = ("regex", "scipy", "onnxruntime", "eflomal", "sentencepiece", "tqdm", "transformers")


def test_train_needs_little() -> None:
    for name in ("torch", "tokenizers"):
        pytest.importorskip(name, reason=f"the training requirements are not installed: {name}")
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({ABSENT}))\n"  # None: importing it fails
        "import training.train\n"
    )
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_module_can_be_imported() -> None:
    for name in ("torch", "eflomal"):
        pytest.importorskip(name, reason=f"the training requirements are not installed: {name}")
    names = sorted(path.stem for path in (ROOT / "training").glob("*.py"))
    assert "train" in names
    for name in names:
        importlib.import_module(f"training.{name}")
