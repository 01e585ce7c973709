"""Python's patterns for JavaScript: what is written, and what is refused; `test_text.py` uses them."""

from __future__ import annotations

import sys

import pytest
import regex

from javascript.node import ROOT

sys.path.insert(0, str(ROOT / "js"))

from to_javascript import javascript


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"a.b", r"a[^\n]b"),
        (r"[\w'’]", r"[\p{L}\p{N}_\u{27}\u{2019}]"),
        (r"[\W\d]", r"(?:[\p{Nd}]|[^\p{L}\p{N}_])"),
        (r"(?i:is)", r"(?:[Ii\u{130}\u{131}][Ss\u{17f}])"),
        (r"x++(?<!yz)\Z", r"(?=(?<p1>(?:x)+))\k<p1>(?<!yz)(?![^])"),
        (r"(?P<names>a{2,5}?)", r"(?<found>(?:a){2,5}?)"),
    ],
)
def test_what_is_written(pattern, written):
    assert javascript(pattern) == written


def test_properties_and_boundaries_are_those_of_regex():
    assert javascript(r"\p{Script=Latin}+", regex) == r"(?:[\p{Script=Latin}])+"
    assert javascript(r"\bI", regex).count(r"\p{Alphabetic}") == 4


@pytest.mark.parametrize("pattern", [r"(a)\1", r"(?s:a)", r"(?i:[^a])", r"\bI", r"[^\W]"])
def test_what_cannot_be_written_is_refused(pattern):
    with pytest.raises(ValueError, match="JavaScript"):
        javascript(pattern)
