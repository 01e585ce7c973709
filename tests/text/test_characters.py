from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from wordalign.text.characters import without_controls

DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def by_definition(word: str) -> list[str]:
    """The characters that stay, without spaces."""
    return [
        character
        for character in word
        if unicodedata.category(character) != "Cc" and character not in DIRECTIONS and character != " "
    ]


@given(st.text(st.one_of(st.characters(), st.characters(max_codepoint=0xA0), st.sampled_from(DIRECTIONS))))
def test_what_is_no_text_goes(word: str) -> None:
    assert [character for character in without_controls(word) if character != " "] == by_definition(word)


@given(st.text().filter(str.isprintable))
def test_words_stay_as_they_are(word: str) -> None:
    assert without_controls(word) == word


def test_joiners_are_spelling() -> None:
    assert without_controls("می\u200cخواهم\x07") == "می\u200cخواهم"


def test_line_breaks_part_words() -> None:
    assert without_controls("one\u2028two") == "one\u2028two"
    assert without_controls("\tone\r\ntwo\x85") == "one two"
