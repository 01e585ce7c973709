"""The npm package as its users meet it: what is in it, its types, its errors, and the file for a registry."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import wordalign
from javascript.node import MODULES, NODE, ROOT


def node(package: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that imports the package by its name."""
    folder = package.parent / "user"
    folder.mkdir(exist_ok=True)
    (folder / "node_modules").mkdir(exist_ok=True)
    for name, place in (("wordalign", package), ("onnxruntime-web", MODULES / "onnxruntime-web")):
        if not (folder / "node_modules" / name).exists():
            (folder / "node_modules" / name).symlink_to(place)
    (folder / "program.mjs").write_text(program, "utf-8")
    return subprocess.run([str(NODE), folder / "program.mjs"], capture_output=True, text=True, timeout=120)


def test_the_example_of_the_readme_runs(package):
    text = (package / "README.md").read_text("utf-8")
    program = text.partition("```js\n")[2].partition("```")[0]
    shown = text.partition("```text\n")[2].partition("```")[0]
    done = node(package, program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown


def test_the_programs_of_the_documentation_run(package):
    text = (ROOT / "docs/javascript.md").read_text("utf-8")
    programs = re.findall(
        r"^<!-- not run: tests/javascript runs it in Node -->\n```js\n(.*?)^```", text, re.M | re.S
    )
    assert len(programs) == text.count("```js\n") == 2
    said = [node(package, program) for program in programs]
    assert [done.returncode for done in said] == [0, 0], said[0].stderr + said[1].stderr
    assert said[0].stdout.splitlines()[0].startswith("Good Guten ")
    assert "method=itermax:n_max=2,alpha=0.9 | threshold=0.3" in said[1].stdout
    assert "text: 'école', start: 2, end: 7" in said[1].stdout


def test_the_version_is_the_python_packages(package):
    assert json.loads((package / "package.json").read_text("utf-8"))["version"] == wordalign.__version__
    assert (
        node(package, "import { version } from 'wordalign'; console.log(version)").stdout.strip()
        == wordalign.__version__
    )


def test_the_runtime_is_the_one_that_the_static_page_takes(package):
    from wordalign.serve.static_page import RUNTIME, RUNTIME_VERSION

    assert json.loads((package / "package.json").read_text("utf-8"))["dependencies"] == {
        RUNTIME: RUNTIME_VERSION
    }


def test_models_from_a_folder_and_from_memory(package):
    program = """
    import { readFile } from "node:fs/promises";
    import { load } from "wordalign";
    const folder = new URL("./node_modules/wordalign/models/tiny/", import.meta.url);
    const json = async (name) => JSON.parse(await readFile(new URL(name, folder), "utf8"));
    const onnx = await readFile(new URL("model.onnx", folder));
    const files = { facts: await json("model.json"), tokenizer: await json("tokenizer.json"), onnx };
    for (const model of [undefined, "tiny", folder, folder.href, files]) {
      const aligner = await load({ model });
      const { links } = await aligner.align("Good day", "Guten Tag");
      const written = links.map(({ source, target }) => `${source}-${target}`);
      console.log(aligner.languages.length, written.join(" "));
    }"""
    done = node(package, program)
    assert done.stdout.splitlines() == ["69 0-0 1-1"] * 5, done.stderr


def test_many_calls_at_once_and_the_end_of_an_aligner(package):
    program = """
    import { load } from "wordalign";
    const [one, other] = await Promise.all([load(), load()]);
    const text = (k) => "The museum is closed. ".repeat(k % 4 + 1);
    const found = await Promise.all(Array.from({ length: 12 }, (_, k) => one.align(text(k), text(k))));
    console.log(found.map(({ links }) => links.length).join(" "));
    await one.release();
    await one.align("Good day", "Guten Tag").catch(() => console.log("released"));
    console.log((await other.align("Good day", "Guten Tag")).links.length);"""
    assert node(package, program).stdout.splitlines() == ["5 10 15 20 5 10 15 20 5 10 15 20", "released", "2"]


def test_bundlers_meet_nothing_that_only_node_has(package):
    """Webpack and esbuild stop at an import of `node:fs`, wherever it stands."""
    for file in (*package.glob("aligner/*.js"), *package.glob("page/*.js")):
        assert not re.search(r"""\b(import|from|require)\b[\s(]*["']node:""", file.read_text("utf-8")), (
            file.name
        )


def test_mistakes_are_explained(package):
    mistakes = {
        "align('a', 'b', { method: 'best' })": 'There is no method "best": use calibrated, itermax',
        "align('a', 'b', { method: 'itermax:n=3' })": "There is no method",
        "align('a', 'b', { threshold: 2 })": "The option threshold lies between 0 and 1, not 2.",
        "align('a', 'b', { level: 'letter' })": 'The level is "word" or "subword", not "letter".',
        "align('a')": "A sentence is a text or a list of words.",
        "align(['a', 1], 'b')": "A sentence is a text or a list of words.",
        "align(Array(1500).fill('a'), Array(1000).fill('b'))": "would have 1500000 cells, but at",
    }
    calls = "".join(
        f"await aligner.{call}.catch((error) => console.log(error.message));\n" for call in mistakes
    )
    done = node(package, f"import {{ load }} from 'wordalign'; const aligner = await load();\n{calls}")
    assert done.returncode == 0, done.stderr
    for said, sentence in zip(done.stdout.splitlines(), mistakes.values(), strict=True):
        assert sentence in said


def test_a_model_that_is_not_there(package):
    done = node(package, "import { load } from 'wordalign'; await load({ model: 'file:///no/such/folder' });")
    assert done.returncode == 1
    assert "Error: The model file file:///no/such/folder/" in done.stderr
    assert "cannot be loaded (ENOENT): give the address of a model's folder." in done.stderr


def test_the_types_fit(package):
    compiler = MODULES / ".bin/tsc"
    if not compiler.exists():
        pytest.skip("no TypeScript here: npm ci --prefix js")
    node(package, "")  # makes the user's folder
    program = package.parent / "user/program.mts"
    options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"]
    good = """
    import { load, split, version, type Alignment, type Link } from "wordalign";
    const aligner = await load({ model: "tiny" });
    const options = { method: "argmax", threshold: 0.5 };
    const found: Alignment = await aligner.align("Good day", ["Guten", "Tag"], options);
    const best: Link | undefined = found.links.find((link) => link.probability > 0.9);
    const start: number = split("Good day")[0].start + (found.source.words[0].start ?? 0);
    console.log(best?.source, start, version.length, aligner.languages.includes("deu"));
    """
    for text, fits in (
        (good, True),
        (good.replace("0.5", '"0.5"'), False),
        (good.replace("links.find", "link.find"), False),
    ):
        program.write_text(text, "utf-8")
        done = subprocess.run(
            [str(compiler), *options, str(program)], capture_output=True, text=True, timeout=120
        )
        assert (done.returncode == 0) == fits, done.stdout


def test_npm_packs_what_is_needed_and_nothing_else(package, tmp_path):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm on this machine")
    command = [npm, "pack", "--silent", str(package), "--pack-destination", str(tmp_path)]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, timeout=120)
    (archive,) = tmp_path.glob("*.tgz")
    with tarfile.open(archive) as packed:
        names = {name.removeprefix("package/") for name in packed.getnames()}
    assert {"package.json", "README.md", "LICENSE", "aligner/index.js", "aligner/index.d.ts"} <= names
    assert {"models/tiny/model.onnx", "page/extract.js", "page/match.js"} <= names
    assert not [name for name in names if name.startswith("page/") and "service" in name]
    assert archive.stat().st_size < 25e6


def test_the_tables_are_those_of_the_python_package():
    done = subprocess.run(
        [sys.executable, ROOT / "js/make_tables.py", "--check"], capture_output=True, text=True
    )
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
