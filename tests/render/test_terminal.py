from __future__ import annotations

import re

from drawn_pairs import pictures
from hypothesis import given
from hypothesis import strategies as st

from wordalign.render import grid_text, rows_text
from wordalign.render.characters import columns, drawable
from wordalign.types import Alignment, Sentence

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_two_rows(museum):
    assert rows_text(museum, 80).splitlines() == [
        "The  museum  is  closed  on  Mondays  .",
        " 0     1     2     3     ·      5     6",
        "",
        " 0     1      2      5          3       6",
        "Das  Museum  ist  montags  geschlossen  .",
    ]


def test_comparison_and_gold_in_words_and_signs(museum, other, gold):
    lines = rows_text(museum, 80, second=other, gold=gold, labels=("one", "two")).splitlines()
    assert lines[3].split() == ["0", "1", "2", "4²?,5¹?", "(2),3", "6"]
    assert lines[-1] == "n¹ one only   n² two only   n? possible   n× wrong   (n) missing"
    wrong = Alignment(((0, 5),), (1.0,), museum.source, museum.target)
    assert "0×" in rows_text(wrong, 80, gold=gold)


def test_a_right_to_left_sentence_ends_at_the_left_whatever_the_terminal_does():
    persian = Sentence.from_words(["موزه", "بسته", "است"])
    english = Sentence.from_words(["The", "museum", "is", "closed", "today"])
    lines = rows_text(Alignment(((1, 0), (3, 1)), (1, 1), english, persian), 80).splitlines()
    assert lines[3].split() == ["·", "3", "1"]
    assert re.findall(r"\u2067(\w+)\u2069", lines[4]) == ["است", "بسته", "موزه"]
    assert columns(lines[4]) == columns(lines[0])


@given(pictures(), st.integers(20, 120), st.booleans())
def test_rows_fit_and_colours_change_nothing_else(picture, width, colour):
    alignment, second, gold = picture
    text = rows_text(alignment, width, colour, second=second, gold=gold)
    plain = ESCAPE.sub("", text)
    assert plain == rows_text(alignment, width, False, second=second, gold=gold)
    assert "\x1b" not in plain
    key = "n¹ " in plain or "n× " in plain
    bare = plain.splitlines()[: -2 if key else None]
    widest = max(
        (columns(word) for word in map(drawable, (*alignment.source.words, *alignment.target.words))),
        default=0,
    )
    numbers = 12 * 30  # a word may be linked to all others
    assert all(columns(line) <= max(width, widest, numbers) for line in bare)
    for word in (*alignment.source.words, *alignment.target.words):
        assert drawable(word).strip() in plain


def test_a_blank_word_is_seen():
    text = rows_text(Alignment((), (), Sentence(("a", " ")), Sentence(("b",))), 80, colour=True)
    assert ESCAPE.sub("", text).splitlines()[0] == "a  ∅"


def test_long_pairs_wrap_at_the_width():
    words = Sentence.from_words(["東京", "ab"] * 40)
    links = tuple((number, number) for number in range(80))
    lines = rows_text(Alignment(links, (1.0,) * 80, words, words), 60).splitlines()
    assert max(map(columns, lines)) <= 60
    assert sum(line.count("東京") for line in lines) == 80


def test_a_grid(museum, other, gold):
    assert grid_text(["The", "museum"], ["Das", "Museum"], first=[(0, 0), (1, 1)]).splitlines() == [
        "        ┌ Das",
        "        │ ┌ Museum",
        "   The  ● ·",
        "museum  · ●",
    ]
    text = grid_text(
        museum.source.words, museum.target.words, first=museum.links, second=other.links, gold=gold
    )
    rows = {line.split()[0]: line for line in text.splitlines()[6:13]}
    assert "(○)" in rows["Mondays"]
    assert "(□)" in rows["on"]
    assert rows["is"].count("[●]") == 1
    assert rows["is"].count("[ ]") == 1


@given(pictures(), st.integers(30, 120))
def test_grids_have_a_row_for_each_word_and_as_many_signs_as_links(picture, width):
    alignment, second, gold = picture
    text = grid_text(alignment.source.words, alignment.target.words, first=alignment.links, gold=gold,
                     second=None if second is None else second.links, width=width, colour=True)  # fmt: skip
    plain = ESCAPE.sub("", text)
    assert "\x1b" not in plain
    every = {*alignment.links, *(second.links if second else ())}
    given_signs = sum(
        sign in word for word in (*alignment.source.words, *alignment.target.words) for sign in "●○□"
    )
    legend = 3 if second is not None else 0
    if not given_signs:
        assert sum(plain.count(sign) for sign in "●○□") == len(every) + legend


def test_columns_that_do_not_fit_follow_below():
    names = [f"w{number}" for number in range(60)]
    text = grid_text(["a"], names, first=[(0, 59)], width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert text.count("●") == 1
    assert all(f"┌ {name}\n" in text for name in names)
