"""Data flows one way: a room of the package imports only the rooms before it.

Every import counts, also those inside functions and those for type checkers alone.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

import wordalign

PACKAGE = Path(wordalign.__file__).parent
ROOT = Path(__file__).parents[1]
# The rooms in the order of the flow. Those of one line do not know each other, but for the foundations.
FLOW = (
    ("types", "errors", "registry", "config", "machine", "parallel", "template"),
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
    ("tuning",),
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


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "reproduction", "training"])
def test_programs_beside_the_package_import_what_it_has(folder):
    """Most of them run for minutes or need a GPU: a name that was changed would be noticed late."""
    missing = []
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or (node.module or "").partition(".")[0] != "wordalign":
                continue
            try:
                module = importlib.import_module(str(node.module))
            except ModuleNotFoundError as error:
                if (error.name or "").startswith("wordalign"):
                    missing.append(f"{path}:{node.lineno} {node.module}")
                continue  # an optional library is not installed
            names = {alias.name for alias in node.names if not hasattr(module, alias.name)}
            rooms = {name for name in names if importlib.util.find_spec(f"{node.module}.{name}")}
            missing += [f"{path}:{node.lineno} {node.module}.{name}" for name in names - rooms]
    assert not missing, "\n".join(missing)
