"""Suggestions made again, and two annotators who settle their differences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from serve.annotating import TSV, Desk

pytest_plugins = ("serve.browser",)


def test_suggestions_are_made_again_where_nobody_decided(visit):
    desk = Desk.begun(visit)
    desk.link(0, 6).go_to(2)
    desk.page.check("#done")
    desk.settle()
    before = desk.project()
    desk.page.click("#tools-box summary")
    desk.page.select_option("#again-method", label="tiny, match")
    desk.page.click("#again")
    desk.page.wait_for_function(
        "() => document.querySelector('#live').textContent.includes('new suggestions')"
    )
    desk.settle()
    first, second, third = desk.project()["pairs"]
    assert "tiny" in first["suggested_by"]
    assert first["links"] == before["pairs"][0]["links"], "links that somebody changed stay"
    assert second == before["pairs"][1], "done is done"
    assert third["links"] == dict.fromkeys(third["suggested"], "sure")
    assert third["suggested"] != before["pairs"][2]["suggested"]
    desk.key("Control+z")
    assert desk.project() == before


def test_suggestions_are_scored_against_the_pairs_that_are_done(visit):
    desk = Desk.begun(visit)
    for _ in range(2):
        desk.key("d")
    desk.go_to(1)
    links = len(desk.links()) + len(desk.project()["pairs"][1]["links"])
    desk.word("source", 1).focus()
    desk.key("Delete")
    desk.page.click("#tools-box summary")
    values = [float(text) for text in desk.page.locator("#scores td").all_inner_texts()]
    assert "the 2 pairs that are done" in desk.page.inner_text("#scores caption")
    assert values[0] == pytest.approx((links - 1) / links, abs=0.001)
    assert values[1] == 1


@pytest.fixture
def annotators(visit, tmp_path: Path) -> tuple[Desk, Path]:
    """Ann's project, open, and the file of Ben's, with two other links in pair 1 and pair 3 not done."""
    ann = Desk.begun(visit)
    start = tmp_path / "start.json"
    start.write_bytes(ann.visited.download("#save-file")[1])
    ben = Desk.home(visit).open_files(start, annotator="Ben")
    ben.link(0, 6)
    ben.word("source", 1).focus()
    ben.key("Delete")
    for desk, count in ((ann, 3), (ben, 2)):
        desk.go_to(1)
        for _ in range(count):
            desk.key("d")
    project = ben.project() | {"annotator": "Ben"}
    file = tmp_path / "ben.json"
    file.write_text(json.dumps(project), "utf-8")
    return ann, file


def test_two_annotators_make_a_common_project(annotators):
    desk, file = annotators
    mine, theirs = desk.project()["pairs"], json.loads(file.read_text("utf-8"))["pairs"]
    desk.page.click("#tools-box summary")
    desk.page.set_input_files("#other-file", file)
    desk.page.wait_for_function("() => document.querySelector('#desk-title').innerText.includes('and Ben')")
    desk.settle()
    common = desk.project()
    first = common["pairs"][0]
    assert first["votes"] == {"0-6": "Ben", "1-1": "Ann"}
    assert first["links"] == {
        key: "sure" if key in mine[0]["links"] and key in theirs[0]["links"] else "possible"
        for key in mine[0]["links"] | theirs[0]["links"]
    }
    assert [pair["done"] for pair in common["pairs"]] == [False, True, False]
    # Agreement, by its definition, on the two pairs that both had done.
    cells = [
        (f"{i}-{j}" in one["links"], f"{i}-{j}" in other["links"])
        for one, other in zip(mine[:2], theirs[:2], strict=True)
        for i in range(len(one["source"]))
        for j in range(len(one["target"]))
    ]
    both = sum(a and b for a, b in cells)
    a_all, b_all, n = sum(a for a, _ in cells), sum(b for _, b in cells), len(cells)
    observed = sum(a == b for a, b in cells) / n
    expected = (a_all * b_all + (n - a_all) * (n - b_all)) / n**2
    values = [float(text) for text in desk.page.locator("#scores td").all_inner_texts()]
    f1 = 2 * both / (a_all + b_all)
    assert values == pytest.approx([f1, 1 - f1, 1 - f1, (observed - expected) / (1 - expected)], abs=0.001)
    # Differences are settled one by one.
    desk.go_to(2).key("x")
    assert desk.page.input_value("#step") == "1"
    assert desk.page.locator("#rows .mark.only").count() == 2
    assert "only one annotator" in desk.page.inner_text("#legend")
    desk.link(0, 6)  # away with it
    desk.word("source", 1).focus()
    desk.key("p")
    settled = desk.pair()
    assert settled["links"]["1-1"] == "sure"
    assert "0-6" not in settled["links"]
    assert desk.page.locator("#rows .mark.only").count() == 0
    desk.go_to(2).key("x")
    assert desk.page.input_value("#step") == "2", "there is no difference left"


def test_projects_of_other_words_are_not_compared(annotators, visit, tmp_path):
    desk, file = annotators
    project = json.loads(file.read_text("utf-8"))
    project["pairs"][1]["target"][0] = "He"
    file.write_text(json.dumps(project), "utf-8")
    desk.page.click("#tools-box summary")
    for content, said in [
        (json.dumps(project), "The words of pair 2 are not the same"),
        (json.dumps(project | {"pairs": project["pairs"][:2]}), "One project has 3 pairs, the other 2"),
        (TSV, "is not a project"),
    ]:
        file.write_text(content, "utf-8")
        desk.page.set_input_files("#other-file", file)
        desk.page.wait_for_function(
            "said => document.querySelector('#notice').innerText.includes(said)", arg=said
        )
