"""The page of a corpus, taken apart as a browser does, and used in Chromium where there is one."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import shutil
from html.parser import HTMLParser

import pytest
from drawn_pairs import pictures
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import UsageError
from wordalign.render import corpus_html
from wordalign.render.characters import drawable
from wordalign.render.layout import bands
from wordalign.types import Alignment, GoldAlignment, Sentence


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the texts of the scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self._in_script = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        self.scripts += [""] * self._in_script

    def handle_endtag(self, tag):
        self._in_script = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts[-1] += data


OURS = [tag for tag, _ in Elements(corpus_html([])).found]


def data_of(page: str) -> dict:
    return json.loads(Elements(page).scripts[0])


@given(st.lists(pictures(), max_size=3), st.text(max_size=20))
def test_no_word_becomes_an_element(several, title):
    alignments = [alignment for alignment, _, _ in several]
    page = corpus_html(
        alignments,
        second=[second or alignment for alignment, second, _ in several],
        gold=[gold or GoldAlignment(frozenset(), frozenset()) for _, _, gold in several],
        title=title,
    )
    page.encode("utf-8")
    elements = Elements(page)
    assert [tag for tag, _ in elements.found] == OURS
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    for record, alignment in zip(data_of(page)["pairs"], alignments, strict=True):
        assert record[0] == [drawable(word) for word in alignment.source.words]
        assert record[1] == [drawable(word) for word in alignment.target.words]
        assert list(zip(record[2][::2], record[2][1::2], strict=True)) == list(alignment.links)


def test_nothing_comes_from_outside_and_only_our_script_runs(museum):
    page = corpus_html([museum])
    elements = Elements(page)
    assert not [attributes for _, attributes in elements.found if {"src", "href"} & set(attributes)]
    (policy,) = [attributes["content"] for _, attributes in elements.found if "http-equiv" in attributes]
    digest = hashlib.sha256(elements.scripts[1].encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


def test_what_is_compared_must_be_equally_long(museum):
    with pytest.raises(UsageError, match="equally many pairs, not 1, 2 and 1"):
        corpus_html([museum], second=[museum, museum])


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A page of pairs in a browser tab that fails the test on any error or request."""
    troubles: list[str] = []
    tabs = []

    def open_page(html: str, fragment: str = "", width: int = 1000):
        file = tmp_path / "corpus.html"
        file.write_text(html, "utf-8")
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.set_default_timeout(180_000)  # machines that run this are shared and slow at times
        tabs.append(tab)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        tab.on(
            "request",
            lambda request: None if request.url.startswith("file:") else troubles.append(request.url),
        )
        tab.goto(f"{file.as_uri()}{fragment}")
        tab.wait_for_selector("main > *")
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
    assert not troubles


def corpus(museum, size: int) -> list[Alignment]:
    return [
        Alignment(
            museum.links, museum.scores, Sentence((*museum.source.words[:6], f"nr{number}")), museum.target
        )
        for number in range(1, size + 1)
    ]


def test_search_and_paging_in_a_browser(opened, museum):
    tab = opened(corpus_html(corpus(museum, 95), title="<i>Pairs</i>"))
    assert tab.inner_text("h1") == "<i>Pairs</i>"
    assert tab.inner_text("#count") == "95 pairs"
    assert tab.locator("article").count() == 20
    assert tab.locator("article >> nth=0 >> g.link").count() == 6
    tab.keyboard.press("ArrowRight")
    assert tab.inner_text("h2 >> nth=0") == "21"
    assert tab.evaluate("location.hash") == "#page=2"
    tab.keyboard.press("/")
    tab.keyboard.type("NR7")
    assert tab.inner_text("#count") == "11 of 95 pairs"
    assert tab.inner_text(".hit >> nth=0") == "nr7"
    tab.fill("#query", "closed -> geschlossen")
    assert tab.inner_text("#count") == "95 pairs"
    tab.fill("#query", "closed → Museum")
    assert tab.inner_text("main") == "No pair is like that."
    tab.fill("#query", "#33")
    assert tab.inner_text("h2") == "33"
    tab.hover(".source .word >> nth=3")
    assert tab.locator(".lit").all_inner_texts() == ["closed", "geschlossen"]
    tab.reload()
    assert tab.inner_text("h2") == "33"


def test_differences_directions_and_script_in_a_browser(opened, museum, other, gold):
    script = Sentence.from_words(["museum", "<script>alert(1)</script>"])
    persian = Alignment(((0, 0), (1, 1)), (1, 1), script, Sentence.from_words(["موزه", "بسته"]))
    empty = GoldAlignment(frozenset(persian.links), frozenset())
    tab = opened(
        corpus_html([museum, persian], second=[other, persian], gold=[gold, empty], labels=("<b>", "two"))
    )
    assert tab.locator("article >> nth=1 >> .word >> nth=1").inner_text() == "<script>alert(1)</script>"
    assert tab.locator("article >> nth=0 >> path.first").count() == 1
    assert tab.locator("article >> nth=0 >> path.second").count() == 1
    assert tab.locator("article >> nth=0 >> path.sure").count() == 6
    first, second = (tab.locator(f"article >> nth=1 >> .target .word >> nth={number}").bounding_box()["x"]
                     for number in (0, 1))  # fmt: skip
    assert first > second, "from right to left"
    assert "<b> only" in tab.inner_text("#legend")
    tab.check("#differing")
    assert tab.locator("h2").all_inner_texts() == ["1"]


def test_a_long_pair_wraps_in_a_browser_as_in_the_library(opened):
    chance = random.Random(1)
    words = Sentence.from_words("x" * chance.randint(1, 12) for _ in range(150))
    links = sorted({(number, min(149, max(0, number + chance.randint(-6, 6)))) for number in range(150)})
    tab = opened(corpus_html([Alignment(tuple(links), (1.0,) * len(links), words, words)]), width=600)
    assert tab.locator(".band").count() > 10
    assert tab.locator(".word").count() == 300
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    widths = [[10 * len(word) for word in words.words]] * 2
    cut = tab.evaluate("([links, widths, limit]) => cuts(links, widths, limit)", [links, widths, 400])
    assert [tuple(map(tuple, spans)) for spans in cut] == bands(links, (widths[0], widths[1]), 400)


@pytest.mark.speed
def test_ten_thousand_pairs_stay_fluid(opened, museum):
    """A hundred times as many pairs take nowhere near a hundred times as long to search and leaf through."""
    step = """async () => {
        const times = [];
        for (const query of ["nr9", "nr99", "closed", ""]) {
            const start = performance.now();
            document.getElementById("query").value = query;
            document.getElementById("query").dispatchEvent(new Event("input"));
            document.getElementById("next").click();
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
            times.push(performance.now() - start);
        }
        return Math.min(...times);
    }"""
    few, many = (opened(corpus_html(corpus(museum, size))) for size in (100, 10_000))
    rounds = [(few.evaluate(step), many.evaluate(step)) for _ in range(3)]
    assert min(slow for _, slow in rounds) < 10 * min(fast for fast, _ in rounds)
