from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.io import line_writer, parse_pharaoh, read_links
from wordalign.io import links as links_module
from wordalign.io.links import pharaoh_lines
from wordalign.text import split_words
from wordalign.types import Alignment, Sentence

SIGNATURES = {"argmax": "m | method=argmax", "match": "m | method=match"}


@st.composite
def alignments(draw):
    links = sorted(draw(st.sets(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=20)))
    scores = [draw(st.integers(0, 10_000)) / 10_000 for _ in links]
    return Alignment(tuple(links), tuple(scores))


@given(st.lists(alignments(), max_size=5), st.sampled_from([0, 3, 1 << 16]))
def test_many_lines_at_once_are_those_of_each_alignment(found, remembered):
    links = np.array([link for one in found for link in one.links], dtype=np.int64).reshape(-1, 2)
    bounds = np.cumsum([0, *(len(one.links) for one in found)]).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links_module, "_MOST_TEXTS", remembered)
        patch.setattr(links_module, "_LINK_TEXTS", links_module._LinkTexts())
        assert pharaoh_lines(bounds, links[:, 0], links[:, 1]) == [one.pharaoh() for one in found]
        assert len(links_module._LINK_TEXTS) <= remembered


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("link_format", ["pharaoh", "jsonl"])
@given(st.lists(alignments(), max_size=5))
def test_what_is_written_is_read_back(tmp_path, link_format, found):
    to_line = line_writer(link_format, True, SIGNATURES)
    path = tmp_path / "links"
    path.write_text("".join(to_line({"argmax": alignment}) + "\n" for alignment in found))
    assert list(read_links(path)) == found


def test_jsonl_carries_words_text_offsets_and_signature(tmp_path):
    source, target = split_words("Hello, नमस्ते!"), Sentence(("a", "b\tc"))
    alignment = Alignment(((0, 0),), (0.5,), source, target)
    line = line_writer("jsonl", True, SIGNATURES)({"argmax": alignment})
    assert "\n" not in line
    record = json.loads(line)
    assert "methods" not in record
    assert record["source_text"][slice(*record["source_offsets"][2])] == "नमस्ते"
    assert record["signature"] == SIGNATURES["argmax"]
    path = tmp_path / "links.jsonl"
    path.write_text(line)
    assert list(read_links(path)) == [alignment]


def test_several_methods_share_a_line():
    found = {"argmax": Alignment(((0, 0),), (0.9,)), "match": Alignment(((0, 0), (1, 1)), (0.9, 0.4))}
    assert line_writer("pharaoh", False, SIGNATURES)(found) == "0-0\t0-0 1-1"
    assert line_writer("pharaoh", True, SIGNATURES)(found) == "0-0:0.9000\t0-0:0.9000 1-1:0.4000"
    record = json.loads(line_writer("jsonl", False, SIGNATURES)(found))
    assert record["links"] == [[0, 0]]
    expected = {"score": 0.0, "links": [[0, 0], [1, 1]], "signature": SIGNATURES["match"]}
    assert record["methods"]["match"] == expected


def test_tsv_has_the_words_and_the_links_in_one_line():
    alignment = Alignment(((0, 0),), (0.9,), split_words("a\tb"), Sentence(("x",)))
    assert line_writer("tsv", False, SIGNATURES)({"argmax": alignment}) == "a b\tx\t0-0"


WORDS = st.lists(st.text(st.sampled_from("ab\\tnrse \t\n\r\u2028\u00a0"), max_size=4), max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(WORDS, WORDS)
def test_tsv_has_one_line_whatever_the_words_are_and_they_are_read_back(tmp_path, source, target):
    alignment = Alignment((), (), Sentence(tuple(source)), Sentence(tuple(target)))
    line = line_writer("tsv", False, SIGNATURES)({"argmax": alignment})
    assert "\n" not in line
    assert line.count("\t") == 2
    path = tmp_path / "links.tsv"
    path.write_bytes(line.encode() + b"\n")
    assert list(read_links(path)) == [alignment]


def test_plain_words_of_tsv_are_not_escaped():
    alignment = Alignment(((0, 0),), (0.9,), Sentence(("New\u00a0York", "a\\b", "")), Sentence(("x\ny",)))
    line = line_writer("tsv", False, SIGNATURES)({"argmax": alignment})
    assert line == "New\u00a0York a\\\\b \\e\tx\\ny\t0-0"


def test_links_of_jsonl_are_sorted_with_their_scores(tmp_path):
    path = tmp_path / "links.jsonl"
    path.write_text('{"links": [[2, 1], [0, 0]], "scores": [0.25, 0.75]}\n')
    assert list(read_links(path)) == [Alignment(((0, 0), (2, 1)), (0.75, 0.25))]


def test_tsv_is_read_back_by_its_suffix(tmp_path):
    alignment = Alignment(((0, 0), (1, 0)), (0.9, 0.25), Sentence(("a", "b")), Sentence(("x",)))
    path = tmp_path / "links.tsv"
    path.write_text(line_writer("tsv", True, SIGNATURES)({"argmax": alignment}) + "\n")
    assert list(read_links(path)) == [alignment]


def test_no_links_are_an_empty_line():
    assert line_writer("pharaoh", True, SIGNATURES)({"argmax": Alignment((), ())}) == ""
    assert parse_pharaoh("") == Alignment((), ())


@pytest.mark.parametrize(
    "line",
    [
        "0-0 1",
        "a-b",
        "0-0:x",
        "-1-0",
        '{"links": [[1]]}',
        '{"links": [[0, -1]]}',
        '{"links": [[0.5, 1]]}',
        '{"x": 1}',
        "{",
    ],
)
def test_a_line_that_holds_no_links_is_named(tmp_path, line):
    path = tmp_path / "links.txt"
    path.write_text(f"0-0\n{line}\n")
    with pytest.raises(InputError, match=r"links\.txt, line 2"):
        list(read_links(path))
