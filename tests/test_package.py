"""Promises of the package as a whole: what importing costs, what is public, what the wheel holds."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wordalign

ROOT = Path(__file__).parent.parent
HEAVY = (
    "torch", "transformers", "scipy", "onnxruntime", "tokenizers", "sentencepiece", "tqdm", "simalign", "ray",
    "pyarrow",
)  # fmt: skip


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_public_names():
    assert sorted(wordalign.__all__) == [
        "AlignConfig", "Aligner", "Alignment", "DeviceMemoryError", "DocumentAlignment", "DownloadError",
        "GoldAlignment", "InputError", "MissingExtraError", "ModelError", "OutputError", "Pair", "Sentence",
        "StatisticalAligner", "UnknownNameError", "UsageError", "WordalignError", "__version__",
        "align_documents", "align_files", "evaluate", "transfer", "tune",
    ]  # fmt: skip
    assert issubclass(wordalign.DownloadError, wordalign.WordalignError)
    for name in wordalign.__all__:
        assert getattr(wordalign, name)
    with pytest.raises(AttributeError, match="no attribute 'Alinger'"):
        wordalign.Alinger  # noqa: B018


def test_importing_the_package_loads_next_to_nothing():
    before = loaded_by("")
    loaded = loaded_by("import wordalign") - before
    assert not loaded & {*HEAVY, "numpy"}
    assert len(loaded) < 120


def test_the_command_line_and_the_aligner_load_no_heavy_library():
    loaded = loaded_by("import wordalign.cli; from wordalign import Aligner")
    assert not loaded & set(HEAVY)


def test_import_time_is_a_small_share_of_numpys():
    """As a ratio, best of several: machines differ, and are noisy."""

    def seconds(statement: str) -> float:
        code = f"import time; start = time.perf_counter()\n{statement}\nprint(time.perf_counter() - start)"
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            for _ in range(5)
        ]
        return min(map(float, runs))

    # A machine that is busy for one of the two and not for the other says nothing: three tries.
    assert any(seconds("import wordalign") < 0.5 * seconds("import numpy") for _ in range(3))


def test_the_version_is_the_projects():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert wordalign.__version__ == project["version"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.skipif("site-packages" not in wordalign.__file__, reason="run against an editable install")
def test_the_installed_wheel_is_what_is_tested():
    assert ROOT / "src" not in Path(wordalign.__file__).parents
    assert (Path(wordalign.__file__).parent / "py.typed").exists()
