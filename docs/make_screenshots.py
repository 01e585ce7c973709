"""Make the pictures of the pages, for docs/: `python docs/make_screenshots.py`.

Needs Chromium and the packages of the extra `test`; starts the service itself.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from serve.annotating import Desk  # noqa: E402
from serve.browser import CHROMIUM, FLAGS, Visit  # noqa: E402
from serve.browser_service import serving  # noqa: E402
from serve.test_page_carry import drag, told  # noqa: E402

SMOKING = {
    "source": "Er hat vor zehn Jahren mit dem Rauchen aufgehört.",
    "target": "He gave up smoking ten years ago.",
}
GOLD = {**SMOKING, "gold": "0-0 1p1 1p2 2-6 3-4 4-5 6p3 7-3 8-1 8-2 9-7", "view": "both"}
SOUP = {
    "source": "Heute Abend kochen wir una zuppa with vegetables aus dem Garten.",
    "target": "Tonight we cook eine Suppe con verduras from the garden.",
}
PROVERBS = """Wer zuletzt lacht, lacht am besten.\tHe who laughs last laughs best.
Morgenstund hat Gold im Mund.\tThe early bird catches the worm.
Viele Köche verderben den Brei.\tToo many cooks spoil the broth.
"""
PHONE = {"width": 390, "height": 844, "device_scale_factor": 2, "has_touch": True}


def reading(browser: Any) -> None:
    """The page of `wordalign documents --html`, with a word lit."""
    from wordalign import align_documents
    from wordalign.documents.read import read_text
    from wordalign.render.reading import reading_html

    examples = DOCS.parent / "examples"
    source, target = (read_text(examples / f"story-{code}.txt") for code in ("eng", "deu"))
    source, target = (replace(text, name=Path(text.name).name) for text in (source, target))
    found = align_documents(source, target)
    page = browser.new_page(viewport={"width": 1100, "height": 640})
    page.set_content(reading_html(source, target, found.groups, title="The Lamp on the Pier"))
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    page.locator("#first .here .word").nth(3).hover()
    page.wait_for_timeout(300)
    page.screenshot(path=DOCS / "images/reading.png")
    page.close()


def main() -> None:
    with serving("--model", "base", "--model", "tiny") as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def visit(fields: dict[str, str] | None = None, **options: Any) -> Visit:
            size = {"width": options.pop("width", 1100), "height": options.pop("height", 800)}
            context = browser.new_context(viewport=size, **options)
            return Visit(context, address, "#" + urlencode(fields) if fields else "").settle()

        def keep(visited: Visit, name: str, folded: bool = True) -> None:
            if folded:
                visited.page.evaluate("() => { document.getElementById('more').open = false; }")
            visited.page.wait_for_timeout(300)
            visited.page.screenshot(path=DOCS / f"images/page-{name}.png", full_page=True)
            visited.context.close()

        reading(browser)
        rows = visit()
        rows.word("source", 8).hover()
        keep(rows, "rows")
        keep(visit(color_scheme="dark"), "dark")
        for example, name in (("English – Persian", "persian"), ("English – Hindi", "hindi")):
            picked = visit({"source": "x", "target": "x", "view": "both"})
            picked.page.click(f"text={example}")
            picked.page.wait_for_function("() => document.querySelectorAll('#rows-a .word').length > 4")
            picked.settle().word("source", 3).hover()
            keep(picked, name)
        keep(visit({**SOUP, "compare": "base match"}), "compare", folded=False)
        keep(visit(GOLD), "gold")
        keep(visit({**SMOKING, "view": "map", "level": "subword", "compare": "tiny argmax"}), "map")
        long = visit()
        long.page.click("text=A long sentence")
        long.page.wait_for_function("() => document.querySelectorAll('#rows-a .word').length > 100")
        keep(long.settle(), "long")
        carried = visit()
        carried.page.click("#carry")
        drag(carried, "source", 4, 7)
        told(carried, "likely")
        carried.page.click("#tags > summary")
        carried.page.click("#tags-example")
        carried.page.wait_for_function("() => document.querySelector('#tags-result').value")
        keep(carried, "carry")
        phone = visit(**PHONE)
        phone.page.click("text=English – Hindi")
        phone.page.wait_for_function("() => document.querySelector('#rows-a .word').innerText === 'The'")
        keep(phone.settle(), "phone")
        _annotation(browser, address)
        browser.close()


def _annotation(browser: Any, address: str) -> None:
    """The pictures of docs/annotation.md."""

    def desk(**options: Any) -> Desk:
        size = {"width": options.pop("width", 1100), "height": options.pop("height", 800)}
        context = browser.new_context(viewport=size, **options)
        return Desk(Visit(context, address, "annotate.html"))

    def keep(shown: Desk, name: str) -> None:
        shown.page.wait_for_timeout(300)
        shown.page.screenshot(path=DOCS / f"images/annotate-{name}.png", full_page=True)

    wide = desk()
    wide.page.fill("#new-name", "Proverbs")
    wide.begin(PROVERBS)
    wide.drag("source", 1, 2).word("target", 1).click()
    wide.settle()
    wide.word("source", 5).focus()
    wide.key("p", "End", "w")
    wide.page.fill("#comment", "Is ‘wer’ better linked to ‘he’ or to ‘who’?")
    wide.page.click("#list-box summary")
    wide.page.mouse.move(5, 5)
    keep(wide, "desk")
    wide.page.click("#close")
    wide.page.wait_for_selector("#projects tbody tr")
    keep(wide, "home")
    wide.visited.context.close()
    ann = desk().begin(PROVERBS)
    project = ann.project()
    ben = {**project, "annotator": "Ben", "pairs": [{**pair, "done": True} for pair in project["pairs"]]}
    ben["pairs"][0]["links"] = {**ben["pairs"][0]["links"], "0-0": "sure", "5-4": "sure"}
    ben["pairs"][0]["links"].pop("0-1", None)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ben.json"
        file.write_text(json.dumps(ben), "utf-8")
        for _ in range(3):
            ann.key("d")
        ann.page.click("#tools-box summary")
        ann.page.set_input_files("#other-file", file)
        ann.page.wait_for_selector("#scores:not([hidden]) td")
        ann.page.wait_for_function("() => document.querySelector('#desk-title').innerText.includes('Ben')")
    ann.settle().key("x")
    ann.page.mouse.move(5, 5)
    keep(ann, "differences")
    ann.visited.context.close()
    phone = desk(**PHONE, color_scheme="dark").begin(PROVERBS)
    phone.word("source", 1).tap()
    keep(phone, "phone")
    phone.visited.context.close()


if __name__ == "__main__":
    main()
