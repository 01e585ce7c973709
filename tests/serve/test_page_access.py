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


def test_the_clicked_word_can_be_read(visit):
    visited = visit("#" + urlencode(BUSY))
    word = visited.word("source", 1)
    word.hover()
    word.click()
    ink, ground = word.evaluate(
        "word => { const style = getComputedStyle(word); return [style.color, style.backgroundColor]; }"
    )
    assert ink != ground


def test_signs_are_mirrored_with_their_sentence(visit):
    """A bracket alone in its box opens towards the word that follows, on the left."""
    fields = {"source": "I want (again) this.", "target": "من (دوباره) می‌خواهم.", "view": "both"}
    visited = visit("#" + urlencode(fields))
    directions = visited.page.eval_on_selector_all(
        "#rows-a .target .word",
        "all => all.map((word) => [word.innerText, getComputedStyle(word).direction])",
    )
    assert ["(", "rtl"] in directions
    assert [")", "rtl"] in directions
    latin = visited.page.eval_on_selector_all(
        "#rows-a .source .word", "all => all.map((word) => getComputedStyle(word).direction)"
    )
    assert set(latin) == {"ltr"}
    labels = visited.page.eval_on_selector_all(
        ".map-columns bdi", "all => all.map((label) => [label.innerText, getComputedStyle(label).direction])"
    )
    assert ["(", "rtl"] in labels


LONG_WORD = "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetzesentwurfsvorlagen"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"source": f"Das {LONG_WORD} kommt.", "target": "The bill is coming."},
        {"source": "Siehe https://example.org/a/very/long/path/to/some/page.html?query=1 hier.",
         "target": "See https://example.org/a/very/long/path/to/some/page.html?query=1 here."},
    ],
    ids=["first example", "long word", "address"],
)  # fmt: skip
@pytest.mark.parametrize("width", [360, 390, 1280])
def test_no_word_is_clipped(visit, fields, width):
    visited = visit("#" + urlencode(fields) if fields else "", width=width, height=844)
    page = visited.page
    frame = page.locator("#rows-a").bounding_box()
    boxes = page.eval_on_selector_all(
        "#rows-a .word",
        "all => all.map((word) => [word.getBoundingClientRect(), word.scrollWidth - word.clientWidth])"
        ".map(([box, over]) => [box.left, box.right, over])",
    )
    assert boxes
    for left, right, over in boxes:
        assert frame["x"] - 1 <= left < right <= frame["x"] + frame["width"] + 1
        assert over <= 1
    heights = {word.bounding_box()["height"] for word in page.locator("#rows-a .word").all()}
    assert len(heights) == (1 if not fields or width == 1280 else 2), (
        "only a word that does not fit is broken"
    )
    if width < 480:
        sides = [page.locator(f"#rows-a .line.{side}").bounding_box() for side in ("source", "target")]
        assert sides[1]["x"] - (sides[0]["x"] + sides[0]["width"]) >= 40, "links have room"


def test_no_line_begins_with_a_full_stop(visit):
    """At any width; a comma or a full stop stays with the word before it."""
    for width in range(700, 1300, 60):
        visited = visit(width=width)
        visited.page.click("text=A long sentence")
        visited.page.wait_for_function("() => document.querySelectorAll('#rows-a .word').length > 100")
        first = visited.settle().page.eval_on_selector_all(
            "#rows-a .line", "lines => lines.map((line) => line.querySelector('.word')?.innerText)"
        )
        assert not {",", "."} & set(first), width
        visited.context.close()


def test_the_map_shows_all_its_rows_or_says_that_there_are_more(visit):
    for copies, cut in ((1, False), (8, True)):
        text = " ".join(
            ["The old man read a long letter from his sister who lived in a town by the sea ."] * copies
        )
        visited = visit("#" + urlencode({"source": text, "target": text, "spaced": "1", "view": "map"}))
        hidden = visited.page.evaluate(
            "() => { const map = document.querySelector('.map-scroll');"
            " return map.scrollHeight - map.clientHeight; }"
        )
        assert (hidden > 1) == cut
        assert visited.page.is_visible(".map-note") == cut


def test_forced_colours_show_what_is_chosen(visit):
    visited = visit("#" + urlencode(BUSY), forced_colors="active")
    page = visited.page
    visited.word("source", 2).click()
    page.mouse.move(0, 0)
    ground = "word => getComputedStyle(word).backgroundColor"
    assert visited.word("source", 2).evaluate(ground) != visited.word("source", 0).evaluate(ground)
    chosen, other = (
        page.locator(f"input[name=view][value={name}] + span").evaluate(ground) for name in ("both", "rows")
    )
    assert chosen != other


def test_the_keyboard_stays_among_the_words_of_a_file(visit, tmp_path):
    (tmp_path / "pairs.txt").write_text(
        "Guten Tag ||| Good day\nEs regnet ||| It rains\nJa ||| Yes\n", "utf-8"
    )
    visited = visit()
    page = visited.page
    page.set_input_files("#file", tmp_path / "pairs.txt")
    page.wait_for_function("() => document.querySelector('#source').value === 'Guten Tag'")
    visited.settle().word("source", 1).focus()
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.querySelector('#source').value === 'Es regnet'")
    visited.settle()
    assert page.evaluate("document.activeElement.innerText") == "Es"
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.querySelector('#source').value === 'Ja'")
    visited.settle()
    assert page.evaluate("document.activeElement.innerText") == "Ja"
    # Escape leaves the words; from there the arrow keys step, and one tab leads back.
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "figure"
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('#source').value === 'Es regnet'")
    visited.settle()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.innerText") == "Es"
    page.focus("#next")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#source').value === 'Ja'")
    visited.settle()
    assert page.evaluate("document.activeElement.id") == "figure", "the last pair disables the button"
