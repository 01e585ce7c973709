"""Carrying on the page: spans by mouse, finger and keyboard, and tags into a translation."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

pytest_plugins = ("serve.browser",)

YORK = "#" + urlencode({"source": "He lives in New York.", "target": "In New York wohnt er."})
UP = "#" + urlencode({"source": "He gave it up.", "target": "Er hat es aufgegeben."})


def drag(visited, side, first, last):
    mouse = visited.page.mouse
    visited.word(side, first).scroll_into_view_if_needed()
    boxes = [visited.word(side, index).bounding_box() for index in (first, last)]
    (x, y), (x2, y2) = ((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes)
    mouse.move(x, y)
    mouse.down()
    mouse.move(x2, y2, steps=6)
    mouse.up()


def told(visited, part):
    """The sentence about the span, once it holds a part."""
    visited.page.wait_for_function(
        "(part) => document.querySelector('#carried').textContent.includes(part)", arg=part
    )
    return visited.page.inner_text("#carried")


def marked(visited, name):
    return visited.page.eval_on_selector_all(
        f"#rows-a .word.{name}",
        "words => words.map((word) => [word.dataset.side, Number(word.dataset.index)])",
    )


def selected(visited):
    return visited.page.locator("#rows-a .word[aria-pressed=true]").all_inner_texts()


def test_a_span_is_carried_by_dragging_and_no_link_changes(visit):
    visited = visit(YORK)
    before = visited.links()
    visited.page.click("#carry")
    assert "Drag over words" in visited.page.inner_text("#carried")
    drag(visited, "source", 3, 4)
    said = told(visited, "likely")
    assert said.startswith("New York → New York, ")
    assert int(said.split(", ")[1].split(" %")[0]) > 90
    assert marked(visited, "carried") == [["target", 1], ["target", 2]]
    assert selected(visited) == ["New", "York"]
    assert visited.links() == before
    drag(visited, "target", 4, 3)  # the other direction, and from the end
    assert told(visited, "wohnt er →").startswith("wohnt er → He lives, ")
    assert marked(visited, "carried") == [["source", 0], ["source", 1]]


def test_what_was_left_out_is_said(visit):
    visited = visit()
    visited.page.click("#carry")
    drag(visited, "source", 4, 7)
    said = told(visited, "likely")
    assert said.startswith("Woche den unterschriebenen Vertrag → the signed contract, ")
    assert "Without a counterpart there: Woche." in said
    assert "Linked with it, but left out: week." in said
    assert marked(visited, "left-out") == [["source", 4]]
    visited.page.check("#carry-apart")
    assert "→ the signed contract … week, " in told(visited, "…")
    assert marked(visited, "left-out") == []


def test_a_span_without_links_is_not_carried(visit):
    visited = visit(
        "#" + urlencode({"source": "He is, well, here.", "target": "Er ist hier.", "threshold": 0.9})
    )
    visited.page.click("#carry")
    drag(visited, "source", 3, 3)
    assert "well is not carried: no word of it is linked." in told(visited, "not carried")
    assert marked(visited, "carried") == []


def test_a_span_by_keyboard(visit):
    visited = visit(YORK)
    page = visited.page
    page.focus("#carry")
    page.keyboard.press("Enter")
    assert page.get_attribute("#carry", "aria-pressed") == "true"
    visited.word("source", 3).focus()
    page.keyboard.press("Shift+ArrowRight")
    assert told(visited, "likely").startswith("New York → New York")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    assert selected(visited) == ["in", "New"]
    told(visited, "in New →")
    page.keyboard.press("Escape")
    assert selected(visited) == []
    assert page.evaluate("document.activeElement.dataset.index") == "2"
    page.keyboard.press("Enter")
    assert told(visited, "in → In").startswith("in → In")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "figure"


def test_turned_off_words_are_linked_again(visit):
    visited = visit(YORK)
    before = visited.links()
    visited.page.click("#carry")
    drag(visited, "source", 3, 4)
    told(visited, "likely")
    visited.page.click("#carry")
    assert selected(visited) == marked(visited, "carried") == []
    assert visited.page.inner_text("#carried") == ""
    visited.word("source", 0).click()
    visited.word("target", 0).click()
    visited.settle()
    assert visited.links() == before ^ {(0, 0)}


def test_a_span_goes_along_the_links_that_were_set_by_hand(visit):
    visited = visit(YORK)
    for side, index in (("source", 0), ("target", 4), ("source", 0), ("target", 3)):
        visited.word(side, index).click()  # not er, but wohnt
    visited.settle()
    assert visited.links() >= {(0, 3)}
    visited.page.click("#carry")
    drag(visited, "source", 0, 0)
    assert told(visited, "likely").startswith("He → wohnt")


def test_another_option_carries_again_and_another_text_drops_the_span(visit):
    visited = visit(UP)
    visited.page.click("#carry")
    drag(visited, "source", 1, 1)
    told(visited, "likely")
    asked = visited.requests.count("v1/project")
    visited.option("method", "argmax")
    visited.page.wait_for_timeout(300)
    assert visited.requests.count("v1/project") == asked + 1
    assert selected(visited) == ["gave"]
    visited.page.fill("#target", "Er gab es auf.")
    visited.page.keyboard.press("Enter")
    visited.page.wait_for_function("() => document.querySelectorAll('#rows-a .target .word').length === 5")
    visited.settle()
    assert selected(visited) == []


def test_a_finger_drags_in_the_columns_of_a_phone(visit):
    visited = visit(width=390, height=844, has_touch=True)
    page = visited.page
    page.tap("#carry")
    drag(visited, "source", 5, 7)
    assert told(visited, "likely").startswith("den unterschriebenen Vertrag → the signed contract")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # Fingers do not scroll where they select.
    assert page.eval_on_selector("#rows-a .word", "word => getComputedStyle(word).touchAction") == "none"


def test_tags_come_into_the_translation_and_are_copied(visit):
    visited = visit(permissions=["clipboard-read", "clipboard-write"])
    page = visited.page
    page.click("#tags > summary")
    page.fill("#tags-source", "Press <b>Save</b>.")
    page.fill("#tags-target", "Drücken Sie Speichern.")
    page.click("#tags-carry")
    page.wait_for_function("() => document.querySelector('#tags-result').value")
    assert page.input_value("#tags-result") == "Drücken Sie <b>Speichern</b>."
    assert page.inner_text("#tags-said").startswith("One tag or placeholder placed.")
    page.click("#tags-copy")
    page.wait_for_selector("#tags-copy:text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "Drücken Sie <b>Speichern</b>."


def test_tags_without_a_place_and_wrong_tags_are_told(visit):
    visited = visit()
    page = visited.page
    page.click("#tags > summary")
    page.click("#tags-carry")
    assert page.inner_text("#tags-said") == "Give a text with tags and its translation."
    page.fill("#tags-source", "Press <b>Save</b> <i>pretty please</i> .")
    page.fill("#tags-target", "Drücken Sie Speichern .")
    page.press("#tags-target", "Enter")
    page.wait_for_function("() => document.querySelector('#tags-result').value")
    assert "No link speaks for the place of <i>" in page.inner_text("#tags-said")
    page.fill("#tags-source", "Press <b>Save.")
    page.press("#tags-source", "Enter")
    page.wait_for_function("() => document.querySelector('#tags-said').textContent.includes('never closed')")
    assert page.is_hidden("#tags-result")
    page.fill("#tags-source", "Press **Save**.")
    page.select_option("#tags-syntax", "markdown")
    page.click("#tags-carry")
    page.wait_for_function("() => document.querySelector('#tags-result').value.includes('**Speichern**')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    visited = visit(YORK, color_scheme=scheme)
    page = visited.page
    page.click("#carry")
    drag(visited, "source", 1, 4)
    told(visited, "likely")
    page.click("#tags > summary")
    page.click("#tags-example")
    page.wait_for_function("() => document.querySelector('#tags-result').value")
    found = axe.run(page).response["violations"]
    worst = [
        (rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")
    ]
    assert not worst


def test_a_page_that_cannot_carry_does_not_offer_it(visit):
    visited = visit(YORK)
    page = visited.page
    script = page.evaluate("fetch('page/transport.js').then((found) => found.text())")
    without = script.replace("export const CARRIES", "const CARRIES")
    assert without != script
    page.route(
        "**/page/transport.js", lambda route: route.fulfill(body=without, content_type="text/javascript")
    )
    page.reload()
    visited.settle()
    assert page.is_hidden("#carry")
    assert page.is_hidden("#tags")
    visited.word("source", 0).click()
    visited.word("target", 0).click()
    visited.settle()
    assert (0, 0) in visited.links()
