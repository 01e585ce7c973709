"""The one cache of words and their subwords."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from wordalign.encoders import subwords
from wordalign.encoders.resolve import bundled_tokenizer
from wordalign.encoders.subwords import SubwordTable, TokenizerCutter, open_tokenizer, subword_cutter
from wordalign.errors import ModelError


def test_texts_of_unknown_pieces_are_told_apart():
    table = SubwordTable(TokenizerCutter(open_tokenizer(bundled_tokenizer())), texts=True)
    first, second = table.pieces(["𒀀", "𒀁"])
    assert first != second
    assert table.pieces(["Unbelievably", "", "Unbelievably"])[::2] == [["▁un", "beli", "ev", "ably"]] * 2


def test_threads_share_a_small_cache_that_is_emptied_again_and_again(monkeypatch):
    """Before there was a lock, a thread that emptied the cache took the words of another one."""
    monkeypatch.setattr(subwords, "REMEMBERED_WORDS", 5)
    lists = [[f"house{number}x{thread}" for number in range(40)] for thread in range(8)]
    expected = [subword_cutter(bundled_tokenizer())(words) for words in lists]
    cut = subword_cutter(bundled_tokenizer())
    with ThreadPoolExecutor(8) as threads:
        for _ in range(5):
            assert list(threads.map(cut, lists)) == expected


def test_a_file_that_is_no_tokenizer(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be used"):
        open_tokenizer(tmp_path / "tokenizer.json")
