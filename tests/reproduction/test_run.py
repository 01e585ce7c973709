"""The whole reproduction on a miniature, as a user runs it: with the bundled models and a small local one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from mini import make_data, make_vectors
from reproduction.experiments import EXPERIMENTS
from reproduction.lab.cells import value

pytest.importorskip("matplotlib", reason="the figures need matplotlib: pip install 'wordalign[figures]'")

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG"


def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    # Offline, a model that is not there fails at once.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "WORDALIGN_DATA": ""}
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def done(tmp_path_factory, tiny_model):
    """Options of a finished run, its folder of results, and what it said."""
    folder = tmp_path_factory.mktemp("reproduction")
    options = [
        "--data", make_data(folder / "data"), "--out", folder / "out", "--work", folder / "work",
        "--model", f"small={tiny_model('bert')}", "--vectors", make_vectors(folder / "vectors"),
        "--train-pairs", 15, "--curve", "5,15", "--ibm4-pairs", 5, "--ibm4-subwords", 4, "--rounds", 1,
    ]  # fmt: skip
    finished = run("reproduction", *options)
    assert finished.returncode == 0, finished.stderr[-3000:]
    return options, folder / "out", finished.stderr


def result(out: Path, name: str):
    return json.loads((out / f"{name}.json").read_text("utf-8"))["result"]


def test_every_experiment_leaves_its_files(done):
    _, out, _ = done
    for experiment in EXPERIMENTS:
        document = json.loads((out / f"{experiment.name}.json").read_text("utf-8"))
        assert document["command"] == f"python -m reproduction.{experiment.name}"
        assert document["inputs"]["gold"].keys() == {"deu", "hin"}
        assert (out / f"{experiment.name}.md").read_text("utf-8").startswith(f"# {experiment.title}")
    for name in ("learning_curve", "layers", "frequency", "corrections"):
        assert (out / f"{name}.png").read_bytes().startswith(PNG)
        assert "</svg>" in (out / f"{name}.svg").read_text("utf-8")
    assert not list(out.glob("*.partial"))


def test_every_score_has_a_signature_and_follows_from_its_counts(done):
    _, out, _ = done
    cells = [cell for cell in result(out, "main_comparison")["cells"] if "scores" in cell]
    assert {cell["system"] for cell in cells} >= {"base", "tiny", "small"}
    for cell in cells:
        assert "wordalign" in cell["signature"]
        predicted, right, right_sure, sure = cell["scores"]["counts"]
        assert cell["scores"]["recall"] == pytest.approx(right_sure / sure, abs=1e-4)
        assert cell["scores"]["precision"] == pytest.approx(right / max(predicted, 1), abs=1e-4)


def test_the_bundled_model_aligns_the_miniature_well(done):
    _, out, _ = done
    cells = result(out, "main_comparison")["cells"]
    found = value(cells, system="base", level="word", method="argmax", language="deu")
    assert found > 0.8
    random = [cell["scores"]["f1"] for cell in cells if cell["system"] == "small" and "scores" in cell]
    assert max(random) < found


def test_rows_that_cannot_be_run_stay_with_the_paper_s_numbers(done):
    _, out, _ = done
    page = (out / "main_comparison.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| mBERT[8] – Argmax | subword"))
    assert "– (.86)" in row
    assert "not run: weights not reachable" in row
    assert "#### ENG-FAS: not run, gold not available" in page
    assert "– (.71)" in page
    cells = result(out, "main_comparison")["cells"]
    persian = [cell for cell in cells if cell["language"] == "fas" and cell["level"] == "word"]
    assert persian
    assert all(cell["not_run"] == "gold not available" for cell in persian)


@pytest.mark.skipif(
    not (find_spec("thot") and find_spec("eflomal")), reason="the statistical aligners are not installed"
)
def test_the_statistical_aligners_learn_from_text(done):
    _, out, _ = done
    points = result(out, "learning_curve")["points"]
    sizes = {system: sorted({cell["text_pairs"] for cell in points if cell["system"] == system})
             for system in ("fast_align", "ibm4", "eflomal")}  # fmt: skip
    assert sizes == {"fast_align": [5, 15], "ibm4": [4, 5], "eflomal": [5, 15]}
    cells = result(out, "symmetrisation")["cells"]
    for cell in cells:
        if cell["language"] in ("deu", "hin"):
            assert cell["scores"]["counts"][0] > 0
    few, many = (
        sum(cell["scores"]["counts"][0] for cell in cells if cell["heuristic"] == name and "scores" in cell)
        for name in ("intersection", "grow-diag-final-and")
    )
    assert few < many


def test_mapped_vectors_fill_the_rows_of_fasttext(done):
    _, out, _ = done
    cells = result(out, "main_comparison")["cells"]
    found = value(cells, system="fasttext", level="word", method="argmax", language="deu")
    # The vectors were made from the links, but a word that occurs twice has one vector only.
    assert found > 0.7
    missing = [cell for cell in cells if cell["system"] == "fasttext" and cell["language"] == "hin"]
    assert {cell["not_run"] for cell in missing} == {
        "no mapped vectors for eng-hin, word level", "no mapped vectors for eng-hin, subword level"
    }  # fmt: skip
    assert result(out, "main_comparison")["maps"]["word/eng-deu"]["good"]
    assert (
        value(result(out, "corrections")["kappa"], system="fasttext", method="argmax", kappa_value=0.5) > 0.7
    )


def test_layers_of_the_local_model(done):
    _, out, _ = done
    models = {model["system"]: model for model in result(out, "layers")["models"]}
    assert models["mbert"]["not_run"] == "weights not reachable"
    assert models["small"]["layers"] == 5
    assert len(models["small"]["curves"]) == 5 * 2
    # The embeddings, six blocks, and the vectors that links are read from.
    assert models["base"]["layers"] == 8
    assert "| projection |" in (out / "layers.md").read_text("utf-8")


def test_the_report_says_what_the_results_say(done):
    _, out, _ = done
    page = out / "results.md"
    text = page.read_text("utf-8")
    assert text.index("## Summary") < text.index("## Gold sets")
    for experiment in EXPERIMENTS:
        assert f"{experiment.name}.json" in text
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        assert (page.parent / picture).is_file()
    check = ("--results", out, "--page", page, "--check")
    assert run("reproduction.report", *check).returncode == 0
    page.write_text(text.replace("weights not reachable", "lost"), "utf-8")
    stale = run("reproduction.report", *check)
    assert stale.returncode == 1
    assert "results.md" in stale.stderr
    page.write_text(text, "utf-8")


def test_what_is_finished_is_not_done_again(done):
    options, out, _ = done
    before = (out / "itermax.json").stat().st_mtime_ns
    again = run("reproduction.itermax", *options)
    assert "nothing has changed" in again.stderr
    assert "| base, n_max=1 (Argmax) |" in again.stdout
    assert (out / "itermax.json").stat().st_mtime_ns == before
    forced = run("reproduction.itermax", *options, "--force")
    assert forced.returncode == 0
    assert (out / "itermax.json").stat().st_mtime_ns > before


def test_weights_that_are_there_fill_the_row(done, tiny_model, tmp_path):
    options, _, _ = done
    filled = run(
        "reproduction", *options, "--out", tmp_path, "--model", f"mbert={tiny_model('bert')}",
        "--only", "methods", "layers",
    )  # fmt: skip
    assert filled.returncode == 0, filled.stderr
    page = (tmp_path / "methods.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| mBERT[8] | subword | Argmax"))
    assert re.search(r"\.\d{3} \(\.81, [+−]\.\d\d\)", row)
    models = {model["system"]: model for model in result(tmp_path, "layers")["models"]}
    assert "curves" in models["mbert"]
    assert "not_run" not in models["mbert"]


def test_no_data_is_a_sentence(tmp_path):
    wrong = run("reproduction.itermax", "--data", tmp_path / "nowhere")
    assert wrong.returncode == 2
    assert "There is no folder" in wrong.stderr
    missing = run("reproduction.itermax", "--data", tmp_path)
    assert missing.returncode == 2
    assert "There are no gold sets in" in missing.stderr
