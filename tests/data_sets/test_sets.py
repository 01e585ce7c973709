"""The registry itself: complete, honest, and the same as the page about it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from data_sets.publish import LAYOUTS
from wordalign.data import known_sets, lookup
from wordalign.data.convert import READERS
from wordalign.errors import UnknownNameError

ROOT = Path(__file__).parents[2]


def test_the_papers_test_sets_are_there():
    tests = [name for name, known in known_sets().items() if known.use == "test"]
    assert tests == ["eng-ces", "eng-deu", "eng-fas", "eng-fra", "eng-hin", "eng-ron"]


@pytest.mark.parametrize("name", known_sets())
def test_an_entry_is_complete(name):
    known = lookup(name)
    assert all([known.title, known.origin, known.licence, known.citation])
    assert known.use in ("test", "dev")
    assert all(re.fullmatch("[a-z]{3}", language) for language in known.languages)
    assert bool(known.urls) != bool(known.request), "either it is downloaded, or it says how to ask for it"
    assert re.match(r"https?://\S+$", known.origin)
    assert all(re.match(r"https://\S+$", url) for url in known.urls)  # others are refused
    assert len(known.sha256) in (0, len(known.urls))
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in known.sha256)
    assert known.sentences
    assert known.layout in READERS
    assert known.encoding in ("utf-8", "latin-1")
    assert known.verified == bool(known.sha256)


def test_every_layout_is_used_and_tested():
    assert {known.layout for known in known_sets().values()} == set(READERS) == set(LAYOUTS)


def test_the_page_names_every_set_with_its_licence():
    page = (ROOT / "docs/data.md").read_text("utf-8")
    for name, known in known_sets().items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert known.licence in row
        assert f"{known.sentences[0]:,}" in row
        assert known.origin in page


def test_a_wrong_name_gets_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'eng-deu'"):
        lookup("eng-due")
