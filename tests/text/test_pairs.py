"""What callers may give as a pair."""

from __future__ import annotations

import pytest

from wordalign.errors import UsageError
from wordalign.text.pairs import as_pair, as_sentence
from wordalign.types import Pair, Sentence


def test_text_words_and_sentences_become_pairs():
    words = Sentence(("the", "house"))
    made = as_pair(("das Haus", ["the", "house"]))
    assert made == Pair(Sentence(("das", "Haus"), "das Haus", ((0, 3), (4, 8))), words)
    assert as_pair(made) is made
    assert as_sentence(words) is words
    assert as_sentence(()) == Sentence(())


def test_the_segmenter_splits_text_only():
    assert as_sentence("東京都", lambda text: [text[:2], text[2:]]).words == ("東京", "都")
    assert as_sentence(["東京都"], list).words == ("東京都",)


@pytest.mark.parametrize("wrong", ["ab", ("a", "b", "c"), ("a",)])
def test_what_is_no_pair_is_named(wrong):
    with pytest.raises(UsageError, match="A pair is two sentences"):
        as_pair(wrong)


def test_words_are_strings():
    with pytest.raises(UsageError, match=r"A sentence is a text or a list of words, not \[1, 2\]"):
        as_sentence([1, 2])
