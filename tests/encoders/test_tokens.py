"""Subwords of raw text by its tokens, against those of the words of each sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.encoders import subwords as subwords_module
from wordalign.encoders import tokens as tokens_module
from wordalign.encoders.resolve import bundled_tokenizer
from wordalign.encoders.subwords import SubwordTable
from wordalign.encoders.tokens import TokenTable
from wordalign.encoders.unigram import UnigramCutter
from wordalign.text import find_words
from wordalign.text.situations import has_letters, has_unspaced

OF_WORDS = SubwordTable(UnigramCutter(bundled_tokenizer()), group=len)
TOKENS = TokenTable(OF_WORDS, lambda text: find_words(text).words)
TEXTS = st.lists(
    st.sampled_from(
        [
            "The",
            "the",
            "old",
            "houses.",
            "3.5",
            "foto's",
            "het",
            "l'",
            "homme",
            "<b>",
            "東京",
            "\u200b",
            "\xad",
            "x́",
            "(a.txt)",
        ]
    ),
    max_size=6,
).map(" ".join) | st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=12)


def check(table: TokenTable, texts: list[str], order: list[int]) -> None:
    found = table([text.encode() for text in texts])
    words = [find_words(text).words for text in texts]
    wanted = OF_WORDS(words)
    assert found.lengths.tolist() == wanted.lengths.tolist()
    there, here = found.take(np.array(order, dtype=np.int64)), wanted.take(np.array(order, dtype=np.int64))
    for name in ("ids", "counts", "starts", "words", "groups"):
        assert getattr(there, name).tolist() == getattr(here, name).tolist()
    spelled = found.spellings()
    assert spelled.starts.tolist() == np.cumsum([0, *map(len, words)]).tolist()
    assert spelled.unspaced.tolist() == list(map(has_unspaced, words))
    lower = [word.lower() for sentence in words for word in sentence]
    assert [number > 0 for number in spelled.numbers.tolist()] == list(map(has_letters, lower))
    of_words = {
        (word, number) for word, number in zip(lower, spelled.numbers.tolist(), strict=True) if number
    }
    assert len(of_words) == len({word for word, _ in of_words}) == len({number for _, number in of_words})


@given(st.lists(TEXTS, max_size=5), st.data())
def test_subwords_are_those_of_the_words(texts: list[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    check(TOKENS, texts, order)
    check(TOKENS, texts, order)  # from what is remembered


@pytest.mark.parametrize("bound", ["REMEMBERED_WORDS", "REMEMBERED_LETTERS"])
def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setattr(tokens_module, bound, 10)
    table = TokenTable(OF_WORDS, lambda text: find_words(text).words)
    for number in range(20):
        check(table, [f"number{number} has foto's", f"{number} more"], [1, 0])
        assert len(table._number_of) <= 10 + 6


def test_after_a_failure_all_is_well() -> None:
    table = TokenTable(OF_WORDS, lambda text: find_words(text).words)
    with pytest.raises(UnicodeDecodeError):
        table([b"a house", b"\xff"])
    check(table, ["a house", "an old house"], [0, 1])
    assert subwords_module.REMEMBERED_WORDS == tokens_module.REMEMBERED_WORDS
