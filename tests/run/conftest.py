from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

import pytest

from wordalign.config import AlignConfig
from wordalign.io.records import Parser, Record
from wordalign.run import RunConfig


@pytest.fixture(scope="session")
def pair_records(sentence_pairs) -> list[Record]:
    """The fifty pairs, three times over, as lines of `source ||| target`."""
    lines = [f"{' '.join(left)} ||| {' '.join(right)}".encode() for left, right in sentence_pairs]
    return [Record(number, (line,)) for number, line in enumerate(lines * 3, start=1)]


@pytest.fixture
def make_config() -> Callable[..., RunConfig]:
    """The configuration of a run with the small bundled model for lines of `source ||| target`."""

    def make(**options: object) -> RunConfig:
        names = {field.name for field in fields(AlignConfig)}
        align = {name: options.pop(name) for name in names & options.keys()}
        return RunConfig(Parser(("pairs.txt",), "bars"), AlignConfig(**{"model": "tiny", **align}), **options)

    return make


@pytest.fixture
def with_bad_lines(pair_records) -> Callable[[Sequence[int]], list[Record]]:
    """The records with lines that are no pairs at the given numbers."""

    def change(numbers: Sequence[int]) -> list[Record]:
        bad = {numbers[at]: line for at, line in enumerate((b"no bars", b"\xff ||| x", b"a ||| b ||| c"))}
        return [
            Record(record.number, (bad[record.number],)) if record.number in bad else record
            for record in pair_records
        ]

    return change
