"""Nothing that was annotated is lost: crashes, reloads, two windows, a full disk, wrong files."""

from __future__ import annotations

import json
import random

import pytest

from serve.annotating import TSV, Desk

pytest_plugins = ("serve.browser",)


def test_every_edit_and_its_undo_are_there_after_a_reload(visit):
    desk = Desk.begun(visit)
    before = desk.project()
    desk.link(0, 6).go_to(2)
    desk.page.fill("#comment", "rain")
    desk.settle()
    edited = desk.project()
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    assert desk.page.input_value("#step") == "2"
    assert desk.project() == edited
    desk.key("Control+z", "Control+z")
    assert desk.project() == before
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    assert desk.project() == before
    desk.key("Control+y", "Control+y")
    assert desk.project() == edited


def test_two_windows_of_one_project_do_not_overwrite_each_other(visit):
    from serve.browser import Visit

    desk = Desk.begun(visit)
    start, page, rest = desk.page.url.partition("annotate.html")
    other = Desk(Visit(desk.visited.context, start, page + rest))
    other.page.wait_for_selector("#rows .word")
    other.go_to(2)
    desk.link(0, 6)
    other.link(0, 2)
    desk.link(1, 2)
    wanted = other.project()
    assert {"0-6", "1-2"} <= wanted["pairs"][0]["links"].keys()
    assert "0-2" in wanted["pairs"][1]["links"]
    assert desk.project() == wanted
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    assert desk.project() == wanted


def test_a_full_storage_is_told_and_a_file_is_offered(visit):
    desk = Desk.home(visit)
    session = desk.visited.context.new_cdp_session(desk.page)
    origin = desk.page.evaluate("() => location.origin")
    session.send("Storage.overrideQuotaForOrigin", {"origin": origin, "quotaSize": 500_000})
    desk.begin(TSV)
    long = " ".join(random.Random(1).randbytes(8).hex() for _ in range(60_000))
    desk.page.evaluate(
        "text => { const field = document.getElementById('comment'); field.value = text;"
        " field.dispatchEvent(new Event('input')); }",
        long,
    )
    desk.page.wait_for_selector("#saved[data-state=failed]")
    assert "storage is full" in desk.page.inner_text("#notice")
    desk.word("source", 0).click()
    desk.word("target", 6).click()
    saved = json.loads(desk.visited.download("#notice button:has-text('Save file')")[1])
    assert saved["pairs"][0]["comment"] == long
    assert "0-6" in saved["pairs"][0]["links"], "later edits are in the file, too"
    assert not desk.page.evaluate(
        "() => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    ), "the page asks before it closes"
    session.send("Storage.overrideQuotaForOrigin", {"origin": origin})
    desk.page.click("#notice button:has-text('Try again')")
    desk.settle()
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    assert desk.project() == saved


def test_projects_are_listed_opened_and_deleted(visit):
    desk = Desk.home(visit)
    desk.page.fill("#new-name", "First")
    desk.begin(TSV)
    desk.page.click("#close")
    desk.page.wait_for_selector("#home:not([hidden])")
    desk.page.fill("#new-name", "Second")
    desk.begin("Guten Tag!\tGood day!\n", annotator="Ben")
    desk.page.click("#close")
    rows = desk.page.locator("#projects tbody tr")
    desk.page.wait_for_function("() => document.querySelectorAll('#projects tbody tr').length === 2")
    assert rows.nth(0).inner_text().startswith("Second Ben")
    assert "0 of 3" in rows.nth(1).inner_text()
    rows.nth(1).locator("button >> nth=0").click()
    desk.page.wait_for_selector("#rows .word")
    assert desk.page.inner_text("#desk-title") == "First"
    desk.page.click("#close")
    desk.page.click("[aria-label='Delete Second']")  # asks first; answered no
    assert rows.count() == 2
    desk.page.once("dialog", lambda dialog: dialog.accept())
    desk.page.click("[aria-label='Delete Second']")
    desk.page.wait_for_function("() => document.querySelectorAll('#projects tbody tr').length === 1")


def test_a_saved_file_opens_as_it_was_and_overwrites_nothing(visit, tmp_path):
    desk = Desk.begun(visit)
    desk.link(0, 6)
    desk.word("source", 0).focus()
    desk.key("p")
    name, content = desk.visited.download("#save-file")
    (tmp_path / name).write_bytes(content)
    elsewhere = Desk.home(visit).open_files(tmp_path / name)
    assert elsewhere.project() == json.loads(content)
    desk.link(0, 5)
    here = desk.project()
    desk.page.click("#close")
    desk.page.wait_for_selector("#home:not([hidden])")
    desk.open_files(tmp_path / name)
    assert desk.page.inner_text("#desk-title").endswith("(from file)")
    copy = desk.project()
    assert copy["pairs"] == json.loads(content)["pairs"]
    assert copy["id"] != here["id"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 99}, "newer wordalign"),
        ({"pairs": []}, "no pairs"),
        ({"pairs": [{"source": "x", "target": ["y"]}]}, "Pair 1 of the project: “source” is not a list"),
        (
            {"pairs": [{"source": ["x"], "target": ["y"], "links": {"0-7": "sure"}}]},
            "no words for the link “0-7”",
        ),
        (
            {"pairs": [{"source": ["x"], "target": ["y"], "links": {"0-0": "maybe"}}]},
            "neither sure nor possible",
        ),
        ({"pairs": [{"source": ["x"], "target": ["y"], "nulls": {"s9": True}}]}, "no word “s9”"),
    ],
)
def test_a_file_that_is_no_project_is_explained(visit, tmp_path, change, said):
    desk = Desk.home(visit)
    value = {"format": "wordalign-project", "version": 1, "name": "x", "pairs": [{}], **change}
    (tmp_path / "bad.json").write_text(json.dumps(value), "utf-8")
    desk.page.set_input_files("#new-files", tmp_path / "bad.json")
    desk.page.wait_for_function(
        "said => document.querySelector('#notice').innerText.includes(said)", arg=said
    )


