from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from javascript.node import HERE, MODULES, NODE, ROOT, Answers, needs_node


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm package, in a folder where Node finds what it depends on."""
    needs_node()
    folder = tmp_path_factory.mktemp("npm")
    subprocess.run([sys.executable, ROOT / "js/make_package.py", folder / "wordalign"], check=True)
    (folder / "node_modules").symlink_to(MODULES)
    return folder / "wordalign"


@pytest.fixture(scope="session")
def answers(package: Path) -> Answers:
    """`answers(texts=[…], words=[…], pairs=[…], options=[…])`: what the package says, in one process."""

    def ask(**request: Any) -> dict[str, Any]:
        command = [str(NODE), str(HERE / "answers.mjs"), str(package)]
        done = subprocess.run(
            command, input=json.dumps(request), capture_output=True, text=True, encoding="utf-8", timeout=600
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask
