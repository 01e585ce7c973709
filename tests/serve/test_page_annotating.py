"""Whoever corrects links in the page loses none of them: by exporting, reopening, retyping or stepping."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest_plugins = ("serve.browser",)

GERMAN = "Das Museum ist montags geschlossen."
ENGLISH = "The museum is closed on Mondays."
PAIRS = [(GERMAN, ENGLISH), ("Es regnet.", "It is raining."), ("Guten Tag!", "Good day!")]


def opened(visited: Any, *files: Path) -> Any:
    """The page with these files open, the first pair drawn."""
    before = visited.page.input_value("#source")
    visited.page.set_input_files("#file", files)
    visited.page.wait_for_function("text => document.querySelector('#source').value !== text", arg=before)
    visited.page.wait_for_selector("#stepper:not([hidden])")
    return visited.settle()


def step(visited: Any, number: int) -> Any:
    visited.page.fill("#step", str(number))
    visited.page.press("#step", "Enter")
    return visited.settle()


def link(visited: Any, i: int, j: int) -> Any:
    visited.word("source", i).click()
    visited.word("target", j).click()
    return visited.settle()


@pytest.fixture
def bars(tmp_path: Path) -> Path:
    file = tmp_path / "bars.txt"
    file.write_text("".join(f"{source} ||| {target}\n" for source, target in PAIRS), "utf-8")
    return file


def closes_quietly(page: Any) -> bool:
    """Whether the page would close without asking."""
    return page.evaluate(
        "() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))",
    )


def test_an_export_is_reopened_with_its_edits_and_exported_again(visit, bars, tmp_path):
    visited = opened(visit(), bars)
    link(visited, 0, 6)  # added
    link(visited, 1, 1)  # removed
    step(visited, 2).more()
    visited.page.fill("#gold", "0-0 1p2")
    visited.settle()
    name, content = visited.download("#all-json")
    (tmp_path / name).write_bytes(content)
    records = [json.loads(line) for line in content.decode().splitlines()]
    assert [0, 6] in records[0]["links"]
    assert [1, 1] not in records[0]["links"]
    assert records[1]["gold"] == "0-0 1p2"
    assert visited.download("#all-gold") == ("bars.gold.txt", b"\n0-0 1p2\n\n")

    again = opened(visit(), tmp_path / name)
    assert again.page.input_value("#source") == GERMAN
    assert again.page.input_value("#gold") == ""
    assert {(0, 6)} <= again.links()
    assert (1, 1) not in again.links()
    assert again.page.locator("#rows-a .mark.hand").count() == 1
    assert closes_quietly(again.page), "nothing was changed since it was opened"
    step(again, 2)
    assert again.page.input_value("#gold") == "0-0 1p2"
    _, repeated = again.download("#all-json")
    assert repeated == content


def test_edits_made_during_an_export_are_in_the_file(visit, bars):
    """Also those of a pair whose line was made already."""
    bars.write_text(bars.read_text("utf-8") * 4, "utf-8")
    visited = opened(visit(), bars)
    page = visited.page
    asked: list[Any] = []

    def hold_the_second(route: Any) -> None:
        asked.append(route)
        if len(asked) != 2:
            route.continue_()

    page.route("**/v1/align", hold_the_second)
    with page.expect_download() as waiting:
        page.click("#all-pharaoh")
        while len(asked) < 2:
            page.wait_for_timeout(50)
        link(visited, 0, 6)
        asked[1].continue_()
    lines = Path(waiting.value.path()).read_text("utf-8").splitlines()
    assert "0-6" in lines[0].split()
    assert closes_quietly(page)
    link(visited, 0, 5)
    assert not closes_quietly(page)


def test_gold_links_are_scored_against_the_words_of_their_file(visit, tmp_path):
    """Tokenised text stays as it is: "Mr." is one word, as the gold links count it."""
    for name, line in [
        ("eng.txt", "Mr. Speaker , it is late ."),
        ("fra.txt", "Monsieur le président , il est tard ."),
        ("gold.txt", "0-0 1-2 2-3 3-4 4-5 5-6 6-7"),
    ]:
        (tmp_path / name).write_text(line + "\n", "utf-8")
    visited = opened(visit(), *(tmp_path / name for name in ("eng.txt", "fra.txt", "gold.txt")))
    page = visited.page
    assert page.locator("#rows-a .source .word").all_inner_texts() == [
        "Mr.",
        "Speaker",
        ",",
        "it",
        "is",
        "late",
        ".",
    ]
    assert page.is_checked("#spaced")
    assert page.locator("#measures tbody td").last.inner_text() < "0.2"
    assert page.is_hidden("#notice")


def test_gold_links_of_other_words_are_told(visit, tmp_path):
    lines = [f"{GERMAN}\t{ENGLISH}\t0-0 5-6\n", "Es regnet .\tIt is raining .\t0-0 2-3\n"]
    (tmp_path / "raw.tsv").write_text("".join(lines), "utf-8")
    visited = opened(visit(), tmp_path / "raw.tsv")
    said = visited.page.inner_text("#file-warning")
    assert "pair 1 " in said
    assert "separated by spaces" in said
    assert "5-6 lies outside the sentences of 5 and 6 words" in visited.page.inner_text("#notice")


def test_the_tick_for_spaces_leaves_the_edits_of_other_pairs_alone(visit, bars):
    visited = opened(visit(), bars)
    link(visited, 5, 5)  # "." and "Mondays"
    edited = visited.links()
    words = visited.page.locator("#rows-a .word").all_inner_texts()
    step(visited, 2).more()
    visited.page.check("#spaced")
    visited.settle()
    assert visited.page.locator("#rows-a .source .word").all_inner_texts() == ["Es", "regnet."]
    step(visited, 1)
    assert visited.page.locator("#rows-a .word").all_inner_texts() == words
    assert visited.links() == edited
    _, content = visited.download("#all-pharaoh")
    assert content.decode().splitlines()[0] == " ".join(f"{i}-{j}" for i, j in sorted(edited))


def test_an_address_with_links_out_of_range_is_neither_drawn_nor_exported(visit):
    visited = visit("#" + urlencode({"source": "Hallo", "target": "Hello", "edits": "+9-9 +0-3"}))
    assert visited.pharaoh() == "0-0"
    assert visited.download("[data-export=pharaoh]")[1] == b"0-0\n"
    assert "2 links" in visited.page.inner_text("#notice")


def test_an_address_binds_its_edits_to_its_words(visit):
    """Whatever the service would make of the text."""
    fields = {
        "source": "Don't stop.", "target": "Ne t'arrête pas.", "edits": "+1-1",
        "source-words": "0-5 6-11", "target-words": "0-2 3-11 12-16",
    }  # fmt: skip
    visited = visit("#" + urlencode(fields))
    assert visited.page.locator("#rows-a .source .word").all_inner_texts() == ["Don't", "stop."]
    assert (1, 1) in visited.links()
    assert visited.page.locator("#rows-a .mark.hand").count() == 1


def test_a_pasted_address_does_not_overwrite_an_open_file(visit, bars):
    visited = opened(visit(), bars)
    page = visited.page
    link(visited, 0, 6)
    edited = visited.pharaoh()
    page.evaluate("() => { location.hash = 'source=Hallo&target=Hello'; }")  # asks first; answered no
    page.wait_for_timeout(300)
    visited.settle()
    assert page.input_value("#source") == GERMAN
    assert visited.pharaoh() == edited
    page.once("dialog", lambda dialog: dialog.accept())
    page.evaluate("() => { location.hash = 'source=Hallo&target=Hello'; }")
    page.wait_for_function("() => document.querySelector('#source').value === 'Hallo'")
    assert page.is_hidden("#stepper")


def test_correcting_a_typo_keeps_the_edits(visit):
    visited = visit("#" + urlencode({"source": "Das Musem ist montags geschlossen.", "target": ENGLISH}))
    page = visited.page
    link(visited, 0, 6)
    link(visited, 1, 5)
    page.fill("#source", "Heute ist " + GERMAN)
    page.press("#source", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .source .word').length === 8")
    visited.settle()
    assert {(2, 6), (3, 5)} <= visited.links()
    assert page.is_hidden("#notice")


def test_edits_of_words_that_are_gone_are_told_and_brought_back(visit):
    visited = visit("#" + urlencode({"source": GERMAN, "target": ENGLISH}))
    page = visited.page
    link(visited, 0, 6)
    link(visited, 3, 0)
    before = visited.links()
    page.fill("#source", "Das Museum ist geschlossen.")
    page.press("#source", "Enter")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .source .word').length === 5")
    visited.settle()
    assert (0, 6) in visited.links()
    assert "One link that you had changed by hand" in page.inner_text("#notice")
    page.click("#notice button")
    page.wait_for_function("() => document.querySelectorAll('#rows-a .source .word').length === 6")
    visited.settle()
    assert page.input_value("#source") == GERMAN
    assert visited.links() == before


def test_discarding_is_undone_and_undoing_is_redone(visit):
    visited = visit("#" + urlencode({"source": GERMAN, "target": ENGLISH}))
    page = visited.page
    plain = visited.links()
    assert page.is_disabled("#undo")
    link(visited, 0, 6)
    link(visited, 0, 5)
    edited = visited.links()
    page.click("#discard")
    visited.settle()
    assert visited.links() == plain
    page.click("#undo")
    visited.settle()
    assert visited.links() == edited
    page.keyboard.press("Control+z")
    visited.settle()
    assert visited.links() == plain | {(0, 6)}
    page.keyboard.press("Control+Shift+z")
    visited.settle()
    assert visited.links() == edited
    page.click("#redo")
    visited.settle()
    assert visited.links() == plain
    assert page.is_disabled("#redo")


def test_an_example_can_be_taken_back(visit):
    visited = visit("#" + urlencode({"source": GERMAN, "target": ENGLISH}))
    link(visited, 0, 6)
    edited = visited.links()
    visited.page.click("text=English – Hindi")
    visited.page.wait_for_function("text => document.querySelector('#source').value !== text", arg=GERMAN)
    visited.settle()
    visited.page.click("#undo")
    visited.page.wait_for_function("text => document.querySelector('#source').value === text", arg=GERMAN)
    visited.settle()
    assert visited.links() == edited


def test_opening_a_file_asks_before_it_drops_the_edits_of_a_typed_pair(visit, bars):
    visited = visit("#" + urlencode({"source": "Guten Abend", "target": "Good evening"}))
    link(visited, 0, 1)
    edited = visited.links()
    visited.page.set_input_files("#file", bars)  # asks first; answered no
    visited.page.wait_for_timeout(300)
    assert visited.page.is_hidden("#stepper")
    assert visited.links() == edited
    visited.page.once("dialog", lambda dialog: dialog.accept())
    opened(visited, bars)
    assert visited.page.input_value("#source") == GERMAN
