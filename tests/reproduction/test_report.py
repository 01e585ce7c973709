"""docs/results.md says what the committed results say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_committed_page_is_not_stale():
    done = subprocess.run(
        [sys.executable, "-m", "reproduction.report", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_every_file_it_names_is_there():
    page = ROOT / "docs/results.md"
    text = page.read_text("utf-8")
    for name in re.findall(r"From `([^`]+)`", text):
        assert (ROOT / name).is_file()
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        assert (page.parent / picture).is_file()
