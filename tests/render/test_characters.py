from __future__ import annotations

import doctest
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.render import characters as module
from wordalign.render.characters import (
    columns,
    drawable,
    ems,
    face,
    is_right_to_left,
    shortened,
)

anything = st.text(st.characters(codec=None, exclude_categories=()))


@given(anything)
def test_what_is_drawn_is_legal_xml_and_harmless_on_a_terminal(text):
    for character in drawable(text):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert character not in "\ufffe\uffff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@given(anything)
def test_one_character_stands_for_one_and_twice_changes_nothing(text):
    assert len(drawable(text)) == len(text)
    assert drawable(drawable(text)) == drawable(text)


@pytest.mark.parametrize(
    ("word", "wide"),
    [("abc", 3), ("東京", 4), ("e\u0301", 1), ("ｱ", 1), ("Ａ", 2), ("می\u200cروم", 5), ("", 0)],
)
def test_columns_of_a_terminal(word, wide):
    assert columns(word) == wide


def test_widths_grow_with_the_letters():
    assert ems("i") < ems("n") < ems("m") < ems("東") + 0.1
    assert ems("नमस्ते") < ems("नमसते") + 0.01, "combining marks take no room"


@pytest.mark.parametrize(
    ("sentence", "backwards"),
    [("Hello سلام", False), ("« سلام » Hello", True), ("שלום", True), ("123 . !", False), ("", False),
     ("५ नमस्ते", False)],
)  # fmt: skip
def test_the_first_letter_with_a_direction_tells(sentence, backwards):
    assert is_right_to_left(sentence.split()) is backwards


@given(st.text(min_size=1), st.floats(3, 20))
def test_a_shortened_word_fits_and_keeps_its_letters_whole(word, limit):
    short = shortened(word, limit)
    assert ems(short) <= max(limit, ems(word) if ems(word) <= limit else limit) + 1e-6
    if short != word:
        head, tail = short.split("…")[0], short.split("…")[-1]
        assert word.startswith(head)
        assert word.endswith(tail)


def test_a_combining_mark_is_never_cut_off():
    assert "\u0301" not in shortened("e\u0301" * 40, 8.0).replace("e\u0301", "")


def test_faces_by_script():
    assert face("“नमस्ते") == "Noto Sans Devanagari"
    assert face("دوشنبه") == "Noto Sans Arabic"
    assert face("،") == "Noto Sans Arabic"
    assert face("Haus") is None
    assert face("...") is None


def test_the_docstring():
    assert doctest.testmod(module).failed == 0
