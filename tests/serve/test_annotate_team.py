"""Several people in one project on the server's disk, each with a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from serve.annotating import TSV, Desk
from serve.browser_service import serving

pytest_plugins = ("serve.browser",)

PROJECT = "v1/annotation/projects/"


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    pytest.importorskip("fastapi")
    folder = tmp_path_factory.mktemp("projects")
    with serving("--model", "tiny", "--project", str(folder)) as url:
        yield url, folder


@pytest.fixture
def people(visit: Any, office: tuple[str, Path]) -> tuple[Desk, Desk, Path]:
    """Ann, who made a project of the team, and Ben, who opened it; both at pair 1."""
    url, folder = office
    before = set(folder.iterdir())
    ann = Desk.home(visit, at=url)
    ann.page.wait_for_selector("#new-where-choice:not([hidden])")
    ann.begin(TSV, annotator="Ann")
    ben = Desk.home(visit, at=url)
    ben.page.fill("#new-annotator", "Ben")
    ben.page.press("#new-annotator", "Tab")
    name = ann.page.inner_text("#desk-title")
    ben.page.click(f"#projects button:has-text('{name}') >> nth=0")
    ben.page.wait_for_selector("#rows .word")
    ben.settle()
    (made,) = set(folder.iterdir()) - before - {folder / "lock"}
    return ann, ben, made


def steps(folder: Path) -> list[dict[str, Any]]:
    log = folder / "log.jsonl"
    return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []


@contextmanager
def away(desk: Desk) -> Iterator[None]:
    """Nobody answers this browser."""
    desk.visited.context.route("**/v1/**", lambda route: route.abort())
    yield
    desk.visited.context.unroute("**/v1/**")
    desk.visited.complaints[:] = [said for said in desk.visited.complaints if "ERR_FAILED" not in said]


def wait_for_link(desk: Desk, key: str) -> None:
    desk.page.wait_for_selector(f"#rows .link[data-key='{key}']", state="attached")


def test_what_one_does_the_other_sees_and_the_disk_keeps(people):
    ann, ben, folder = people
    assert "on the server" in ann.page.inner_text("#saved")
    ann.link(0, 6)
    wait_for_link(ben, "0-6")
    ben.go_to(2)
    ben.page.fill("#comment", "rain")
    ben.page.press("#comment", "Tab")
    ben.settle()
    made = steps(folder)
    assert [step["by"] for step in made] == ["Ann", "Ben"]
    ann.page.reload()
    ann.page.wait_for_selector("#rows .word")
    ann.settle()
    assert ann.project()["pairs"][1]["comment"] == "rain"
    assert {pair["comment"] for pair in ann.project()["pairs"]} == {"", "rain"}
    ann.key("Control+z")
    ann.settle()
    assert "0-6" not in ann.project()["pairs"][0]["links"], "own steps can be undone after a reload"
    assert [step["by"] for step in steps(folder)] == ["Ann", "Ben", "Ann"]


def test_the_servers_project_is_the_one_that_is_shown(people, office):
    """Every kind of change means the same on the disk as in the page."""
    ann, ben, folder = people
    ann.word("source", 1).focus()
    ann.key("p", "ArrowRight", "n", "t", "y")
    ann.go_to(3).drag("source", 2, 4).drag("target", 4, 6)
    ann.page.fill("#comment", "phrase")
    ann.page.check("#done")
    ann.key("Control+z", "Control+z", "Control+y")
    ann.page.click("#tools-box summary")
    ann.page.select_option("#again-method", label="tiny, argmax")
    ann.page.click("#again")
    ann.page.wait_for_function(
        "() => document.querySelector('#live').textContent.includes('new suggestions')"
    )
    ann.settle()
    url, _ = office
    served = ann.page.evaluate(
        "address => fetch(address).then((answer) => answer.json())", url + PROJECT + folder.name
    )
    shown = ann.project()["pairs"]
    assert served["project"]["pairs"] == shown
    assert served["revision"] == len(steps(folder)) > 6
    ben.page.wait_for_function("() => document.querySelector('#saved').dataset.state === 'saved'")
    ben.page.reload()
    ben.page.wait_for_selector("#rows .word")
    assert ben.settle().project()["pairs"] == shown


def test_without_the_server_work_goes_on_and_is_told_later(people):
    ann, ben, folder = people
    with away(ann):
        ann.word("source", 0).click()
        ann.word("target", 6).click()
        ann.page.wait_for_function(
            "() => document.querySelector('#saved').innerText.includes('1 change waits')"
        )
        ann.page.reload()
        ann.page.wait_for_selector("#rows .word")
        wait_for_link(ann, "0-6")
        assert steps(folder) == []
    ann.settle()
    wait_for_link(ben, "0-6")
    assert len(steps(folder)) == 1


def test_changes_of_one_pair_meet_and_both_are_told(people):
    """Ben's change fits on top of Ann's, so both are there, and he is told."""
    ann, ben, folder = people
    with away(ben):
        ben.word("source", 1).click()
        ben.word("target", 5).click()
        ann.link(0, 6)
    ben.page.wait_for_function(
        "() => document.querySelector('#notice').innerText.includes('at the same time')"
    )
    assert "Ann changed pair 1 at the same time. Both changes are there" in ben.page.inner_text("#notice")
    ben.settle()
    wait_for_link(ann, "1-5")
    assert {"0-6", "1-5"} <= ben.project()["pairs"][0]["links"].keys()
    assert ann.project()["pairs"] == ben.project()["pairs"]
    assert len(steps(folder)) == 2


def test_the_later_of_two_changes_of_one_link_is_not_made_and_is_told(people):
    ann, ben, folder = people
    with away(ben):
        ben.word("source", 1).focus()
        ben.page.keyboard.press("p")  # possible
        ann.word("source", 1).focus()
        ann.key("Delete")  # not at all
    ben.page.wait_for_function("() => document.querySelector('#notice').innerText.includes('was not made')")
    ben.settle()
    assert "1-1" not in ben.project()["pairs"][0]["links"]
    assert ann.project()["pairs"] == ben.project()["pairs"]
    assert len(steps(folder)) == 1


def test_a_project_of_another_program_is_opened(visit, office):
    """Only words are needed; all else is as in a new project."""
    url, folder = office
    desk = Desk.home(visit, at=url)
    value = {
        "format": "wordalign-project",
        "version": 1,
        "id": "00000000deadbeef",
        "name": "Foreign",
        "pairs": [{"source": ["Das", "Haus"], "target": ["The", "house"]}],
    }
    status = desk.page.evaluate(
        "([address, value]) => fetch(address, { method: 'POST', body: JSON.stringify(value),"
        " headers: { 'Content-Type': 'application/json' } }).then(({ status }) => status)",
        [url + PROJECT[:-1], value],
    )
    assert status == 201
    desk.page.goto(url + "annotate.html#00000000deadbeef/1")
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    desk.settle().link(1, 1)
    desk.key("d")
    assert [step["changes"][0]["field"] for step in steps(folder / "00000000deadbeef")] == ["links", "done"]


def test_a_token_is_asked_for(visit, tmp_path):
    with serving("--model", "tiny", "--project", str(tmp_path), WORDALIGN_TOKEN="secret") as url:
        desk = Desk.home(visit, at=url)
        desk.page.fill("#notice input[type=password]", "secret")
        desk.page.click("#notice button")
        desk.page.wait_for_selector("#new-where-choice:not([hidden])")
        desk.begin(TSV)
        desk.link(0, 6)
        assert len(list(tmp_path.glob("*/log.jsonl"))) == 1


def test_a_project_may_stay_in_the_browser(visit, office):
    url, folder = office
    before = set(folder.iterdir())
    desk = Desk.home(visit, at=url)
    desk.page.wait_for_selector("#new-where-choice:not([hidden])")
    desk.page.select_option("#new-where", "here")
    desk.begin(TSV)
    assert desk.page.inner_text("#saved") == "Saved in this browser."
    assert set(folder.iterdir()) == before


KEPT_NAME = """name => new Promise((done) => {
    const opening = indexedDB.open("wordalign-annotation");
    opening.onsuccess = () => {
        const asked = opening.result.transaction("facts").objectStore("facts").get("annotator");
        asked.onsuccess = () => { opening.result.close(); done(asked.result?.value === name); };
    };
})"""


def test_a_name_is_asked_for_and_kept(people):
    _, ben, folder = people
    ben.page.fill("#who", "")
    ben.page.press("#who", "Tab")
    ben.page.wait_for_function(KEPT_NAME, arg="")
    ben.page.reload()
    ben.page.wait_for_selector("#notice:has-text('write your name')")
    ben.page.fill("#who", "Bea")
    ben.page.press("#who", "Tab")
    ben.page.wait_for_selector("#notice", state="hidden")
    ben.page.wait_for_function(KEPT_NAME, arg="Bea")
    ben.link(0, 6)
    assert steps(folder)[-1]["by"] == "Bea"
    ben.page.reload()
    ben.page.wait_for_selector("#rows .word")
    assert ben.page.input_value("#who") == "Bea"
    assert ben.page.is_hidden("#notice")
    assert ben.visited.complaints == []
