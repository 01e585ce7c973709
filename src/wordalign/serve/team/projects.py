"""Projects in a folder: for each a snapshot, written whole, and a log of the steps since, which only grows.

    FOLDER/0123456789abcdef/project.json    {"project": …, "revision": 400, "revisions": [0, 17, 400, …]}
    FOLDER/0123456789abcdef/log.jsonl       {"revision": 401, "step": …, "by": …, "time": …, "changes": […]}
    FOLDER/lock                             held by the one service that may write here

`revision` counts the steps of a project, and `revisions` has that of the last step of each pair. A step is on
the disk before anybody is told that it was made; what `kill -9` leaves is the state after the last such step.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, OutputError
from wordalign.io.annotated import FORMAT, VERSION
from wordalign.io.journal import Journal
from wordalign.io.whole import explained, write_whole
from wordalign.serve.team.changes import Change, ConflictError, applied, checked_pair

ID = re.compile(r"[0-9a-f]{16}")
SNAPSHOT_EVERY = 200  # steps
KEPT_STEPS = 2000  # in memory; who is further behind reads the project anew
MOST_PAIRS = 50_000
MOST_PROJECTS = 1000
LONGEST_NAME = 200


class OutdatedError(Exception):
    """Somebody else has changed these pairs since."""

    def __init__(self, pairs: Sequence[int]) -> None:
        super().__init__(pairs)
        self.pairs = list(pairs)


@dataclass
class _Project:
    folder: Path
    project: dict[str, Any]
    revision: int
    revisions: list[int]
    journal: Journal
    steps: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    lock: threading.Lock = field(default_factory=threading.Lock)
    snapshot: int = 0

    def facts(self) -> dict[str, Any]:
        pairs = self.project["pairs"]
        return {
            "id": self.folder.name,
            "name": self.project["name"],
            "annotator": self.project.get("annotator", ""),
            "pairs": len(pairs),
            "done": sum(pair.get("done") is True for pair in pairs),
            "modified": self.project["modified"],
            "revision": self.revision,
        }


class ProjectFolder:
    """All projects of a folder, in memory and on the disk. Safe for many threads of one process."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        if not self._folder.is_dir():
            raise InputError(f"There is no folder {folder} for projects: make it first.")
        self._lock = _locked(self._folder / "lock")
        self._adding = threading.Lock()
        self._projects = {
            path.name: _opened(path)
            for path in sorted(self._folder.iterdir())
            if ID.fullmatch(path.name) and (path / "project.json").is_file()
        }

    def list(self) -> list[dict[str, Any]]:
        found = [project.facts() for project in list(self._projects.values())]
        return sorted(found, key=lambda facts: str(facts["modified"]), reverse=True)

    def add(self, value: Any) -> dict[str, Any]:
        """A new project; a ValueError if it is none, or if its id is taken."""
        project = _checked_project(value)
        with self._adding:
            if project["id"] in self._projects:
                raise ValueError("There is a project with this id already.")
            if len(self._projects) >= MOST_PROJECTS:
                raise ValueError(f"There are {MOST_PROJECTS:,} projects already.")
            folder = self._folder / project["id"]
            with explained(folder):
                folder.mkdir(exist_ok=True)
            made = _Project(folder, project, 0, [0] * len(project["pairs"]), Journal(folder / "log.jsonl"))
            _write(made)
            self._projects[project["id"]] = made
        return made.facts()

    def read(self, name: str) -> dict[str, Any]:
        """The project with its revisions; a KeyError if there is none."""
        found = self._projects[name]
        with found.lock:
            return {"project": found.project, "revision": found.revision, "revisions": found.revisions}

    def since(self, name: str, revision: int) -> dict[str, Any]:
        """The steps after a revision, or `steps` null where they are not in memory any more."""
        found = self._projects[name]
        with found.lock:
            return {"revision": found.revision, "steps": _later(found, revision)}

    def make(self, name: str, step: str, by: str, base: int, changes: Sequence[Change]) -> None:
        """Make a step that was thought of at revision `base`, once, however often it is sent.

        An `OutdatedError` names the pairs that others have changed since; nothing is changed then. A
        ValueError says what is wrong with a change.
        """
        found = self._projects[name]
        with found.lock:
            if any(known["step"] == step for known in found.steps):
                return
            touched = sorted({change.pair for change in changes})
            behind = [
                pair for pair in touched if pair < len(found.revisions) and found.revisions[pair] > base
            ]
            if behind:
                raise OutdatedError(behind)
            try:
                project = applied(found.project, changes)
            except ConflictError as error:
                raise OutdatedError(touched) from error
            record = {
                "revision": found.revision + 1,
                "step": step,
                "by": by,
                "time": _now(),
                "changes": [change.as_json() for change in changes],
            }
            found.journal.append(record)
            _use(found, project, record)
            if found.revision - found.snapshot >= SNAPSHOT_EVERY:
                with suppress(OutputError):  # the log has everything; the next step tries again
                    _write(found)


