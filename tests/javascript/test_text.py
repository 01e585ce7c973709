"""The JavaScript package splits text into words, and words into subwords, as the Python package does."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path

import pytest

from javascript.node import Answers, corpus_pairs, shipped_pairs
from wordalign.encoders import load_encoder
from wordalign.encoders.onnx import OnnxEncoder
from wordalign.text import is_punctuation, split_words

# Pieces of text that the rules speak of, and characters that nobody sees.
PARTS = (Path(__file__).parent / "parts.txt").read_text("utf-8").split("\n")[:-1]
PARTS += [
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\u200b",
    "\u200d",
    "\u200c",
    "\xad",
    "\u202e",
    "\ufeff",
    "\t",
    "\n",
    "\r\n",
    "\x85",
    "\u3000",
    "\xa0",
    "\u2028",
    "\x1c",
    " ",
]
SCRIPTS = [
    (0xE01, 0xE5C),
    (0xE81, 0xEE0),
    (0x1000, 0x10A0),
    (0x1780, 0x17F0),
    (0xF00, 0xFC0),
    (0x20, 0x180),
    (0x5D0, 0x700),
]


@pytest.fixture(scope="module")
def tiny() -> OnnxEncoder:
    return load_encoder("tiny")


def known_characters() -> list[str]:
    """All that this Python's Unicode knows; the browser's may know more, and others."""
    unknown = {"Cn", "Co", "Cs"}
    return [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in unknown]


def character_lines() -> list[str]:
    """Every character alone, among letters, and before an apostrophe; of ideographs every 50th."""
    characters = [
        c for c in known_characters() if c < "\u3400" or unicodedata.category(c) != "Lo" or ord(c) % 50 == 0
    ]
    parts = [characters[start : start + 40] for start in range(0, len(characters), 40)]
    return [" ".join(f"{c} a{c}b 1{c}2 {c}'s" for c in part) for part in parts]


def made_texts() -> list[str]:
    """Texts of pieces that the rules speak of, in any order, and of letters without sense."""
    chance = random.Random(15)
    known = set(known_characters())
    texts = []
    for _ in range(3000):
        if chance.random() < 0.6:
            text = "".join(
                chance.choice(PARTS) + chance.choice(("", "", " ")) for _ in range(chance.randint(1, 9))
            )
        else:
            first, last = chance.choice(SCRIPTS)
            text = "".join(chr(chance.randrange(first, last)) for _ in range(chance.randint(1, 25)))
        texts.append("".join(letter for letter in text if letter in known))
    return texts


def compare(answers: Answers, tiny: OnnxEncoder, texts: list[str]) -> None:
    wanted = [list(split_words(text).words) for text in texts]
    words = sorted({word for some in wanted for word in some} | {text for text in texts if len(text) < 200})
    found = answers(texts=texts, words=words)
    for text, some, others in zip(texts, wanted, found["texts"], strict=True):
        assert others == some, text
    subwords = tiny._subwords([words])
    ends = subwords.counts.cumsum().tolist()
    for word, end, count, ids in zip(words, ends, subwords.counts.tolist(), found["ids"], strict=True):
        assert ids == subwords.ids[end - count : end].tolist(), repr(word)
    assert found["punctuation"] == [is_punctuation(word) for word in words]


def test_every_character(answers, tiny):
    compare(answers, tiny, character_lines())


def test_texts_that_try_the_rules(answers, tiny):
    compare(answers, tiny, made_texts())


def test_sentences_of_many_languages(answers, tiny):
    pairs = shipped_pairs()
    assert len({language for language, *_ in pairs}) >= 30
    compare(answers, tiny, [text for _, *sides in pairs for text in sides])


def test_sentences_of_a_corpus(answers, tiny):
    compare(answers, tiny, [text for _, *sides in corpus_pairs(2000) for text in sides])
