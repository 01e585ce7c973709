from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.text import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't stop: it's 3.14!", ["Don't", "stop", ":", "it's", "3.14", "!"]),
        ("cherry-pick (or not)?", ["cherry", "-", "pick", "(", "or", "not", ")", "?"]),
        ("東京タワーへ。", ["東", "京", "タ", "ワ", "ー", "へ", "。"]),
        ("iPhoneを買う", ["iPhone", "を", "買", "う"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),  # ZWNJ stays inside its word
        ("क्‍ष नमस्ते", ["क्‍ष", "नमस्ते"]),  # and so does ZWJ
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("👩‍👩‍👧 ok", ["👩‍👩‍👧", "ok"]),
        ("a\tb\u2028c\u00a0d", ["a", "b", "c", "d"]),
        ("", []),
        (" \t ", []),
    ],
)
def test_words_by_the_unicode_rules(text, words):
    assert list(split_words(text).words) == words


@given(st.text())
def test_offsets_point_at_the_words_and_only_white_space_lies_between(text):
    sentence = split_words(text)
    assert sentence.text == text
    end = 0
    for word, (start, stop) in zip(sentence.words, sentence.offsets, strict=True):
        assert text[start:stop] == word
        assert start >= end
        assert not text[end:start].strip()
        assert word.strip()
        end = stop
    assert not text[end:].strip()


def test_a_segmenter_splits_only_unspaced_scripts():
    def in_twos(run):
        return [run[start : start + 2] for start in range(0, len(run), 2)]

    sentence = split_words("iPhone 東京大学 is", segmenter=in_twos)
    assert sentence.words == ("iPhone", "東京", "大学", "is")
    assert sentence.offsets == ((0, 6), (7, 9), (9, 11), (12, 14))


def test_a_segmenter_that_fails_is_named():
    with pytest.raises(InputError, match="segmenter failed"):
        split_words("東京", segmenter=lambda run: 1 / 0)


@pytest.mark.parametrize("pieces", [["東"], ["京", "東"], ["東", ""], ["東京", "x"]])
def test_a_segmenter_that_loses_text_is_refused(pieces):
    with pytest.raises(InputError, match="do not spell"):
        split_words("東京", segmenter=lambda run: pieces)
