"""Where sentences begin and end, in wrapped text and in text with a paragraph a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.documents.sentences import LONGEST, recognised, split_text
from wordalign.errors import UsageError


def sentences(text: str, language: str = "en") -> list[str]:
    found = split_text(text, language)
    return [found.sentence(k) for k in range(len(found))]


def test_abbreviations_quotes_and_headings():
    text = 'Chapter 1\n\nMr. Smith came on Jan. 5. He said "Hello. Nice day." and left.'
    assert sentences(text) == [
        "Chapter 1", "Mr. Smith came on Jan. 5.", 'He said "Hello. Nice day." and left.',
    ]  # fmt: skip
    assert sentences("Er kam z.B. am 3. Mai an. Dann ging er.", "de") == [
        "Er kam z.B. am 3. Mai an.",
        "Dann ging er.",
    ]


def test_a_lonely_quotation_mark_does_not_swallow_the_text():
    text = "This is Europe ' s choice. " + "He said so on many days. " * 20 + "It ' s true."
    assert len(sentences(text)) == 22


def test_text_without_capitals_is_split_too():
    assert sentences("he came by bus. she left. why?") == ["he came by bus.", "she left.", "why?"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "这是第一句。这是第二句！", ["这是第一句。", "这是第二句！"]),
        ("hi", "यह पहला वाक्य है। यह दूसरा है।", ["यह पहला वाक्य है।", "यह दूसरा है।"]),
        ("ar", "هذا هو. ما هذا؟ نعم", ["هذا هو.", "ما هذا؟", "نعم"]),
        ("my", "ဒါက ပထမ။ ဒါက ဒုတိယ။", ["ဒါက ပထမ။", "ဒါက ဒုတိယ။"]),
        ("hy", "Սա տուն է։ Նա եկավ։", ["Սա տուն է։", "Նա եկավ։"]),
    ],
)
def test_full_stops_of_other_scripts(language, text, expected):
    assert sentences(text, language) == expected


WRAPPED = """The house
stood on a hill from which one could see the whole of the valley, the
river and the three bridges that led across it. In the morning there was
fog, and in the evening there was smoke from the chimneys of the town. He
went home."""


def test_line_breaks_of_wrapped_text_are_spaces_but_not_behind_a_heading():
    assert [" ".join(found.split())[:12] for found in sentences(WRAPPED)] == [
        "The house", "stood on a h", "In the morni", "He went home",
    ]  # fmt: skip


def test_a_line_of_text_that_is_not_wrapped_is_a_paragraph():
    verse = "The same was there, long before the other, and nobody knew it"
    lines = [
        "A heading",
        "1 In the beginning was the word",
        f"2 {verse} {verse} {verse}",
        "3 It was long ago",
        "End",
    ]
    found = split_text("\n".join(lines), "en")
    assert [found.sentence(k) for k in range(len(found))] == [line.strip() for line in lines]
    assert found.paragraphs == (0, 1, 2, 3, 4)


@given(st.text(alphabet=st.sampled_from("ab .!?\n\r\t\u3000。«»1😀é"), max_size=300))
def test_sentences_hold_every_visible_character_once_and_in_order(text):
    found = split_text(text, "en")
    assert "".join("".join(found.sentence(k).split()) for k in range(len(found))) == "".join(text.split())
    places = [place for span in found.spans for place in span]
    assert places == sorted(places)
    assert all(found.sentence(k) == found.sentence(k).strip() != "" for k in range(len(found)))


def test_text_without_full_stops_is_cut_into_parts():
    text = "word, " * 2000
    found = split_text(text, "en")
    assert len(found) > 5
    assert max(end - start for start, end in found.spans) <= LONGEST
    assert "".join("x" * LONGEST for _ in range(3)) == "".join(sentences("x" * 3 * LONGEST))


def test_languages_are_recognised_and_checked():
    assert recognised("Das ist ein ganz gewöhnlicher Satz, den man leicht erkennt.") == "de"
    assert recognised("  \n ") == ""
    assert split_text("Bonjour tout le monde, je suis content d'être ici.").language == "fr"
    with pytest.raises(UsageError, match="ISO 639"):
        split_text("a", "not a language")
