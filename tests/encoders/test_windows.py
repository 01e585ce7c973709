"""No sentence is ever cut off: windows hold every subword once, in order, each where it sees most."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from tiny_models import KINDS, make_windows, unigram_tokenizer
from wordalign import Aligner
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.encoders.huggingface.windows import window_size
from wordalign.encoders.windows import Window

TinyModel = Callable[[str], Path]
WORDS = [
    "house",
    "Haus",
    "Präsident",
    "the",
    ".",
    "x",
    "日本語",
    "😀",
    "👩‍👩‍👧",
    "ሰላም",
    "",
    "\u200b",
    "\x07",
    "1990",
]
TOKENIZERS = ["bert", "xlmr", "gpt2"]  # word pieces, unigrams, bytes


@pytest.fixture(scope="module")
def tokenizer(tiny_model: TinyModel) -> Callable[[str], Any]:
    loaded = {
        kind: transformers.AutoTokenizer.from_pretrained(tiny_model(kind), add_prefix_space=True)
        for kind in TOKENIZERS
    }
    return loaded.__getitem__


@pytest.fixture(scope="module")
def encoder(tiny_model: TinyModel) -> Callable[[str], HuggingFaceEncoder]:
    return cache(lambda kind: HuggingFaceEncoder(str(tiny_model(kind)), device="cpu", layer=2))


def whole(tokenizer: Any, sentence: Sequence[str]) -> tuple[list[int], list[int]]:
    """Ids and words of all subwords, as the tokenizer gives them when nothing limits it."""
    encoded = tokenizer([list(sentence)], is_split_into_words=True, add_special_tokens=False, verbose=False)
    return encoded["input_ids"][0], encoded.word_ids(0)


def kept(windows: Sequence[Window]) -> tuple[list[int], list[int]]:
    return (
        [window.ids[row] for window in windows for row in window.rows],
        [int(word) for window in windows for word in window.words],
    )


@pytest.mark.parametrize("kind", TOKENIZERS)
@settings(max_examples=60)
@given(
    sentences=st.lists(st.lists(st.sampled_from(WORDS), max_size=200), min_size=1, max_size=4),
    size=st.integers(8, 128),
)
def test_every_subword_is_kept_once_and_in_order(
    tokenizer: Callable[[str], Any], kind: str, sentences: list[list[str]], size: int
) -> None:
    windows = make_windows(tokenizer(kind), sentences, size)
    assert max(len(window.ids) for window in windows) <= size
    for number, sentence in enumerate(sentences):
        mine = [window for window in windows if window.sentence == number]
        assert mine
        assert kept(mine) == whole(tokenizer(kind), sentence)


@pytest.mark.parametrize("kind", TOKENIZERS)
@pytest.mark.parametrize("length", [1, 2, 100, 1000, 1500])
@pytest.mark.parametrize("size", [8, 128])
def test_long_sentences_lose_nothing(
    tokenizer: Callable[[str], Any], kind: str, length: int, size: int
) -> None:
    sentence = (WORDS * 150)[:length]
    assert kept(make_windows(tokenizer(kind), [sentence], size)) == whole(tokenizer(kind), sentence)


@given(length=st.integers(30, 400), size=st.integers(8, 64))
@settings(max_examples=60)
def test_each_subword_comes_from_the_window_where_it_stands_farthest_from_a_cut(
    tokenizer: Callable[[str], Any], length: int, size: int
) -> None:
    windows = make_windows(tokenizer("bert"), [["x"] * length], size)
    # [CLS] and [SEP] around each window: its row r is the sentence's subword start + r - 1.
    starts, position = [], 0
    for window in windows:
        starts.append(position - int(window.rows[0]) + 1)
        position += len(window.rows)
    ends = [start + len(window.ids) - 2 for start, window in zip(starts, windows, strict=True)]
    assert (starts[0], ends[-1]) == (0, length)

    def distance(number: int, subword: int) -> int:
        left = subword - starts[number] if starts[number] else length
        right = ends[number] - 1 - subword if ends[number] < length else length
        return min(left, right)

    subword = 0
    for number, window in enumerate(windows):
        for _ in window.rows:
            holding = [n for n in range(len(windows)) if starts[n] <= subword < ends[n]]
            assert distance(number, subword) >= max(distance(n, subword) for n in holding) - 1
            subword += 1


def test_a_sentence_that_fits_exactly_is_one_window_and_one_word_more_makes_two(
    tokenizer: Callable[[str], Any],
) -> None:
    one, two = (make_windows(tokenizer("bert"), [["x"] * length], 16) for length in (14, 15))
    assert [len(window.ids) for window in one] == [16]
    assert len(two) == 2
    assert kept(two) == whole(tokenizer("bert"), ["x"] * 15)


@pytest.mark.parametrize("kind", KINDS)
def test_words_without_subwords_keep_their_index_and_get_no_row(
    tiny_model: TinyModel, encoder: Callable[[str], HuggingFaceEncoder], kind: str
) -> None:
    sentence = ["house", "", "\x07", "\u200b", "Haus", "\ufeff", "\u00ad", "😀", "ሰላም", "."]
    (encoding,) = encoder(kind).encode([sentence])
    _, words = whole(
        transformers.AutoTokenizer.from_pretrained(tiny_model(kind), add_prefix_space=True), sentence
    )
    assert encoding.word_of_row.tolist() == words
    assert {0, 4, 7, 8, 9} <= set(words)
    assert len(encoding.vectors) == len(words)
    assert np.isfinite(encoding.vectors).all()
    if kind == "bert":
        assert set(words) == {0, 4, 7, 8, 9}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sentences", [[[]], [[], []], [[""]], [[], ["Haus"], []]])
def test_sentences_without_a_word_have_no_rows_and_the_others_theirs(
    encoder: Callable[[str], HuggingFaceEncoder], kind: str, sentences: list[list[str]]
) -> None:
    encodings = encoder(kind).encode(sentences)
    for encoding, sentence in zip(encodings, sentences, strict=True):
        assert encoding.vectors.shape == (len(encoding.word_of_row), 32)
        assert set(encoding.word_of_row.tolist()) == {number for number, word in enumerate(sentence) if word}


def test_an_empty_sentence_gets_an_empty_alignment(encoder: Callable[[str], HuggingFaceEncoder]) -> None:
    aligner = Aligner(encoder("gpt2"))
    assert [found.links for found in aligner.align_batch([([], []), ([], ["a"]), ([""], [""])])] == [()] * 3


@pytest.mark.parametrize(
    ("kind", "truncation_side"), [*((kind, "right") for kind in KINDS), ("xlmr", "left"), ("qwen2", "left")]
)
def test_sentences_longer_than_the_window_are_encoded_whole(
    tiny_model: TinyModel, tmp_path: Path, kind: str, truncation_side: str
) -> None:
    model = transformers.AutoModel.from_pretrained(tiny_model(kind))
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny_model(kind), add_prefix_space=True)
    # Only the model's positions limit it now.
    tokenizer.model_max_length = 10**30
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    settings_file = tmp_path / "tokenizer_config.json"
    stored = json.loads(settings_file.read_text("utf-8"))
    settings_file.write_text(json.dumps(stored | {"truncation_side": truncation_side}), "utf-8")
    sentence = ["house", "Haus", "the", "."] * 100
    (encoding,) = HuggingFaceEncoder(str(tmp_path), device="cpu").encode([sentence])
    assert encoding.word_of_row.tolist() == whole(tokenizer, sentence)[1]
    assert np.isfinite(encoding.vectors).all()


def test_514_positions_after_a_padding_index_hold_512_tokens() -> None:
    shape = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    tokenizer = unigram_tokenizer(["This is a house ."], 10**9)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=514, pad_token_id=1, **shape
    )
    model = transformers.XLMRobertaModel(config).eval()
    size = window_size(tokenizer, model)
    assert size == 512
    (first, *_) = make_windows(tokenizer, [["house"] * 1000], size)
    assert len(first.ids) == 512
    model(tokenizer.pad({"input_ids": [first.ids]}, return_tensors="pt")["input_ids"])


def test_a_long_sentence_starts_like_its_first_window_alone(
    encoder: Callable[[str], HuggingFaceEncoder],
) -> None:
    start = ["x"] * 126
    alone, longer = encoder("bert").encode([start, start + ["."] * 300])
    assert len(alone.word_of_row) == 126
    np.testing.assert_allclose(longer.vectors[:100], alone.vectors[:100], atol=1e-4)
