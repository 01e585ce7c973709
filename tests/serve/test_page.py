"""The web page as a reader uses it: typing, switching, comparing, editing. In real Chromium."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from serve.browser_service import serving
from wordalign import Aligner

pytest_plugins = ("serve.browser",)

GERMAN = "Das Museum ist montags geschlossen."
ENGLISH = "The museum is closed on Mondays."


@pytest.fixture(scope="module")
def base() -> Aligner:
    return Aligner("base")


def fragment(**fields: str) -> str:
    return "#" + urlencode({"source": GERMAN, "target": ENGLISH, **fields})


def test_typing_and_stopping_or_enter_draws_the_links(visit, base):
    visited = visit()
    page = visited.page
    assert visited.links(), "the first example is drawn at once"
    page.fill("#source", GERMAN)
    page.fill("#target", ENGLISH)
    wanted = base.align(GERMAN, ENGLISH)
    page.wait_for_function(
        "links => document.querySelector('#pharaoh').innerText === links", arg=wanted.pharaoh()
    )
    assert visited.links() == set(wanted.links)
    assert page.locator("#rows-a .source .word").all_inner_texts() == list(wanted.source.words)
    page.wait_for_function("() => document.querySelector('#live').textContent.includes('Museum – museum')")

    before = visited.alignments
    page.evaluate(
        "() => { const field = document.getElementById('target'); for (const letter of 'now') {"
        " field.value += letter; field.dispatchEvent(new Event('input', { bubbles: true })); } }"
    )
    page.wait_for_function("() => document.querySelector('#rows-a .target').innerText.includes('now')")
    assert visited.alignments == before + 1, "one request when typing stops, not one a letter"

    page.fill("#target", "Museum!")
    page.press("#target", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .target .word').length === 2")
    assert page.input_value("#target") == "Museum!", "Enter aligns, it does not break the line"

    page.fill("#target", "")
    page.press("#target", "Enter")
    page.wait_for_function("() => document.querySelector('#figure').hidden")
    assert page.is_disabled("[data-export=pharaoh]")


def test_another_extraction_needs_no_request_and_is_the_librarys(visit, base):
    visited = visit(fragment()).more()
    page = visited.page
    asked = len(visited.requests)
    for method in ("argmax", "match", "forward", "reverse", "itermax", "calibrated"):
        visited.option("method", method)
        spec = base.config.specs[0] if method == "calibrated" else method
        wanted = Aligner(base.encoder, method=spec).align(GERMAN, ENGLISH)
        assert visited.links() == set(wanted.links), method
    visited.option("method", "forward").slide("threshold", 0.9).slide("distortion", 0.5).slide("tau", 0.992)
    narrowed = Aligner(base.encoder, method="forward", threshold=0.9, distortion=0.5, null=0.992)
    assert visited.links() == set(narrowed.align(GERMAN, ENGLISH).links)
    visited.option("method", "itermax").slide("threshold", 0).slide("parameter-n_max", 1)
    assert page.inner_text("#parameter-n_max-shown") == "1"
    visited.option("view", "both").option("view", "rows")
    page.select_option("#compare", "base match")
    visited.settle()
    assert len(visited.requests) == asked, visited.requests[asked:]
    page.select_option("#level", "subword")
    page.wait_for_function("() => location.hash.includes('level=subword')")
    assert visited.alignments == 2
    page.select_option("#level", "word")
    page.wait_for_function("() => !location.hash.includes('level=subword')")
    assert visited.alignments == 2, "answers are kept"


def test_pointing_at_a_word_lights_its_counterpart_with_the_score(visit, base):
    visited = visit(fragment(view="both"))
    page = visited.page
    wanted = base.align(GERMAN, ENGLISH)
    scores = dict(zip(wanted.links, wanted.scores, strict=True))
    visited.word("source", 4).hover()
    assert "lit" in visited.word("target", 3).get_attribute("class")
    assert page.locator("#rows-a .link.lit").get_attribute("data-key") == "4-3"
    assert page.locator("#rows-a .score").text_content() == f"{round(100 * scores[4, 3])} %"
    assert page.inner_text("#inspector").startswith(f"geschlossen ↔ closed {round(100 * scores[4, 3])} %")
    assert page.locator(".map-columns .map-label.lit").all_inner_texts() == ["closed"]
    assert page.locator(".map-rows .map-label.lit").all_inner_texts() == ["geschlossen"]
    size = page.locator(".map-rows .map-label").first.bounding_box()["height"]
    page.hover("#map canvas", position={"x": 5.5 * size, "y": 3.5 * size})
    assert "lit" in visited.word("source", 3).get_attribute("class")
    assert "lit" in visited.word("target", 5).get_attribute("class")
    assert "montags – Mondays: similarity" in page.inner_text("#inspector")


def test_two_methods_or_models_side_by_side(visit):
    visited = visit(fragment(method="argmax", compare="base reverse"))
    page = visited.page
    first, second = visited.links("a"), visited.links("b")
    assert first < second
    only = page.locator("#rows-b .link.only")
    assert {only.nth(k).get_attribute("data-key") for k in range(only.count())} == {
        f"{i}-{j}" for i, j in second - first
    }
    # Not by colour alone: dashes, and a sign on each.
    assert (
        page.evaluate("getComputedStyle(document.querySelector('#rows-b .link.only')).strokeDasharray")
        != "none"
    )
    assert page.locator("#rows-b .mark.only").count() == len(second - first)
    assert f"{len(first)} links in both, 0 only in the first" in page.inner_text("#inspector")
    boxes = [page.locator(f"#panel-{name}").bounding_box() for name in "ab"]
    assert boxes[0]["x"] < boxes[1]["x"]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert page.locator("#rows-b button").count() == 0, "only the first can be edited"
    page.select_option("#compare", "tiny argmax")
    visited.settle()
    assert page.inner_text("#title-b") == "tiny, argmax"
    assert visited.alignments == 2


def test_gold_links_are_shown_and_measured(visit):
    visited = visit(fragment(method="argmax", view="both"))
    page = visited.page
    found = visited.links()
    assert found == {(0, 0), (1, 1), (2, 2), (3, 5), (4, 3), (5, 6)}
    visited.more()
    page.fill("#gold", "0-0 1-1 2p2 3p5 3-4 4-2")
    visited.settle()
    classes = page.eval_on_selector_all(
        "#rows-a .link", "all => all.map((link) => [link.dataset.key, link.classList[1]])"
    )
    assert dict(classes) == {
        "0-0": "sure", "1-1": "sure", "2-2": "possible", "3-5": "possible", "4-3": "wrong", "5-6": "wrong",
        "3-4": "missed", "4-2": "missed",
    }  # fmt: skip
    # |A| = 6, of them 4 possible and 2 sure; |S| = 4.
    assert page.locator("#measures tbody tr").inner_text().split("\t")[1:] == [
        "0.667",
        "0.500",
        "0.571",
        "0.400",
    ]
    assert page.is_checked("input[name=cells][value=gold]")
    legend = page.inner_text("#legend")
    for kind in ("sure, found", "possible, found", "not in the gold links", "sure, not found"):
        assert kind in legend
    page.fill("#gold", "0-0 1_1")
    page.wait_for_selector("#notice:not([hidden])")
    assert "“1_1” is not a gold link" in page.inner_text("#notice")
    page.fill("#gold", "0-99")
    page.wait_for_function("() => document.querySelector('#notice').innerText.includes('0-99 lies outside')")
    page.fill("#gold", "")
    page.wait_for_selector("#notice", state="hidden")


def test_links_are_edited_by_mouse_and_keyboard_and_undone(visit):
    visited = visit(fragment(method="argmax"))
    page = visited.page
    before = visited.links()
    visited.word("source", 3).click()
    assert visited.word("source", 3).get_attribute("aria-pressed") == "true"
    visited.word("target", 4).click()
    visited.settle()
    assert visited.links() == before | {(3, 4)}
    assert page.locator("#rows-a .mark.hand").count() == 1
    visited.word("target", 5).click()
    visited.word("source", 3).click()
    visited.settle()
    assert visited.links() == (before | {(3, 4)}) - {(3, 5)}
    page.click("#undo")
    visited.settle()
    assert visited.links() == before | {(3, 4)}
    # By keyboard: from the last word's counterpart back to the first, and a link between them.
    visited.word("source", 5).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "."
    assert page.evaluate("document.activeElement.dataset.side") == "target"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    visited.settle()
    assert visited.links() == before | {(3, 4), (0, 6)}
    assert "linked to The and ." in visited.word("source", 0).get_attribute("aria-label")
    page.keyboard.press("Control+z")
    visited.settle()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert page.locator("#rows-a [aria-pressed=true]").count() == 0
    # What the hand did stays when the method changes.
    visited.option("method", "match")
    assert (3, 4) in visited.links()
    page.click("#discard")
    visited.option("method", "argmax")
    assert visited.links() == before
    assert page.is_disabled("#discard")


def test_the_map_is_edited_by_mouse_and_keyboard(visit):
    visited = visit(fragment(method="argmax", view="map"))
    page = visited.page
    before = set(visited.pharaoh().split())
    size = page.locator(".map-rows .map-label").first.bounding_box()["height"]
    page.click("#map canvas", position={"x": 4.5 * size, "y": 3.5 * size})
    visited.settle()
    assert set(visited.pharaoh().split()) == before | {"3-4"}
    page.focus(".map-cells")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert "Museum – museum" in page.inner_text("#live")
    page.keyboard.press("Enter")
    visited.settle()
    assert set(visited.pharaoh().split()) == before - {"1-1"} | {"3-4"}


def test_markup_in_a_sentence_is_text(visit):
    nasty = '<script>document.title = "caught"</script> <img src=x onerror="document.title=1"> & "x"'
    visited = visit("#" + urlencode({"source": nasty, "target": nasty, "view": "both", "gold": "<b>"}))
    page = visited.page
    page.hover("#rows-a .source .word >> nth=1")
    assert page.title() == "wordalign"
    assert page.locator("main script, main img, main b:not([dir])").count() == 0
    assert "<script>" in page.locator("#rows-a .source .word").all_inner_texts()
    assert "“<b>” is not a gold link" in page.inner_text("#notice")
    page.fill("#gold", "")
    visited.settle()
    for kind in ("svg", "json"):
        _, content = visited.download(f"[data-export={kind}]")
        assert b"<script" not in content or kind == "json"


def test_an_answer_that_refuses_is_shown_kindly(visit):
    visited = visit(fragment())
    page = visited.page
    page.fill("#source", "Wort " * 401)
    page.press("#source", "Enter")
    page.wait_for_selector("#notice:not([hidden])")
    assert page.inner_text("#notice").startswith("The source has 401 words, but at most 400")
    assert page.locator("#notice button").count() == 0, "trying again would not help"
    page.wait_for_selector("#figure", state="hidden")
    page.fill("#source", "Wort")
    page.press("#source", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .source .word').length === 1")
    assert page.is_hidden("#notice")
    assert page.is_visible("#figure")


def test_a_service_with_a_token_asks_for_it(visit):
    with serving("--model", "tiny", WORDALIGN_TOKEN="sesame") as address:
        visited = visit(fragment(), at=address)
        page = visited.page
        page.wait_for_selector("#notice:not([hidden])")
        page.fill("#notice input", "sesame")
        page.click("#notice button")
        page.wait_for_selector("#rows-a .word")
        assert visited.links() == {(0, 0), (1, 1), (2, 2), (3, 5), (4, 3), (5, 6)}
        assert page.is_hidden("#notice")
        page.close()


def test_few_links_are_explained(visit):
    visited = visit("#" + urlencode({"source": "The museum is closed.", "target": "ພິພິທະພັນປິດ"}))
    said = visited.page.inner_text("#warnings")
    assert "Lao is written without spaces" in said
    assert "does not know Lao" in said
    visited.page.fill("#target", ENGLISH)
    visited.page.press("#target", "Enter")
    visited.page.wait_for_function("() => document.querySelector('#warnings').hidden")


def test_a_model_whose_name_has_spaces_can_be_compared_with(visit, tiny_model, tmp_path):
    folder = tmp_path / "my own model"
    folder.symlink_to(tiny_model("bert"))
    with serving("--model", "tiny", "--model", str(folder)) as address:
        visited = visit(fragment(), at=address).more()
        page = visited.page
        page.select_option("#compare", f"{folder} argmax")
        visited.settle()
        assert page.inner_text("#title-b") == f"{folder}, argmax"
        page.wait_for_function("() => location.hash.includes('compare')")
        again = visit("#" + page.url.partition("#")[2], at=address)
        assert again.page.input_value("#compare") == f"{folder} argmax"
        assert again.links("b") == visited.links("b")
        again.page.close()
        page.close()
