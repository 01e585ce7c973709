"""The page on which two texts are read: its data, and what it does in Chromium where there is one."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from wordalign.documents.types import SentenceGroup, Text
from wordalign.render.reading import reading_html
from wordalign.types import Alignment, Sentence

SOURCE = Text("A </script> 😀 red.\nHouse.\n\nNote.", ((0, 18), (19, 25), (27, 32)), (0, 0, 1), "en", "a.txt")
TARGET = Text("Rot 😀! Haus。Rest.", ((0, 6), (7, 12), (12, 17)), (0, 0, 0), "de", "b.txt")


def words(text: Text, *found: str) -> Sentence:
    offsets = tuple((text.text.index(word), text.text.index(word) + len(word)) for word in found)
    return Sentence(found, text.text, offsets)


GROUPS = [
    SentenceGroup(
        (0, 2),
        (0, 2),
        Alignment(
            ((0, 1), (1, 0), (2, 2)), (0.5, 0.25, 1.0),
            words(SOURCE, "😀", "red", "House"), words(TARGET, "Rot", "😀", "Haus"),
        ),
        0.4,
    ),
    SentenceGroup((2, 2), (2, 3), Alignment((), (), words(SOURCE), words(TARGET, "Rest")), 0.0),
    SentenceGroup((2, 3), (3, 3), Alignment((), (), words(SOURCE, "Note"), words(TARGET)), 0.0),
    SentenceGroup(
        (2, 3), (2, 3), Alignment(((0, 0),), (0.9,), words(SOURCE, "Note"), words(TARGET, "Rest")), 0.9, True
    ),
]  # fmt: skip


def data_of(page: str):
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]
    )


def test_sentences_are_pieces_with_linked_words_between():
    data = data_of(reading_html(SOURCE, TARGET, GROUPS))
    source, target = (side["sentences"] for side in data["sides"])
    assert source[0] == [2, ["A </script> ", "😀", " ", "red", "."]]
    assert source[1] == [1, ["", "House", "."]]
    assert [gap for gap, _ in target] == [2, 1, 0]
    assert target[2] == [0, ["", "Rest", "."]]
    assert data["groups"][0] == [0, 2, 0, 2, 40, 0, [0, 1, 50, 1, 0, 25, 2, 2, 100]]
    assert data["groups"][3][4:6] == [90, 1]


def test_the_title_is_escaped_and_nothing_is_loaded():
    page = reading_html(SOURCE, TARGET, GROUPS, title="<b>&")
    assert "<title>&lt;b&gt;&amp;</title>" in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium here")
    with playwright.sync_playwright() as started:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = started.chromium.launch(executable_path=chromium, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    troubles: list[str] = []
    tabs = []

    def open_page(html: str, width: int = 1000):
        file = tmp_path / "reading.html"
        file.write_text(html, "utf-8")
        tab = browser.new_page(viewport={"width": width, "height": 600})
        tab.set_default_timeout(180_000)
        tab.on("pageerror", lambda error: troubles.append(str(error)))
        tab.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        tab.goto(file.as_uri())
        tab.wait_for_selector(".sentence")
        tabs.append(tab)
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
    assert not troubles


def lit(tab, pane):
    return tab.locator(f"#{pane} .lit").all_inner_texts()


def test_a_word_and_its_partners_are_lit(opened):
    tab = opened(reading_html(SOURCE, TARGET, GROUPS))
    tab.keyboard.press("ArrowDown")
    tab.locator("#first .word", has_text="red").hover()
    assert (lit(tab, "first"), lit(tab, "second")) == (["red"], ["Rot"])
    assert tab.inner_text("#told") == "red – Rot, 0.25"
    tab.keyboard.press("ArrowRight")
    assert (lit(tab, "first"), lit(tab, "second")) == (["House"], ["Haus"])
    tab.keyboard.press("Escape")
    assert lit(tab, "first") == []
    assert tab.locator("#first .sentence").first.inner_text() == "A </script> 😀 red."


def test_doubtful_sentences_are_marked_and_moved_ones_find_each_other(opened):
    tab = opened(reading_html(SOURCE, TARGET, GROUPS), width=390)
    assert tab.locator("#first .doubtful").count() == 2
    assert tab.locator(".alone").count() == 0  # both sides of what was moved have a partner
    tab.locator("#first .sentence", has_text="Note").click()
    assert tab.locator("#second .here").inner_text() == "Rest."
    assert "moved" in tab.inner_text("#told") or "Rest" in tab.inner_text("#told")


def test_the_texts_scroll_together(opened):
    """The second text has a long passage that the first lacks: sentences keep level with their partners."""
    count, gap = 120, 60
    text = "".join(f"Number {k} is here.\n\n" for k in range(count))
    more = "".join(
        f"Nummer {k} ist da.\n\n" + ("Einschub. " * 5 + "\n\n") * (gap if k == 50 else 0)
        for k in range(count)
    )

    def with_sentences(written, language):
        spans = [(found.start(), found.end()) for found in re.finditer(r"\S[^\n]*\S", written)]
        return Text(written, tuple(spans), tuple(range(len(spans))), language, language)

    one, other = with_sentences(text, "en"), with_sentences(more, "de")
    nothing = Alignment((), ())
    groups, j = [], 0
    for i in range(count):
        groups.append(SentenceGroup((i, i + 1), (j, j + 1), nothing, 0.9))
        j += 1
        if i == 50:
            groups += [SentenceGroup((i + 1, i + 1), (k, k + 1), nothing, 0.0) for k in range(j, j + gap)]
            j += gap
    tab = opened(reading_html(one, other, groups))
    tab.locator("#first").hover()
    for place in (20, 100):
        tab.evaluate(
            "k => { const e = sentences[0][k]; panes[0].scrollTop += e.getBoundingClientRect().top - 300; }",
            place,
        )
        tab.wait_for_timeout(300)
        partner = place + (gap if place > 50 else 0)
        tops = tab.evaluate(
            "([a, b]) => [sentences[0][a], sentences[1][b]].map((e) => e.getBoundingClientRect().top)",
            [place, partner],
        )
        assert abs(tops[0] - tops[1]) < 60
