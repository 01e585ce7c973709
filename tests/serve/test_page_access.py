"""For everybody: screen readers, dark and light, phones, every script, long sentences."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

pytest_plugins = ("serve.browser",)

PERSIAN = "می‌خواهم این کتاب را دوباره بخوانم."
BUSY = {
    "source": "She has told me that it rains.",
    "target": "Sie hat mir gesagt, dass es regnet.",
    "gold": "0-0 1p1 6-7",
    "compare": "tiny match",
    "view": "both",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visited = visit("#" + urlencode(BUSY), color_scheme=scheme)
    visited.word("source", 2).click()
    found = axe.run(visited.page).response["violations"]
    worst = [
        (rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")
    ]
    assert not worst


def test_right_to_left_words_run_from_the_right(visit):
    visited = visit("#" + urlencode({"source": "I want to read this book again.", "target": PERSIAN}))
    page = visited.page
    boxes = [visited.word("target", k).bounding_box() for k in range(7)]
    assert [box["x"] for box in boxes] == sorted((box["x"] for box in boxes), reverse=True)
    assert page.get_attribute("#rows-a .line.target", "dir") == "rtl"
    assert page.get_attribute("#rows-a .line.source", "dir") == "ltr"
    # The link ends where its words are.
    link = page.eval_on_selector(
        "#rows-a .link[data-key='3-5']", "link => { const b = link.getBBox(); return [b.x, b.x + b.width]; }"
    )
    edge = page.locator("#rows-a").bounding_box()["x"]
    middles = sorted(
        box["x"] + box["width"] / 2 - edge
        for box in (visited.word("source", 3).bounding_box(), visited.word("target", 5).bounding_box())
    )
    assert link == pytest.approx(middles, abs=1)
    # The left arrow goes on, as the words do.
    visited.word("target", 0).focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.index") == "1"


def test_combining_marks_stay_with_their_words(visit):
    hindi = "बच्चे स्कूल में एक नई किताब पढ़ रहे हैं।"
    visited = visit(
        "#" + urlencode({"source": hindi, "target": "The children are reading a new book at school."})
    )
    words = visited.page.locator("#rows-a .source .word").all_inner_texts()
    assert words == ["बच्चे", "स्कूल", "में", "एक", "नई", "किताब", "पढ़", "रहे", "हैं", "।"]


def test_a_phone_shows_everything_without_scrolling_sideways(visit):
    visited = visit("#" + urlencode(BUSY), width=360, height=740, has_touch=True)
    page = visited.page
    page.evaluate("() => { document.getElementById('more').open = true; }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    visited.option("view", "rows")
    left, right = (page.locator(f"#rows-a .line.{side}").bounding_box() for side in ("source", "target"))
    assert left["x"] + left["width"] < right["x"], "words stand in two columns"
    before = visited.links()
    visited.word("source", 0).tap()
    visited.word("target", 4).tap()
    visited.settle()
    assert visited.links() == before | {(0, 4)}
    visited.word("source", 0).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.index") == "1"


def test_a_sentence_of_150_words_is_broken_into_lines_that_belong_together(visit):
    source = " ".join(f"word{k} and" for k in range(75))
    target = " ".join(f"word{k} und" for k in range(75))
    visited = visit("#" + urlencode({"source": source, "target": target, "method": "argmax"}))
    page = visited.page
    assert page.locator("#rows-a .word").count() == 300
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    bands = page.locator("#rows-a .band")
    assert bands.count() > 5
    # Nearly every link stays within its band, and what comes above comes first.
    inside = page.evaluate(
        "() => { const band = (side, k) => document.querySelector("
        "`#rows-a .word[data-side=${side}][data-index='${k}']`).closest('.band');"
        " return [...document.querySelectorAll('#rows-a .link')].map((link) => link.dataset.key.split('-'))"
        ".map(([i, j]) => band('source', i) === band('target', j)); }"
    )
    assert sum(inside) > 0.9 * len(inside) > 60
    visited.option("method", "match")
    visited.option("view", "map")
    box = page.locator(".map-scroll").bounding_box()
    assert box["width"] <= 1200
    assert box["height"] <= 900, "a large map scrolls in its own frame"


def test_focus_goes_through_the_page_in_order_and_shows(visit):
    visited = visit("#" + urlencode({"source": "Guten Tag", "target": "Good day"}))
    page = visited.page
    page.focus("#source")
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.dataset.side || ''"))
        if seen[-1] == "undo" or page.evaluate("document.activeElement.dataset.export") == "png":
            break
    order = [name for name in ("target", "threshold", "source", "target") if name in seen]
    assert seen.index("target") < seen.index("threshold")
    assert seen.index("threshold") < len(seen) - 1 - seen[::-1].index("target"), order
    assert seen.count("source") == 1, "each row of words is one stop"
    page.focus("#threshold")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
