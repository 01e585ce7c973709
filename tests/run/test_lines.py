"""The short way from text to lines, against the long one; here the device is the CPU."""

from __future__ import annotations

import codecs
from typing import Any

import pytest

from device_models import load, load_failing
from wordalign import AlignConfig, Aligner
from wordalign.errors import DeviceMemoryError
from wordalign.io.records import Parser, Record
from wordalign.run.chunks import ChunkAligner, RunConfig

CONFIG = AlignConfig("tiny")
LINES = [
    "The old bridge is closed.\tDie alte Brücke ist gesperrt.",
    "Peter's car isn't here, it's 3.5% off.\tPeters Auto ist nicht da.\tmore",
    "the old bridge over the river is closed\tthe bridge over the river is now closed",
    "The bridge is closed.\tその橋は閉鎖されている。",
    "",
    " \u3000\t",
    "a\t",
    "\tb  b",
    "long " * 40 + "\t" + "lang " * 300,
]
TSV = Parser(("pairs.tsv",), "tsv", raw=True, places=False)


def records(*lines: bytes, first: int = 1) -> list[Record]:
    return [Record(number, (line,)) for number, line in enumerate(lines, start=first)]


def chunk_aligner(parser: Parser = TSV, options: dict[str, Any] | None = None, **run: Any) -> ChunkAligner:
    return ChunkAligner(RunConfig(parser, **run), Aligner(load(CONFIG), **(options or {})))


def long_way(aligner: ChunkAligner, chunk: list[Record]) -> Any:
    return aligner.format(aligner.link(aligner.parse(chunk)))


@pytest.mark.parametrize(
    "options",
    [{}, {"method": ["calibrated", "itermax"], "threshold": 0.5}, {"method": "argmax", "level": "subword"}],
)
def test_lines_are_those_of_the_long_way(options: dict[str, Any]) -> None:
    aligner = chunk_aligner(options=options)
    chunk = records(codecs.BOM_UTF8 + LINES[0].encode(), *(line.encode() for line in LINES[1:]))
    assert aligner._short_way is not None
    lines = aligner._short_way(chunk)
    assert lines == long_way(aligner, chunk).lines
    assert lines is not None
    assert lines[0] != ""
    assert aligner(chunk).lines == lines
    assert list(aligner._short_way([]) or ()) == []


def test_two_files() -> None:
    aligner = chunk_aligner(Parser(("a", "b"), None, raw=True, places=False))
    chunk = [
        Record(number, tuple(side.encode() for side in (line.split("\t") * 2)[:2]))
        for number, line in enumerate(LINES, start=1)
    ]
    assert aligner._short_way is not None
    assert aligner._short_way(chunk) == long_way(aligner, chunk).lines


@pytest.mark.parametrize("bad", [b"no tab", b"a\t\xff", b"a\tb\t\xff", b"\xe3\x80\x80"])
def test_a_chunk_with_a_bad_line_goes_the_long_way(bad: bytes) -> None:
    aligner = chunk_aligner(on_error="skip")
    chunk = records(LINES[0].encode(), bad, LINES[1].encode())
    assert aligner._short_way is not None
    assert aligner._short_way(chunk) is None
    assert aligner(chunk) == long_way(aligner, chunk)
    assert aligner(records(LINES[0].encode())).lines == aligner(chunk).lines[:1]


def test_a_failure_of_the_device_is_told_by_the_long_way() -> None:
    aligner = ChunkAligner(RunConfig(TSV), Aligner(load_failing(CONFIG)))
    with pytest.raises(DeviceMemoryError, match="too small"):
        aligner(records(LINES[0].encode()))


@pytest.mark.parametrize("options", [{"format": "jsonl"}, {"scores": True}, {"min_score": 0.1}])
def test_lines_with_more_than_links_need_the_long_way(options: dict[str, Any]) -> None:
    assert chunk_aligner(**options)._short_way is None


def test_words_that_are_given_need_the_long_way() -> None:
    assert chunk_aligner(Parser(("pairs.tsv",), "tsv"))._short_way is None