def test_without_the_service_projects_are_still_annotated(visit):
    """Everything but suggestions and finding words works when the service is gone."""
    desk = Desk.begun(visit)
    desk.visited.context.route("**/v1/**", lambda route: route.abort())
    desk.page.reload()
    desk.page.wait_for_selector("#rows .word")
    desk.link(0, 6)
    assert "0-6" in desk.export("pharaoh")[1].decode().split()
    assert "does not answer" in desk.page.inner_text("#notice")
    desk.visited.complaints[:] = [c for c in desk.visited.complaints if "ERR_FAILED" not in c]


def test_a_month_of_steps_stays_quick_and_can_be_undone(visit):
    """Undoing reaches a thousand steps back; older steps are forgotten, and what they did stays."""
    desk = Desk.begun(visit)
    made = desk.page.evaluate(
        """async () => {
            const { BrowserStore } = await import("/page/annotate/store.js");
            const { Session } = await import("/page/annotate/session.js");
            const { setComment } = await import("/page/annotate/edits.js");
            const store = new BrowserStore();
            const [{ id }] = await store.list();
            const nobody = { changed() {}, saved() {}, refused() {} };
            const session = new Session(store, await store.open(id), nobody);
            const times = [];
            for (let k = 1; k <= 1100; k++) {
                const start = performance.now();
                session.do("comment", setComment(session.project, 0, String(k)));
                await session.settled();
                times.push(performance.now() - start);
            }
            for (let k = 0; k < 5; k++) session.undo();
            session.do("comment", setComment(session.project, 0, "new"));
            await session.settled();
            const again = new Session(store, await store.open(id), nobody);
            const found = [again.project.pairs[0].comment, again.history.steps.length, again.canRedo];
            let undone = 0;
            while (again.undo()) undone += 1;
            const middle = (list) => list.sort((one, other) => one - other)[Math.floor(list.length / 2)];
            const [early, late] = [middle(times.slice(0, 100)), middle(times.slice(-100))];
            return { found, undone, oldest: again.project.pairs[0].comment, slower: late / early };
        }"""
    )
    assert made["found"] == ["new", 996, False]
    assert made["undone"] == 996
    assert made["oldest"] == "100"
    assert made["slower"] < 5, "an edit costs the same, however many there were"


def test_thousands_of_pairs_are_annotated_without_delay(visit, tmp_path):
    pairs = [
        {"source": ["w"] * 20, "target": ["v"] * 20, "links": {f"{k}-{k}": "sure" for k in range(20)}}
        for _ in range(5000)
    ]
    value = {"format": "wordalign-project", "version": 1, "name": "Large", "pairs": pairs}
    (tmp_path / "large.json").write_text(json.dumps(value), "utf-8")
    desk = Desk.home(visit).open_files(tmp_path / "large.json")
    desk.page.click("#list-box summary")
    desk.page.wait_for_selector("#list tbody tr")
    taken = desk.page.evaluate(
        """async () => {
            const settled = () => document.querySelector("#saved").dataset.state === "saved";
            const times = [];
            for (let k = 0; k < 10; k++) {
                const start = performance.now();
                document.querySelector("#done").click();
                await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
                while (!settled()) await new Promise((done) => setTimeout(done, 5));
                times.push(performance.now() - start);
            }
            return times.sort((one, other) => one - other)[5];
        }"""
    )
    assert taken < 1000, f"{taken} milliseconds for an edit"
    assert desk.page.inner_text("#progress-text") == "0 of 5,000 pairs done"
