"""Normalisation and tokenisation styles."""

from __future__ import annotations

import pytest

pytest.importorskip("regex", reason="the training requirements are not installed: regex")

from training.normalise import normalise
from training.tokenise import draw_style, tokenise

from wordalign.text import is_punctuation


@pytest.mark.parametrize(
    ("word", "normal"),
    [
        ("Café’s", "cafe's"),
        ("cafe\u0301", "cafe"),
        ("Йод", "йод"),
        ("ΆΛΦΑ", "αλφα"),
        ("İstanbul", "istanbul"),
        ("țară", "tara"),
        ("كتابٌ", "کتاب"),
        ("آن", "ان"),
        ("می\u200cشود", "میشود"),
        ("۱۲٣", "123"),
        ("ज़रूर", "जरूर"),
        ("हूँ", "हूं"),
        ("한국", "한국"),
        ("が", "が"),
        ("Thị", "thị"),
        ("km²", "km2"),
    ],
)
def test_normalise(word: str, normal: str) -> None:
    assert normalise(word) == normal


def test_normalise_twice_changes_nothing() -> None:
    for word in ("Ångström", "ÉCOLE", "ﷺ", "ﬁn", "كتابٌ", "Straße"):
        assert normalise(normalise(word)) == normalise(word)


def test_punctuation() -> None:
    assert is_punctuation("...")
    assert is_punctuation("«")
    assert not is_punctuation("3.5")
    assert not is_punctuation("'s")


@pytest.mark.parametrize(
    ("style", "language", "text", "words"),
    [
        ("spaces", "eng", "I don't (e-mail, 1.5!)", "I don't ( e-mail , 1.5 ! )"),
        ("clitics", "eng", "I don't (e-mail, 1.5!)", "I do n't ( e - mail , 1.5 ! )"),
        ("clitics", "fra", "L'été qu'il aime.", "L' été qu' il aime ."),
        ("unicode", "eng", "I don't (e-mail)", "I do n't ( e - mail )"),
        ("unicode", "zho", "我爱你。", "我 爱 你 。"),
        ("spaces", "eng", "Wait... what?!", "Wait ... what ? !"),
    ],
)
def test_styles(style: str, language: str, text: str, words: str) -> None:
    assert tokenise(text, language, style) == words.split()


def test_style_is_drawn_by_text_and_seed() -> None:
    shares = {"unicode": 0.5, "spaces": 0.25, "clitics": 0.25}
    drawn = [draw_style(f"text {number}", "eng", shares, 1) for number in range(2000)]
    assert drawn == [draw_style(f"text {number}", "eng", shares, 1) for number in range(2000)]
    assert abs(drawn.count("unicode") / 2000 - 0.5) < 0.05
    assert drawn != [draw_style(f"text {number}", "eng", shares, 2) for number in range(2000)]