def _checked_project(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("format") != FORMAT or value.get("version") != VERSION:
        raise ValueError(f"This is not a project in the format {FORMAT}, version {VERSION}.")
    if not isinstance(value.get("id"), str) or not ID.fullmatch(value["id"]):
        raise ValueError("The id of a project is 16 hexadecimal digits.")
    for name in ("name", "annotator"):
        if not isinstance(value.get(name, ""), str) or len(value.get(name, "")) > LONGEST_NAME:
            raise ValueError(f"The {name} is a text of at most {LONGEST_NAME} characters.")
    pairs = value.get("pairs")
    if not isinstance(pairs, list) or not 0 < len(pairs) <= MOST_PAIRS:
        raise ValueError(f"A project has between 1 and {MOST_PAIRS:,} pairs.")
    for number, pair in enumerate(pairs, start=1):
        try:
            checked_pair(pair)
        except ValueError as error:
            raise ValueError(f"Pair {number}: {error}") from error
    return {**value, "name": value.get("name") or "Project", "modified": _now()}


def _opened(folder: Path) -> _Project:
    try:
        snapshot = json.loads((folder / "project.json").read_text("utf-8"))
        project, revision, revisions = (snapshot[name] for name in ("project", "revision", "revisions"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder / 'project.json'} cannot be read as a project ({error}): put a copy of it in its "
            "place, or move the folder away."
        ) from error
    found = _Project(folder, project, revision, revisions, Journal(folder / "log.jsonl"), snapshot=revision)
    for record in found.journal:
        if record["revision"] <= revision:
            found.steps.append(record)
            continue
        try:
            changes = [Change.model_validate(change) for change in record["changes"]]
            _use(found, applied(found.project, changes), record)
        except (ConflictError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{folder / 'log.jsonl'}: step {record['revision']} does not fit what is before it. Somebody "
                "has changed the files: put copies of them in their place."
            ) from error
    return found


def _use(found: _Project, project: dict[str, Any], record: dict[str, Any]) -> None:
    found.project = {**project, "modified": record["time"]}
    found.revision = record["revision"]
    for change in record["changes"]:
        found.revisions[change["pair"]] = record["revision"]
    found.steps.append(record)


def _write(found: _Project) -> None:
    snapshot = {"project": found.project, "revision": found.revision, "revisions": found.revisions}
    write_whole(found.folder / "project.json", json.dumps(snapshot, ensure_ascii=False).encode())
    found.snapshot = found.revision


def _later(found: _Project, revision: int) -> list[dict[str, Any]] | None:
    if revision >= found.revision:
        return []
    if not found.steps or found.steps[0]["revision"] > revision + 1:
        return None
    return [record for record in found.steps if record["revision"] > revision]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _locked(path: Path) -> Any:
    """Hold the folder's lock while the process lives: two services would not know of each other's steps."""
    try:
        stream = path.open("a")
    except OSError as error:
        raise OutputError(
            f"Cannot write to the folder of projects {path.parent}: {error.strerror}."
        ) from error
    try:
        import fcntl
    except ModuleNotFoundError:  # not a Unix
        return stream
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        stream.close()
        raise InputError(
            f"Another service is using the folder of projects {path.parent}: stop it first, or give another."
        ) from error
    return stream
