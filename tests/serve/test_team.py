"""Projects on the service's disk: nothing is lost, nobody overwrites anybody, nothing else is reached."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

ID = "0123456789abcdef"


def project(count: int = 3, **more: Any) -> dict[str, Any]:
    made = [
        {
            "source": ["Das", "Haus"],
            "target": ["The", "house"],
            "links": {"0-0": "sure"},
            "nulls": {},
            "done": False,
        }
        for _ in range(count)
    ]
    return {"format": "wordalign-project", "version": 1, "id": ID, "name": "P", "pairs": made, **more}


def change(pair: int, field: str, to: Any, *, key: str | None = None, was: Any = None) -> dict[str, Any]:
    return {"pair": pair, "field": field, "from": was, "to": to} | ({} if key is None else {"key": key})


def step(
    server: Any, *changes: dict[str, Any], base: int = 0, name: str | None = None, by: str = "Ann"
) -> Any:
    name = name or f"{random.getrandbits(64):016x}"
    return server.client.post(
        f"/v1/annotation/projects/{ID}/steps",
        json={"step": name, "by": by, "base": base, "changes": list(changes)},
    )


@pytest.fixture
def team(start_server, tmp_path):
    with start_server("--project", str(tmp_path)) as server:
        assert server.client.post("/v1/annotation/projects", json=project()).status_code == 201
        yield server


@pytest.fixture(scope="module")
def shared(start_server, tmp_path_factory):
    """A server for requests that change nothing; `folder` is where its projects are."""
    folder = tmp_path_factory.mktemp("projects")
    with start_server("--project", str(folder)) as server:
        server.client.post("/v1/annotation/projects", json=project())
        server.folder = folder
        yield server


def read(server: Any) -> dict[str, Any]:
    return server.get(f"/v1/annotation/projects/{ID}").json()


def test_without_a_folder_there_are_no_projects(server, refused):
    assert server.get("/v1/annotation/projects").json() == {"projects": None}
    refused(server.client.post("/v1/annotation/projects", json=project()), 405, "wrong_method")


def test_steps_are_made_listed_and_told_to_others(team):
    assert step(team, change(1, "links", "possible", key="1-1")).json()["revision"] == 1
    answer = step(team, change(2, "comment", "hm"), change(2, "done", True, was=False), by="Ben").json()
    assert [found["by"] for found in answer["steps"]] == ["Ann", "Ben"], (
        "steps of others come with the answer"
    )
    found = read(team)
    assert found["revision"] == 2
    assert found["revisions"] == [0, 1, 2]
    assert found["project"]["pairs"][1]["links"] == {"0-0": "sure", "1-1": "possible"}
    assert found["project"]["pairs"][2]["done"] is True
    (listed,) = team.get("/v1/annotation/projects").json()["projects"]
    assert (listed["name"], listed["pairs"], listed["done"], listed["revision"]) == ("P", 3, 1, 2)
    later = team.get(f"/v1/annotation/projects/{ID}/steps?since=1").json()
    assert [found["revision"] for found in later["steps"]] == [2]


def test_a_step_that_is_sent_twice_is_made_once(team):
    for _ in range(2):
        assert step(team, change(0, "comment", "x"), name="0" * 16).json()["revision"] == 1


def test_other_pairs_merge_and_the_later_on_one_pair_sees_the_conflict(team, refused):
    step(team, change(0, "links", None, key="0-0", was="sure"), by="Ann")
    assert step(team, change(1, "comment", "mine"), by="Ben").status_code == 200, "another pair merges"
    said = refused(
        step(team, change(0, "links", "possible", key="0-0", was="sure"), by="Ben"), 409, "outdated"
    )
    assert "pair 1 " in said
    assert read(team)["project"]["pairs"][0]["links"] == {}
    # Whoever knows the newest revision, but not the value, is not let through either.
    refused(step(team, change(0, "links", "possible", key="0-0", was="sure"), base=2), 409, "outdated")
    assert step(team, change(0, "links", "possible", key="0-0"), base=2).status_code == 200


def test_half_a_step_is_never_made(team, refused):
    refused(
        step(team, change(0, "comment", "x"), change(1, "done", "yes", was=False)), 422, "invalid_project"
    )
    assert read(team)["revision"] == 0
    assert "comment" not in read(team)["project"]["pairs"][0]


def test_many_people_at_once_lose_nothing(team):
    """Twelve writers, each with a pair of its own, and all of them at one pair too, with retries."""
    refusals: list[int] = []

    def write(number: int) -> None:
        base, links = 0, 0
        while links < 5:
            now = read(team)
            base = now["revision"]
            held = now["project"]["pairs"][0].get("comment", "")
            answer = step(team, change(0, "comment", f"{held}{number},", was=held), base=base, by=str(number))
            if answer.status_code == 200:
                links += 1
            else:
                refusals.append(answer.status_code)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = read(team)
    written = found["project"]["pairs"][0]["comment"].split(",")[:-1]
    assert sorted(written) == sorted(str(number) for number in range(12) for _ in range(5))
    assert found["revision"] == 60
    assert set(refusals) <= {409}


def test_what_was_answered_is_there_after_kill_9(start_server, tmp_path):
    """Killed again and again while it is written to: every step that was answered is there, and whole."""
    with start_server("--project", str(tmp_path)) as server:
        server.client.post("/v1/annotation/projects", json=project())
    answered: dict[str, str] = {}
    for life in range(3):
        with start_server("--project", str(tmp_path)) as server:
            before = read(server)
            found = before["project"]["pairs"][1].get("comment", "")
            assert all(piece in found.split() for piece in answered), "an answered step is missing"
            stop = threading.Event()

            def write(server: Any = server, life: int = life, before: Any = before, stop: Any = stop) -> None:
                base, held = before["revision"], before["project"]["pairs"][1].get("comment", "")
                for number in range(10_000):
                    piece = f"{life}.{number}"
                    try:
                        answer = step(server, change(1, "comment", f"{held} {piece}", was=held), base=base)
                    except Exception:  # the server is dead
                        return
                    if answer.status_code == 200:
                        answered[piece] = held = f"{held} {piece}"
                        base = answer.json()["revision"]
                        if number == 40 + 60 * life:
                            stop.set()

            thread = threading.Thread(target=write)
            thread.start()
            assert stop.wait(60)
            server.process.kill()
            thread.join()
    assert len(answered) > 100
    log = (tmp_path / ID / "log.jsonl").read_bytes()
    (tmp_path / ID / "log.jsonl").write_bytes(log + b'{"revision": 999, "st')  # torn, as a kill may leave it
    with start_server("--project", str(tmp_path)) as server:
        found = read(server)["project"]["pairs"][1]["comment"].split()
        assert set(answered) <= set(found)
        assert len(found) == len(set(found)), "no step was made twice"
        assert step(server, change(0, "done", True, was=False), base=10**6).status_code == 200
    assert (tmp_path / ID / "log.jsonl").read_bytes().startswith(log)
    assert b'"st\n' not in (tmp_path / ID / "log.jsonl").read_bytes()


def test_snapshots_and_the_log_say_the_same(tmp_path):
    from wordalign.serve.team import projects
    from wordalign.serve.team.changes import Change

    folder = projects.ProjectFolder(tmp_path)
    folder.add(project())
    generator = random.Random(5)
    held: dict[tuple[int, str], str] = {}
    for number in range(projects.SNAPSHOT_EVERY + 50):
        pair, key = generator.randrange(3), f"{generator.randrange(2)}-{generator.randrange(2)}"
        was = held.get((pair, key), "sure" if key == "0-0" else None)
        to = generator.choice(["sure", "possible"])
        held[pair, key] = to
        made = Change.model_validate(change(pair, "links", to, key=key, was=was))
        folder.make(ID, f"{number:016x}", "", number, [made])
    wanted = folder.read(ID)
    snapshot = json.loads((tmp_path / ID / "project.json").read_text("utf-8"))
    assert snapshot["revision"] == projects.SNAPSHOT_EVERY
    folder._lock.close()
    again = projects.ProjectFolder(tmp_path)
    assert again.read(ID) == wanted
    again._lock.close()


def test_a_folder_belongs_to_one_service(start_server, tmp_path):
    arguments = ("--project", str(tmp_path))
    taken = pytest.raises(AssertionError, match="Another service is using")
    with start_server(*arguments), taken, start_server(*arguments):
        pass
    with (
        pytest.raises(AssertionError, match="There is no folder"),
        start_server("--project", str(tmp_path / "no")),
    ):
        pass


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (project(id="../../../etc/x"), "16 hexadecimal digits"),
        (project(id="0123456789ABCDEF"), "16 hexadecimal digits"),
        (project(version=2), "not a project in the format"),
        (project(0), "between 1 and 50,000 pairs"),
        (project(name="x" * 300), "at most 200 characters"),
        (project(pairs=[{"source": ["a"], "target": "b"}]), "Pair 1: target is not a list of words."),
        (project(pairs=[{"source": ["a"], "target": ["b"], "links": {"0-1": "sure"}}]), "no words for '0-1'"),
        (
            project(pairs=[{"source": ["a"], "target": ["b"], "links": {"0-0": "so"}}]),
            "'so' is not what links",
        ),
        (project(pairs=[{"source": ["a"], "target": ["b"], "suggested": {"0-0": 7}}]), "a probability"),
        (project(pairs=[{"source": ["a"], "target": ["b"], "comment": "x" * 20_001}]), "longer than 20,000"),
        ([], "not a project in the format"),
    ],
)
def test_what_is_no_project_is_refused(shared, refused, value, said):
    if isinstance(value, dict) and value["id"] == ID:
        value["id"] = "f" * 16
    assert said in refused(shared.client.post("/v1/annotation/projects", json=value), 422, "invalid_project")
    assert sorted(path.name for path in shared.folder.iterdir()) == [ID, "lock"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([change(9, "done", True)], "There is no pair 9."),
        ([change(0, "links", "sure", key="5-5")], "no words for '5-5'"),
        ([change(0, "links", "sure", key="../x")], "no words for '../x'"),
        ([change(0, "nulls", True, key="s7")], "no words for 's7'"),
        ([change(0, "nulls", "x", key="s0")], "'x' is not what nulls can be"),
        ([change(0, "comment", 7)], "comment is a text"),
        ([change(0, "comment", "x" * 20_001)], "at most 20,000 characters"),
        ([change(0, "suggested", {"0-0": "x"})], "a probability"),
    ],
)
def test_changes_that_do_not_fit_are_refused(shared, refused, changes, said):
    assert said in refused(step(shared, *changes), 422, "invalid_project")
    assert read(shared)["revision"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"step": "x", "base": 0, "changes": [change(0, "done", True)]},
        {"step": ID, "base": -1, "changes": [change(0, "done", True)]},
        {"step": ID, "base": 0, "changes": []},
        {"step": ID, "base": 0, "changes": [{"pair": 0, "field": "source", "to": []}]},
        {"step": ID, "base": 0, "changes": [change(0, "comment", "x", key="0-0")]},
    ],
)
def test_steps_that_are_none_are_refused(shared, refused, body):
    refused(shared.client.post(f"/v1/annotation/projects/{ID}/steps", json=body), 422, "invalid_request")


@pytest.mark.parametrize(
    "name", ["..", "../..", "%2e%2e", "..%2f..%2fetc", "lock", ID.upper(), "0" * 16, "%00"]
)
def test_no_name_reaches_another_file(shared, name):
    for tail in ("", "/steps"):
        answer = shared.get(f"/v1/annotation/projects/{name}{tail}")
        assert answer.status_code == 404, (name, answer.text)


def test_sizes_are_limited_and_the_token_is_asked_for(start_server, refused, tmp_path):
    with start_server("--project", str(tmp_path), "--max-body", "3000", WORDALIGN_TOKEN="secret") as server:
        for path in ("/v1/annotation/projects", f"/v1/annotation/projects/{ID}"):
            refused(server.get(path), 401, "unauthorized")
        refused(server.client.post("/v1/annotation/projects", json=project()), 401, "unauthorized")
        server.client.headers["Authorization"] = "Bearer secret"
        assert server.client.post("/v1/annotation/projects", json=project(60)).status_code == 201, "own limit"
        refused(step(server, change(0, "comment", "x" * 4000)), 413, "body_too_large")
        answer = server.client.post(
            "/v1/annotation/projects", content=b"{}", headers={"Content-Type": "text/plain"}
        )
        refused(answer, 415, "not_json")
        for since in ("x", "-1", "9" * 30, "٣"):
            refused(server.get(f"/v1/annotation/projects/{ID}/steps?since={since}"), 422, "invalid_request")


def test_a_damaged_folder_is_explained(start_server, tmp_path: Path):
    with start_server("--project", str(tmp_path)) as server:
        server.client.post("/v1/annotation/projects", json=project())
        step(server, change(0, "done", True, was=False))
    log = tmp_path / ID / "log.jsonl"
    log.write_text(log.read_text("utf-8").replace('"done"', '"votes"'), "utf-8")
    with (
        pytest.raises(AssertionError, match=r"does not fit|changed the file"),
        start_server("--project", str(tmp_path)),
    ):
        pass
    log.write_text("nonsense\n", "utf-8")
    with (
        pytest.raises(AssertionError, match="not a record of the log"),
        start_server("--project", str(tmp_path)),
    ):
        pass
    (tmp_path / ID / "project.json").write_text("{}", "utf-8")
    with (
        pytest.raises(AssertionError, match="cannot be read as a project"),
        start_server("--project", str(tmp_path)),
    ):
        pass
