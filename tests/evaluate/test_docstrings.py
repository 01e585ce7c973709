"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "evaluate.counts", "evaluate.frequency", "evaluate.pos", "evaluate.significance", "evaluate.slices",
        "evaluate.text", "formats.gold", "formats.notes", "types",
    ],
)  # fmt: skip
def test_examples(name):
    failures, examples = doctest.testmod(importlib.import_module(f"wordalign.{name}"))
    assert examples
    assert not failures
