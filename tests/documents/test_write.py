"""What groups become in files, read back by others' readers."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from wordalign.documents import write
from wordalign.documents.types import SentenceGroup, Text
from wordalign.types import Alignment, Sentence

SOURCE = Text("A <b>.\tC\nd. E.", ((0, 6), (7, 11), (12, 14)), (0, 0, 0), "en", "a")
TARGET = Text("X & y. Z.\x0b", ((0, 6), (7, 9)), (0, 0), "de", "b")


@pytest.fixture
def groups():
    first = Alignment(
        ((0, 0),), (0.75,), Sentence(("A",), SOURCE.text, ((0, 1),)), Sentence(("X",), TARGET.text, ((0, 1),))
    )
    empty = Sentence((), TARGET.text, ())
    alone = Alignment((), (), Sentence(("E",), SOURCE.text, ((12, 13),)), empty)
    return [SentenceGroup((0, 2), (0, 1), first, 0.5), SentenceGroup((2, 3), (1, 1), alone, 0.0)]


def test_jsonl_holds_places_and_links(groups):
    first, second = map(json.loads, write.jsonl(SOURCE, TARGET, "signed").lines(groups))
    assert first["source"] == {"sentences": [0, 1], "start": 0, "end": 11, "text": "A <b>.\tC\nd."}
    assert first["links"] == [[0, 1, 0, 1, 0.75]]
    assert (first["score"], first["signature"]) == (0.5, "signed")
    assert second["target"] == {"sentences": [], "start": 7, "end": 7, "text": ""}


def test_tsv_and_offsets_are_one_line_each(groups):
    assert list(write.tsv(SOURCE, TARGET).lines(groups)) == ["A <b>. C d.\tX & y.\t0.5000"]
    assert list(write.offsets(SOURCE, TARGET).lines(groups)) == ["0\t1\t0\t1\t0.7500"]


def test_tmx_is_xml_that_tools_read(groups):
    tree = ElementTree.fromstring("\n".join(write.tmx(SOURCE, TARGET).lines(groups)))
    assert tree.find("header").get("srclang") == "en"
    (unit,) = tree.iter("tu")
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    assert [(v.get(language), v.findtext("seg")) for v in unit.iter("tuv")] == [
        ("en", "A <b>. C d."),
        ("de", "X & y."),
    ]
