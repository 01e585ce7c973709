"""Data flows one way: a room of the package imports only the rooms before it.

Every import counts, also those inside functions and those for type checkers alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import wordalign

PACKAGE = Path(wordalign.__file__).parent
# The rooms in the order of the flow. Those of one line do not know each other, but for the foundations.
FLOW = (
    ("types", "errors", "registry", "config", "machine", "parallel"),
    ("text",),
    ("io",),
    ("encoders",),
    ("links",),
    ("aligners",),
    ("run",),
    ("vectors",),
    ("project",),
    ("documents",),
    ("evaluate",),
    ("render",),
    ("data",),
    ("tune",),
    ("compat",),
    ("serve",),
    ("cli", "__main__"),
)
PLACE = {room: place for place, rooms in enumerate(FLOW) for room in rooms}


def modules() -> Iterator[tuple[str, Path]]:
    for path in PACKAGE.rglob("*.py"):
        yield ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"), path


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """The modules of the package that a file imports, without the package's own name."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, alias.name.removeprefix("wordalign."))
                for alias in node.names
                if alias.name.startswith("wordalign.")
            )
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise AssertionError(f"{path}:{node.lineno} imports by a relative name")
        elif isinstance(node, ast.ImportFrom) and node.module == "wordalign":
            known = (alias.name for alias in node.names if alias.name in PLACE)
            yield from ((node.lineno, name) for name in known)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wordalign."):
            yield node.lineno, str(node.module).removeprefix("wordalign.")


def test_every_room_has_its_place():
    assert {name.partition(".")[0] for name, _ in modules()} - PLACE.keys() == {"__init__"}


def test_no_import_goes_against_the_flow():
    against = []
    for name, path in modules():
        room = name.partition(".")[0]
        if room == "__init__":
            continue  # the front door names what is behind it
        for line, imported in imports(path):
            other = imported.partition(".")[0]
            if other != room and PLACE[other] > PLACE[room]:
                against.append(f"{path.relative_to(PACKAGE)}:{line} {room} -> {imported}")
    assert not against, "\n".join(against)
