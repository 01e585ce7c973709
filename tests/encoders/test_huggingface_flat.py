"""Sentences end to end: the same subwords and the same vectors as one by one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from tiny_models import LAYERS
from wordalign.encoders import subwords
from wordalign.encoders.device.attention import padded_attention
from wordalign.encoders.huggingface import HuggingFaceEncoder
from wordalign.encoders.subwords import Subwords, SubwordTable, TokenizerCutter
from wordalign.encoders.windows import lay_out

TinyModel = Callable[[str], Path]
WORDS = ["house", "Präsident", "the", ".", "x", "日本語", "👩‍👩‍👧", "", "\u200b", "[SEP]", "1990", "a\ud800"]
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=6)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: TinyModel) -> Callable[[str], Any]:
    return cache(lambda kind: transformers.AutoTokenizer.from_pretrained(tiny_model(kind)))


def check(found: Subwords, tokenizer: Any, sentences: list[list[str]]) -> None:
    for number, sentence in enumerate(sentences):
        wanted = tokenizer(
            [word.replace("\ud800", "?") for word in sentence],
            is_split_into_words=True,
            add_special_tokens=False,
        )
        part = slice(*found.starts[number : number + 2])
        assert found.ids[part].tolist() == wanted["input_ids"]
        assert found.word_of_subword[part].tolist() == wanted.word_ids()
    assert len(found.starts) == len(sentences) + 1
    assert found.starts[-1] == len(found.ids)


@pytest.mark.parametrize("kind", ["bert", "xlmr", "gpt2"])
@settings(max_examples=60)
@given(sentences=sentences, data=st.data())
def test_subwords_are_the_tokenizers_in_any_order(
    tokenizer: Callable[[str], Any], kind: str, sentences: list[list[str]], data: st.DataObject
) -> None:
    table = SubwordTable(TokenizerCutter(tokenizer(kind).backend_tokenizer))
    order = data.draw(st.permutations(range(len(sentences))))
    found = table(sentences)
    check(found, tokenizer(kind), sentences)
    check(
        found.take(np.array(order, dtype=np.int64)), tokenizer(kind), [sentences[number] for number in order]
    )


def test_words_are_forgotten_and_found_again(
    tokenizer: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subwords, "REMEMBERED_WORDS", 3)
    table = SubwordTable(TokenizerCutter(tokenizer("bert").backend_tokenizer))
    for start in range(len(WORDS) - 2):
        given = [WORDS[start : start + 3], WORDS[start : start + 2]]
        check(table(given), tokenizer("bert"), given)
        assert len(table._number_of) <= 6


def test_long_words_are_forgotten_sooner(
    tokenizer: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subwords, "REMEMBERED_LETTERS", 1000)
    table = SubwordTable(TokenizerCutter(tokenizer("bert").backend_tokenizer))
    for number in range(20):
        given = [["house" * 40 + str(number), "house"]]
        check(table(given), tokenizer("bert"), given)
        assert sum(map(len, table._number_of)) <= 1000 + 300


def test_threads_share_a_table(tokenizer: Callable[[str], Any]) -> None:
    table = SubwordTable(TokenizerCutter(tokenizer("bert").backend_tokenizer))
    given = [[[f"word{number * step}" for number in range(50)]] for step in range(1, 40)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(table, given))
    for mine, sentences in zip(found, given, strict=True):
        check(mine, tokenizer("bert"), sentences)


SENTENCES = [["This", "is", "a", "house", "."], ["Ja"], [], ["house", "x", "."] * 90, ["We", "read", "books"]]


@pytest.mark.parametrize("layer", [0, 2, LAYERS, "conc"])
@pytest.mark.parametrize("kind", ["bert", "xlmr", "albert"])
@pytest.mark.parametrize("flat", [True, False])
def test_vectors_end_to_end_are_those_of_the_sentences_one_by_one(
    tiny_model: TinyModel, kind: str, layer: Any, flat: bool
) -> None:
    folder = str(tiny_model(kind))
    rows = HuggingFaceEncoder(folder, device="cpu", layer=layer, on_device=True, flat=flat).on_device
    assert rows is not None
    wanted = HuggingFaceEncoder(folder, device="cpu", layer=layer, batch_tokens=1).encode(SENTENCES)
    with torch.inference_mode():
        sent = rows.send(lay_out(rows.subwords(SENTENCES), rows.frame))
        for first, last in ((0, 5), (0, 1), (1, 4), (3, 4), (2, 3)):
            found = rows(sent, first, last).numpy()
            expected = np.concatenate([encoding.vectors for encoding in wanted[first:last]])
            assert found.shape == expected.shape
            scale = np.abs(expected).max(initial=1)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * scale)


@given(st.lists(st.integers(0, 7), min_size=1, max_size=6), st.integers(0, 2**31))
@settings(max_examples=60)
def test_attention_stays_inside_each_window(lengths: list[int], seed: int) -> None:
    random = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(sum(lengths), 2, 4, generator=random) for _ in range(3))
    windows = torch.tensor([0, *np.cumsum(lengths)], dtype=torch.int32)
    if not sum(lengths):
        return
    found = padded_attention(query, key, value, windows, max(lengths))
    for first, last in zip(windows[:-1].tolist(), windows[1:].tolist(), strict=True):
        weight = torch.einsum("qhd,khd->hqk", query[first:last], key[first:last]) / 2
        wanted = torch.einsum("hqk,khd->qhd", weight.softmax(-1), value[first:last])
        torch.testing.assert_close(found[first:last], wanted, rtol=1e-4, atol=1e-5)
