"""What a pair's words tell of its situation."""

from __future__ import annotations

import pytest

from wordalign.text.situations import situation_of

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
