"""The page for annotation, for everybody: screen readers, forced colours, phones, right to left, print."""

from __future__ import annotations

import pytest

from serve.annotating import TSV, Desk

pytest_plugins = ("serve.browser",)

PERSIAN = "I want to read this book again.\tمی‌خواهم این کتاب را دوباره بخوانم.\n"


def violations(page) -> list[tuple[str, str]]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [
        (rule["id"], rule["nodes"][0]["html"]) for rule in found if rule["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(visit, scheme):
    desk = Desk.home(visit, color_scheme=scheme)
    desk.page.wait_for_function("() => document.querySelector('#new-method').options.length > 1")
    assert not violations(desk.page)
    desk.begin(TSV)
    desk.word("source", 1).focus()
    desk.key("p", "ArrowRight", "n", "t")
    desk.word("source", 0).click()
    desk.page.click("#list-box summary")
    desk.page.click("#tools-box summary")
    desk.page.wait_for_selector("#list tbody tr")
    assert not violations(desk.page)
    desk.page.click("#help-open")
    assert not violations(desk.page)
    desk.page.click("#help-close")
    desk.page.click("#close")
    desk.page.wait_for_selector("#projects tbody tr")
    assert not violations(desk.page)


def test_forced_colours_show_what_is_chosen_and_what_is_possible(visit):
    desk = Desk.begun(visit, forced_colors="active")
    desk.word("source", 1).focus()
    desk.key("p")
    dashes = desk.page.eval_on_selector(
        "#rows .link.possible", "link => getComputedStyle(link).strokeDasharray"
    )
    assert dashes != "none"
    desk.word("source", 0).click()
    desk.page.mouse.move(0, 0)
    ground = "word => getComputedStyle(word).backgroundColor"
    assert desk.word("source", 0).evaluate(ground) != desk.word("source", 3).evaluate(ground)


def test_nothing_is_wider_than_a_phone(visit):
    desk = Desk.home(visit, width=390, height=844, has_touch=True)
    wide = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not desk.page.evaluate(wide)
    desk.begin(TSV)
    desk.page.click("#list-box summary")
    desk.page.click("#tools-box summary")
    desk.page.wait_for_selector("#list tbody tr")
    assert not desk.page.evaluate(wide)
    small = desk.page.eval_on_selector_all(
        "#desk button:not(.word):not(#list button)",
        "buttons => buttons.filter((b) => b.offsetParent && b.offsetHeight < 40).map((b) => b.id)",
    )
    assert not small, "too small for a finger"


def test_right_to_left_words_are_linked_where_they_stand(visit):
    desk = Desk.begun(visit, PERSIAN)
    boxes = [desk.word("target", k).bounding_box()["x"] for k in range(7)]
    assert boxes == sorted(boxes, reverse=True)
    desk.drag("target", 0, 2)
    chosen = [desk.word("target", k).get_attribute("aria-pressed") for k in range(4)]
    assert chosen == ["true", "true", "true", "false"]
    desk.word("source", 7).click()
    desk.settle()
    assert {"7-0", "7-1", "7-2"} <= desk.links().keys()


def test_what_happens_is_said(visit):
    desk = Desk.begun(visit)

    def said(text: str) -> None:
        desk.page.wait_for_function(
            "text => document.querySelector('#live').textContent.includes(text)", arg=text
        )

    said("Pair 1.")
    desk.word("source", 0).click()
    said("Das chosen. Now choose the counterpart.")
    desk.word("target", 6).click()
    said("Linked Das – .")
    desk.word("source", 1).focus()
    desk.key("p")
    said("Now possible.")
    assert desk.word("source", 1).get_attribute("aria-label") == "Museum, linked to museum (possible)"
    desk.key("Control+z")
    said("Undone: sure or possible.")


def test_paper_shows_the_pair_without_the_tools(visit):
    desk = Desk.begun(visit)
    desk.page.emulate_media(media="print")
    assert desk.page.is_visible("#rows")
    assert desk.page.is_hidden("#next-unfinished")
    assert desk.page.is_hidden("#export")
