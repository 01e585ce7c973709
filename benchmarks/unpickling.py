"""Every place in the source that could unpickle something.

A pickle is a program: whoever opens a stranger's model that way runs the stranger's code. So nothing here
imports a module that unpickles, nor calls a function that does so unless told not to.

>>> [place.what for place in unpickling("import pickle\\nimport numpy as np\\nnp.load(f, allow_pickle=True)")]
['import pickle', 'np.load(allow_pickle=…)']
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MODULES = frozenset({"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"})
CALLS = frozenset({"torch.load", "yaml.load", "yaml.unsafe_load", "pandas.read_pickle", "pd.read_pickle"})
NUMPY = frozenset({"np.load", "numpy.load", "np.lib.format.read_array"})

# Where a pickle only passes between processes of one run, through pipes that nobody else can open.
OWN_PROCESSES = frozenset({"parallel.py"})


class Place(NamedTuple):
    line: int
    what: str


def unpickling(source: str) -> list[Place]:
    return sorted(_places(ast.parse(source)))


def unpickling_in(package: Path) -> dict[str, list[str]]:
    """By file, those of its own processes left out."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package).as_posix()
        places = unpickling(file.read_text("utf-8"))
        if places and name not in OWN_PROCESSES:
            found[name] = [f"line {place.line}: {place.what}" for place in places]
    return found


def _places(tree: ast.AST) -> Iterator[Place]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            if name in CALLS:
                yield Place(node.lineno, name)
            allowed = given.get("allow_pickle")
            if name in NUMPY and allowed is not None and not _is_false(allowed):
                yield Place(node.lineno, f"{name}(allow_pickle=…)")
            continue
        else:
            continue
        for name in names:
            if name.partition(".")[0] in MODULES:
                yield Place(node.lineno, f"import {name}")


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False
