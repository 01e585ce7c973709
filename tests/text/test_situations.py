"""What a pair's words tell of its situation."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.text.situations import has_letters, has_unspaced, perhaps_unusual, situation_of

ENGLISH = "the old stone bridge over the river is closed"


@pytest.mark.parametrize(
    ("source", "target", "situation"),
    [
        (ENGLISH, "die alte Steinbrücke über den Fluss ist gesperrt", "usual"),
        (ENGLISH, ENGLISH, "alike"),
        (ENGLISH, "the ancient bridge over the stream is now closed", "alike"),
        (ENGLISH.upper(), ENGLISH, "alike"),
        (ENGLISH, "河 上 的 旧 石桥 关闭 了", "unspaced"),
        (ENGLISH, "その 古い 石 橋 は 閉鎖 さ れ て いる", "unspaced"),
        (ENGLISH, "สะพาน หิน เก่า ปิด แล้ว", "unspaced"),
        (ENGLISH, "ស្ពាន ថ្ម ចាស់ ត្រូវ បាន បិទ", "unspaced"),
        (ENGLISH, "အဟောင်း ကျောက် တံတား", "unspaced"),
        (ENGLISH, "오래된 돌다리는 폐쇄되었다", "usual"),  # Korean has spaces
        ("河 上 的 旧 石桥 关闭 了", "河 上 的 石桥 关闭", "alike"),
        ("the sign says 出口 on all doors of this very long corridor", "das Schild sagt 出口", "usual"),
        ("Berlin Tower", "Berlin Tower", "usual"),  # too little to tell a language by
        ("1 , 2 , 3 , 4 , 5", "1 , 2 , 3 , 4 , 5", "usual"),  # numbers are no words
        ("", "", "usual"),
        (ENGLISH, "", "usual"),
    ],
)
def test_situations(source, target, situation):
    assert situation_of(source.split(), target.split()) == situation
    assert situation_of(target.split(), source.split()) == situation


SENTENCES = st.lists(
    st.sampled_from(
        [
            "the",
            "The",
            "old",
            "bridge",
            "is",
            "closed",
            "le",
            "pont",
            "1",
            ",",
            ".",
            "2",
            "東京",
            "ไทย",
            "İ",
            "ß",
            "SS",
        ]
    ),
    max_size=9,
)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6))
def test_pairs_that_are_not_looked_at_are_usual(pairs):
    sentences = list(chain.from_iterable(pairs))
    lower = [word.lower() for words in sentences for word in words]
    numbers = {word: number for number, word in enumerate(dict.fromkeys(lower), start=1)}
    spelled = np.array([numbers[word] if has_letters(word) else 0 for word in lower], dtype=np.int64)
    starts = np.cumsum([0, *map(len, sentences)])
    unspaced = np.array([has_unspaced(words) for words in sentences], dtype=bool)
    looked_at = set(perhaps_unusual(spelled, starts, unspaced).tolist())
    for number, (source, target) in enumerate(pairs):
        situation = situation_of(source, target)
        assert situation == "usual" or number in looked_at
        if situation == "usual" and not has_unspaced([*source, *target]):
            assert number not in looked_at  # it would cost more than all the rest
