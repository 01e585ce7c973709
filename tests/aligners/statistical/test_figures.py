"""The figures of docs/statistical.md are those that the benchmark wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_table_is_not_stale():
    found = subprocess.run(
        [sys.executable, "benchmarks/statistical.py", "--table", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    text = (ROOT / "docs/statistical.md").read_text("utf-8")
    assert text.count("| `fast_align` | ") >= 2  # the engine's row, and figures
