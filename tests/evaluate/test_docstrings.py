"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "evaluate.counts", "evaluate.significance", "evaluate.slices", "io.gold", "io.link_lines",
        "io.records", "types",
    ],
)  # fmt: skip
def test_examples(name):
    failures, examples = doctest.testmod(importlib.import_module(f"wordalign.{name}"))
    assert examples
    assert not failures
