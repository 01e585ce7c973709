"""The page without a service, in real Chromium, from a plain web server under a sub-path."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from javascript.node import RUNTIME, corpus_pairs, needs_runtime, shipped_pairs
from serve.annotating import PAIRS, Desk
from serve.hosting import hosting
from wordalign import Aligner
from wordalign.cli import main
from wordalign.errors import InputError, OutputError, UsageError
from wordalign.serve import static_page
from wordalign.serve.static_page import write_static_page

pytest_plugins = ("serve.browser",)

PAGE = Path(write_static_page.__code__.co_filename).parent / "page"
TIMEOUT = 120_000

# What the page does with an answer, for many pairs at once.
ALIGN = """async (pairs) => {
  const { align, unitsOf } = await import("./page/align.js");
  const { fetchModels, alignPairs } = await import("./page/service.js");
  const { preparedModel } = await import("./page/state.js");
  const model = preparedModel((await fetchModels()).models[0]);
  const given = pairs.map(([source, target]) => ({ source, target }));
  const answers = await alignPairs(given, model.name, model.level);
  return JSON.stringify(answers.map(({ source, target, matrix }) => {
    const { links } = align(unitsOf(matrix), model.curve, { method: model.parse(model.method) });
    return { source, target, links: [...links.keys()].map((key) => key.split("-").map(Number)) };
  }));
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A host's folder, with the page under some/where/."""
    needs_runtime()
    folder = tmp_path_factory.mktemp("host")
    (folder / "some").mkdir()
    write_static_page(folder / "some/where", runtime=RUNTIME)
    return folder


@pytest.fixture
def opened(browser, site) -> Iterator[Callable[..., Any]]:
    """`opened(at)`: the page in a browser that has never seen it, ready."""
    from serve.browser import Visit

    visits: list[Visit] = []

    def visit(at: str, fragment: str = "") -> Visit:
        context = browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
        context.set_default_timeout(TIMEOUT)
        visits.append(Visit(context, at, fragment))
        visits[-1].page.wait_for_selector("#rows-a .word")
        return visits[-1].settle()

    yield visit
    for visited in visits:
        visited.context.close()
        assert not visited.abroad, f"requests left the host: {visited.abroad}"


def differing(wanted: Any, found: list[dict[str, Any]]) -> tuple[int, int]:
    different = total = 0
    for ours, theirs in zip(wanted, found, strict=True):
        for one, other in ((ours.source, theirs["source"]), (ours.target, theirs["target"])):
            assert other["words"] == list(one.words)
            assert other["offsets"] == [list(span) for span in one.offsets]
        links = {(i, j) for i, j in theirs["links"]}
        different += len(links ^ set(ours.links))
        total += len(links | set(ours.links))
    return different, total


def test_links_are_the_librarys(opened, site):
    """Those of the shipped pairs in 62 languages, and of 2,000 pairs where there is text."""
    tiny = Aligner("tiny")
    with hosting(site) as host:
        page = opened(f"{host}some/where/").page
        pairs = [tuple(sides) for _, *sides in shipped_pairs()]
        different, total = differing(tiny.align_batch(pairs), json.loads(page.evaluate(ALIGN, pairs)))
        assert different <= total / 200
        try:
            pairs = [tuple(sides) for _, *sides in corpus_pairs(2000)]
        except pytest.skip.Exception:
            return
        found = [
            one
            for k in range(0, len(pairs), 100)
            for one in json.loads(page.evaluate(ALIGN, pairs[k : k + 100]))
        ]
        different, total = differing(tiny.align_batch(pairs), found)
        assert different <= total / 1000


def test_it_works_offline_after_the_first_visit(opened, site):
    with hosting(site) as host:
        visited = opened(f"{host}some/where/")
        page = visited.page
        drawn = visited.pharaoh()
        assert (
            drawn == Aligner("tiny").align(page.input_value("#source"), page.input_value("#target")).pharaoh()
        )
        assert page.inner_text("#where-texts-go") == "Texts stay in this browser."
        page.wait_for_function("() => navigator.serviceWorker.controller")
    page.reload()  # the host is gone
    page.wait_for_selector("#rows-a .word")
    assert visited.settle().pharaoh() == drawn
    page.fill("#source", "Der Zug fährt ab.")
    page.fill("#target", "The train is leaving.")
    page.wait_for_function("() => document.querySelector('#rows-a .target').innerText.includes('train')")
    wanted = Aligner("tiny").align("Der Zug fährt ab.", "The train is leaving.")
    assert visited.settle().links() == set(wanted.links)
    assert not visited.complaints, visited.complaints


def test_a_new_version_replaces_the_old_one_whole(opened, site, tmp_path):
    folder = tmp_path / "page"
    shutil.copytree(site / "some/where", folder)
    with hosting(tmp_path) as host:
        page = opened(f"{host}page/").page
        page.wait_for_function("() => navigator.serviceWorker.controller")
        style = folder / "page/base.css"
        style.write_text(style.read_text("utf-8") + "body { outline: 3px solid red; }\n", "utf-8")
        before = page.evaluate("() => caches.keys()")
        page.reload()
        page.wait_for_selector("#rows-a .word")
        outline = "() => getComputedStyle(document.body).outlineStyle"
        assert page.evaluate(outline) == "none", "a changed file alone is not mixed with the old ones"
        write_static_page(folder, runtime=RUNTIME)
        style.write_text(style.read_text("utf-8") + "body { outline: 3px solid red; }\n", "utf-8")
        offline = (folder / "offline.js").read_text("utf-8")
        listed = (folder / "files.json").read_text("utf-8")
        version = json.loads(listed)["version"]
        (folder / "offline.js").write_text(offline.replace(version, "2"), "utf-8")
        (folder / "files.json").write_text(listed.replace(version, "2"), "utf-8")
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        page.wait_for_function(
            "before => caches.keys().then((now) => now.length > before.length)", arg=before
        )
        page.wait_for_function(
            "async () => (await navigator.serviceWorker.getRegistration()).waiting !== null"
        )
        for _ in range(20):  # the new one begins when no page uses the old one any more
            page.goto("about:blank")
            page.wait_for_timeout(500)
            page.goto(f"{host}page/")
            page.wait_for_selector("#rows-a .word")
            if page.evaluate(outline) != "none":
                return
    pytest.fail("the old version is still there")


def test_the_policy_holds(browser, site):
    attempts = (
        "fetch('https://example.org/')",
        "new Promise((done, fail) => { const script = document.createElement('script'); script.onload = done;"
        " script.onerror = fail; script.src = 'data:text/javascript,1'; document.body.append(script); })",
        "new Promise((done, fail) => { const script = document.createElement('script');"
        " script.textContent = 'self.ran = 1'; document.body.append(script); self.ran ? done() : fail(); })",
        "new Promise((done, fail) => { const image = new Image(); image.onload = done; image.onerror = fail;"
        " image.src = 'https://example.org/x.png'; })",
    )
    with hosting(site) as host:
        context = browser.new_context()
        reached: list[str] = []
        context.route(
            "https://example.org/**",
            lambda route: (reached.append(route.request.url), route.fulfill(body="")),
        )
        page = context.new_page()
        page.goto(f"{host}some/where/")
        page.wait_for_selector("#rows-a .word", timeout=TIMEOUT)
        page.evaluate(
            "() => { self.refused = []; document.addEventListener('securitypolicyviolation',"
            " (event) => self.refused.push(event.effectiveDirective)); }"
        )
        for attempt in attempts:
            assert page.evaluate(f"() => {attempt}.then(() => false, () => true)"), attempt
        page.wait_for_function("() => self.refused.length === 4")
        assert page.evaluate("() => self.refused.sort()") == [
            "connect-src",
            "img-src",
            "script-src-elem",
            "script-src-elem",
        ]
        context.close()
    assert not reached


def test_what_the_page_can_do_elsewhere_it_can_do_here(opened, site):
    """Subwords, the map, another method, exports, warnings, and a text that is too long."""
    with hosting(site) as host:
        visited = opened(
            f"{host}some/where/", "#" + urlencode({"source": "Hello world", "target": "สวัสดีชาวโลก"})
        )
        page = visited.page
        assert "The target was split into syllables, since Thai" in page.inner_text("#warnings")
        visited.more().option("method", "argmax").option("view", "both")
        page.select_option("#level", "subword")
        page.wait_for_function("() => location.hash.includes('level=subword')")
        name, content = visited.settle().download("[data-export=json]")
        assert name == "alignment.json"
        assert (
            json.loads(content)["signature"] == Aligner("tiny", level="subword", method="argmax").signature()
        )
        page.select_option("#level", "word")
        page.fill("#source", "word " * 1500)
        page.fill("#target", "Wort " * 1500)
        page.wait_for_function("() => !document.querySelector('#notice').hidden")
        assert "at most 1000000 are possible here: shorten the sentences." in page.inner_text("#notice")
        assert page.locator("#notice button").count() == 0, "trying again would not help"


def test_a_first_visit_without_the_model_says_so_and_can_be_repeated(browser, site, tmp_path):
    folder = tmp_path / "page"
    shutil.copytree(site / "some/where", folder)
    model = folder / "model/model.onnx"
    model.rename(tmp_path / "away")
    with hosting(tmp_path) as host:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{host}page/")
        page.wait_for_function("() => !document.querySelector('#notice').hidden", timeout=TIMEOUT)
        assert "The model cannot be loaded (model/model.onnx is not there: 404)." in page.inner_text(
            "#notice"
        )
        (tmp_path / "away").rename(model)
        page.click("#notice button")
        page.wait_for_selector("#rows-a .word", timeout=TIMEOUT)
        context.close()


def test_both_ways_to_an_aligner_have_the_same_exports():
    def exports(file: Path) -> set[str]:
        return set(
            re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", file.read_text("utf-8"), re.M)
        )

    assert exports(PAGE / "transport.js") == exports(PAGE.parent / "static/transport.js") != set()


def test_only_one_module_of_the_page_speaks_to_the_service():
    others = [path for path in PAGE.rglob("*.js") if path.name != "transport.js"]
    assert not [
        path.name
        for path in others
        if re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon", path.read_text("utf-8"))
    ]


def test_npm_fetches_the_runtime(tmp_path, capsys, site):
    if shutil.which("npm") is None:
        pytest.skip("no npm on this machine")
    ask = ["npm", "view", f"{static_page.RUNTIME}@{static_page.RUNTIME_VERSION}", "name", "--fetch-retries=0"]
    if subprocess.run(ask, capture_output=True).returncode:
        pytest.skip("npm reaches no registry here")
    assert main(["page", "--static", str(tmp_path / "page")]) == 0
    assert "has the page, 3" in capsys.readouterr().out
    names = {path.relative_to(tmp_path / "page") for path in (tmp_path / "page").rglob("*")}
    assert names == {path.relative_to(site / "some/where") for path in (site / "some/where").rglob("*")}


def test_refusals(tmp_path, monkeypatch, site):
    with pytest.raises(UsageError, match="The model 'mbert' cannot run in a browser: use tiny, base"):
        write_static_page(tmp_path / "page", model="mbert", runtime=RUNTIME)
    with pytest.raises(
        InputError, match=r"cannot be read .* give the folder `dist` of the npm package onnxruntime-web 1"
    ):
        write_static_page(tmp_path / "page", runtime=tmp_path)
    for name in ("ort.wasm.bundle.min.mjs", "ort-wasm-simd-threaded.wasm"):
        (tmp_path / name).write_text("something else")
    with pytest.raises(InputError, match="is not the file of onnxruntime-web"):
        write_static_page(tmp_path / "page", runtime=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError, match=r"npm, which is not on this machine: install Node.js, or give --runtime FOLDER"
    ):
        write_static_page(tmp_path / "page")
    assert not (tmp_path / "page").exists()
    with pytest.raises(OutputError, match=r"holds .*, which was not made by this command"):
        write_static_page(tmp_path, runtime=RUNTIME)


def test_the_command_replaces_an_earlier_page_and_explains_failures(tmp_path, site, capsys):
    command = ["page", "--static", str(tmp_path / "page"), "--runtime", str(RUNTIME)]
    assert main(command) == main(command) == 0
    assert f"python -m http.server --directory {tmp_path / 'page'}" in capsys.readouterr().out
    (tmp_path / "page/own.txt").write_text("mine")
    assert main(command) == 1
    assert "own.txt, which was not made by this command" in capsys.readouterr().err
    assert (tmp_path / "page/own.txt").read_text() == "mine"


def test_annotating_needs_no_service_either(opened, site):
    with hosting(site) as host:
        visited = opened(f"{host}some/where/")
        visited.page.click("text=Annotate")
        visited.page.wait_for_selector("#home:not([hidden])")
        desk = Desk(visited).begin()
        wanted = Aligner("tiny").align(*PAIRS[0])
        assert desk.drawn() == set(wanted.pharaoh().split())
        assert desk.project()["pairs"][0]["source"] == list(wanted.source.words)
        assert "Texts stay in this browser." in desk.page.inner_text("#where-texts-go")
    assert not visited.complaints, visited.complaints
