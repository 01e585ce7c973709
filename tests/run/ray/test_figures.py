"""The figures of docs/cluster.md are those that the benchmark wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_figures_are_not_stale():
    command = [sys.executable, "benchmarks/cluster.py", "--table", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "| lost | twice |" in (ROOT / "docs/cluster.md").read_text("utf-8")
