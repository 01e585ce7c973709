"""Looking at many pairs: pasted lines, exchanged sides, columns, scores of a whole file."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest

from serve.annotating import Desk
from wordalign import Aligner
from wordalign.evaluate import evaluate
from wordalign.io.gold import parse_gold

pytest_plugins = ("serve.browser",)

WORDS = [
    (
        "Das Museum ist montags geschlossen .",
        "The museum is closed on Mondays .",
        "0-0 1-1 2-2 3-4 3p5 4-3 5-6",
    ),
    ("Es regnet .", "It is raining .", "0-0 1p1 1-2 2-3"),
    ("Wer schläft ?", "Who is sleeping ?", "0-0 1-2 2-3"),
]


@pytest.fixture
def gold_file(tmp_path: Path) -> Path:
    file = tmp_path / "gold.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in WORDS), "utf-8")
    return file


def opened(visited, file: Path):
    visited.page.set_input_files("#file", file)
    visited.page.wait_for_selector("#stepper:not([hidden])")
    return visited.settle()


def paste(visited, text: str, where: str = "#source") -> None:
    visited.page.evaluate(
        "([where, text]) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " document.querySelector(where).dispatchEvent("
        "new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); }",
        [where, text],
    )


@pytest.mark.parametrize("separator", ["\t", " ||| "])
def test_pasted_lines_are_opened_as_pairs(visit, separator):
    visited = visit()
    paste(visited, "".join(f"{source}{separator}{target}\n" for source, target, _ in WORDS))
    visited.page.wait_for_selector("#stepper:not([hidden])")
    assert visited.page.inner_text("#step-count") == "3"
    assert visited.page.input_value("#source") == WORDS[0][0]


def test_one_pasted_line_is_a_sentence(visit):
    visited = visit()
    paste(visited, "only one\tline")
    paste(visited, "no\nseparators\n")
    assert visited.page.is_hidden("#stepper")


def test_texts_of_as_many_lines_are_offered_as_pairs(visit):
    visited = visit()
    page = visited.page
    page.fill("#source", "Es regnet.\nGuten Tag!")
    page.fill("#target", "It is raining.\nGood day!")
    page.press("#target", "Enter")
    page.click("#notice button:has-text('Take them as 2 pairs')")
    page.wait_for_selector("#stepper:not([hidden])")
    assert page.input_value("#source") == "Es regnet."
    assert page.inner_text("#step-count") == "2"


def test_scores_of_a_whole_file_are_those_of_evaluate(visit, gold_file):
    visited = opened(visit(), gold_file)
    visited.page.click("#all-scores")
    visited.page.wait_for_function("() => document.querySelector('#file-scores').innerText.includes('AER')")
    aligner = Aligner("base")
    found = aligner.align_batch([(source.split(), target.split()) for source, target, _ in WORDS])
    scores = evaluate([parse_gold(gold) for *_, gold in WORDS], found).scores
    assert visited.page.inner_text("#file-scores") == (
        f"base, calibrated, against the gold links of 3 pairs: precision {scores.precision:.3f}, "
        f"recall {scores.recall:.3f}, F1 {scores.f1:.3f}, AER {scores.aer:.3f}."
    )


def test_exchanged_sides_keep_gold_links_edits_and_undo(visit, gold_file):
    visited = opened(visit(), gold_file)
    page = visited.page
    visited.word("source", 0).click()
    visited.word("target", 6).click()
    visited.settle()
    page.click("#exchange")
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=WORDS[0][1])
    visited.settle()
    assert page.input_value("#gold") == "0-0 1-1 2-2 4-3 5p3 3-4 6-5"
    assert (6, 0) in visited.links()
    page.click("#next")
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=WORDS[1][1])
    page.click("#previous")
    visited.settle()
    page.click("#undo")
    visited.settle()
    assert (6, 0) not in visited.links()
    assert page.input_value("#source") == WORDS[0][1]
    page.click("#redo")
    visited.settle()
    page.click("#exchange")
    page.wait_for_function("text => document.querySelector('#source').value === text", arg=WORDS[0][0])
    visited.settle()
    assert page.input_value("#gold") == WORDS[0][2]
    records = [json.loads(line) for line in visited.download("#all-json")[1].decode().splitlines()]
    assert [0, 6] in records[0]["links"]


def test_columns_are_a_view_that_an_address_shares(visit):
    pair = {"source": "Das Museum ist geschlossen.", "target": "The museum is closed."}
    visited = visit("#" + urlencode(pair))
    visited.option("view", "columns")
    first, last = (visited.word("source", index).bounding_box() for index in (0, 4))
    assert last["y"] > first["y"] + 80
    assert visited.page.is_hidden("#map-panel")
    visited.page.wait_for_function("() => location.hash.includes('view=columns')")
    other = visit("#" + visited.page.url.partition("#")[2])
    assert other.page.is_checked("input[name=view][value=columns]")
    visited.word("source", 0).focus()
    visited.page.keyboard.press("ArrowDown")
    assert visited.page.evaluate("document.activeElement.innerText") == "Museum"
    visited.option("view", "rows")
    assert visited.word("source", 4).bounding_box()["y"] < first["y"] + 80


def test_pairs_become_a_project_with_the_links_that_were_changed(visit, tmp_path):
    file = tmp_path / "pairs.tsv"
    # An empty last pair, and one whose links are all taken away.
    file.write_text("".join(f"{source}\t{target}\n" for source, target, _ in WORDS) + "Ja\tYes\n\n", "utf-8")
    visited = opened(visit(), file)
    visited.word("source", 1).click()
    visited.word("target", 3).click()
    visited.page.fill("#step", "4")
    visited.page.press("#step", "Enter")
    visited.settle()
    visited.word("source", 0).click()
    visited.word("target", 0).click()
    visited.page.click("#annotate")
    desk = Desk(visited)
    desk.page.wait_for_selector("#desk:not([hidden]) #rows .word")
    desk.settle()
    assert desk.page.inner_text("#desk-title") == "pairs"
    project = desk.project()
    sources = [" ".join(pair["source"]) for pair in project["pairs"]]
    assert sources == [*(source for source, _, _ in WORDS), "Ja", ""]
    assert "1-3" in project["pairs"][0]["links"]
    assert project["pairs"][3]["links"] == {}
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    assert desk.project() == project
    desk.page.goto(desk.page.url.partition("#")[0])
    desk.page.wait_for_selector("#home:not([hidden]) #projects")
    assert desk.page.locator("#projects tbody tr").count() == 1, "what was handed on is made a project once"
    assert visited.complaints == []


def test_gold_links_come_before_changed_ones_and_that_is_told(visit, gold_file):
    visited = opened(visit(), gold_file)
    visited.word("source", 1).click()
    visited.word("target", 3).click()
    visited.page.click("#annotate")
    visited.page.wait_for_selector("#notice:has-text('Pair 1 has gold links, which were taken')")
    Desk(visited).settle()
    assert Desk(visited).project()["pairs"][1]["links"] == {
        "0-0": "sure", "1-1": "possible", "1-2": "sure", "2-3": "sure",
    }  # fmt: skip
