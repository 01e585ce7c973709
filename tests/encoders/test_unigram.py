"""The cutter of the bundled models beside the library whose files it reads."""

from __future__ import annotations

import json
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

from wordalign.encoders.resolve import bundled_tokenizer
from wordalign.encoders.subwords import TokenizerCutter, encodable, open_tokenizer
from wordalign.encoders.unigram import TOGETHER, UnigramCutter
from wordalign.errors import ModelError

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def cutter():
    return UnigramCutter(bundled_tokenizer())


@pytest.fixture(scope="module")
def library():
    return TokenizerCutter(open_tokenizer(bundled_tokenizer()))


def words_of_examples() -> list[str]:
    text = " ".join(path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.txt")))
    return sorted(set(text.split()))


def random_words(count: int) -> list[str]:
    """Letters and marks of all scripts, a few of one place at a time, as words have them."""
    chance = random.Random(1)
    words = []
    while len(words) < count:
        first = chance.choice([*range(0x20, 0x3000, 16), *range(0x3000, 0x1F000, 256)])
        letters = "".join(chr(first + chance.randrange(96)) for _ in range(chance.randint(1, 12)))
        words.append(encodable(letters + chance.choice(["", "", "́", "ing", "’s", "１２"])))
    return words


def words_of_few_letters(count: int) -> list[str]:
    chance = random.Random(2)
    alphabets = ["01", "ACGT", "0123456789", "0123456789abcdef", "fF8–0x", "cL)”."]
    words = ["".join(chance.choices(chance.choice(alphabets), k=chance.randint(1, 40))) for _ in range(count)]
    return words + [chr(letter) * length for letter in range(ord("!"), ord("~")) for length in range(1, 40)]


def test_it_cuts_as_the_library_does(cutter, library):
    for words in (
        words_of_examples(),
        random_words(5_000),
        ["0xfff8", "fpLLL", "„ccc”).", "76527052551066635", "f" * 15],
        ["", " ", "a b", "Σίσυφος", "İ", "ﬁn", "¨", "👩‍👩‍👧"],
    ):
        assert cutter.ids(words) == library.ids(words)
        assert cutter.texts(words) == library.texts(words)


def test_of_ways_that_are_equally_likely_it_hardly_ever_takes_another_than_the_library(cutter, library):
    score = dict(json.loads(bundled_tokenizer().read_text("utf-8"))["model"]["vocab"])
    words = words_of_few_letters(5_000)
    pairs = zip(cutter.texts(words), library.texts(words), strict=True)
    others = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
    assert len(others) < len(words) / 1000
    for ours, theirs in others:
        assert sum(map(score.get, ours)) == pytest.approx(sum(map(score.get, theirs)), abs=0.001)


def test_texts_and_numbers_are_of_the_same_subwords(cutter):
    [ids], [texts] = cutter.ids(["Unbelievably"]), cutter.texts(["Unbelievably"])
    assert texts == ["▁un", "beli", "ev", "ably"] == list(map(cutter.text_of, ids))
    assert cutter.texts(["\x01"]) == [["▁", cutter.text_of(cutter.first_byte + 1)]]


def test_a_word_is_cut_alike_whatever_stands_beside_it(cutter):
    """Words are normalised many at a time, with line feeds between them."""
    words = ["Haus", "a\nb", "", "é" * 300, *words_of_examples()[: 3 * TOGETHER]]
    assert cutter.texts(words) == [pieces for word in words for pieces in cutter.texts([word])]
    assert cutter.ids([]) == []


def test_text_that_spells_a_sign_is_text(cutter):
    """The library takes it for padding, an unknown letter, or a byte."""
    assert cutter.texts(["<pad>", "<unk>", "<0x00>"]) == [
        ["▁<", "pad", ">"],
        ["▁<", "unk", ">"],
        ["▁<", "0", "x", "00", ">"],
    ]


def test_no_piece_has_the_mark_inside(cutter):
    """Otherwise words with a space in them, which come in one piece, would be cut across it."""
    vocabulary = json.loads(bundled_tokenizer().read_text("utf-8"))["model"]["vocab"]
    assert not [text for text, _ in vocabulary if "▁" in text[1:]]


def test_another_process_gets_the_same(cutter):
    words = words_of_examples()[:50]
    assert pickle.loads(pickle.dumps(cutter)).ids(words) == cutter.ids(words)


def test_tokenizers_of_other_kinds_are_refused(tmp_path):
    file = tmp_path / "tokenizer.json"
    about = json.loads(bundled_tokenizer().read_text("utf-8"))
    about["model"]["vocab"] = about["model"]["vocab"][:300]
    model, spaces = about["model"], about["pre_tokenizer"]
    changes = (
        {"model": model | {"type": "BPE"}},
        {"model": model | {"byte_fallback": False}},
        {"normalizer": {"type": "StripAccents"}},
        {"pre_tokenizer": None},
        {"pre_tokenizer": spaces | {"prepend_scheme": "never"}},
        {"pre_tokenizer": spaces | {"replacement": "_"}},
        {"added_tokens": [{"id": 2, "content": "[MASK]"}]},
    )
    for change in changes:
        file.write_text(json.dumps(about | change), "utf-8")
        with pytest.raises(ModelError, match="of another kind"):
            UnigramCutter(file)
    file.write_text(json.dumps(about | {"normalizer": None}), "utf-8")
    assert UnigramCutter(file).ids(["É"]) == TokenizerCutter(open_tokenizer(file)).ids(["É"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_it_takes_less_than_half_of_the_librarys_memory():
    code = (
        "import tokenizers\n"
        "from pathlib import Path\n"
        "from wordalign.encoders.resolve import bundled_tokenizer\n"
        "from wordalign.encoders.unigram import UnigramCutter\n"
        "def pages(): return int(Path('/proc/self/statm').read_text().split()[1])\n"
        "before = pages(); kept = {}; print(pages() - before)\n"
    )
    ours, theirs = (
        int(
            subprocess.run(
                [sys.executable, "-c", code.format(opened)], capture_output=True, text=True, check=True
            ).stdout
        )
        for opened in (
            "UnigramCutter(bundled_tokenizer())",
            "tokenizers.Tokenizer.from_file(str(bundled_tokenizer()))",
        )
    )
    assert ours < theirs / 2
