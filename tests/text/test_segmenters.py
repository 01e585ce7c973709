"""Segmenters by name, with the packages they come from."""

from __future__ import annotations

import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from wordalign import Aligner
from wordalign.errors import InputError, MissingExtraError, UnknownNameError, UsageError
from wordalign.text import segmenters as module
from wordalign.text import split_words
from wordalign.text.segmenters import SEGMENTERS, find_segmenter

PACKAGES = {"icu": "icu4py", "jieba": "jieba", "pythainlp": "pythainlp", "sudachi": "sudachipy"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("jieba", "我来到北京清华大学。", "我 来到 北京 清华大学 。"),
        ("sudachi", "東京大学へ行きました。", "東京 大学 へ 行き まし た 。"),
        ("pythainlp", "สวัสดีชาวโลก", "สวัสดี ชาวโลก"),
        ("icu", "สวัสดีชาวโลก", "สวัสดี ชาว โลก"),
        ("icu", "我来到北京清华大学", "我 来到 北京 清华大学"),
        ("icu", "ភាសាខ្មែរគឺជាភាសា", "ភាសាខ្មែរ គឺជា ភាសា"),
        ("icu", "ພາສາລາວ", "ພາສາ ລາວ"),
        # what a segmenter does not know is split as without one
        ("jieba", "北京 สวัสดี タワー", "北京 สวัส ดี タ ワ ー"),
        ("sudachi", "東京 สวัสดี", "東京 สวัส ดี"),
        ("pythainlp", "東京สวัสดี", "東 京 สวัสดี"),
        ("icu", "བོད་སྐད་", "བོད་ སྐད་"),
    ],
)
def test_a_segmenter_by_name(name, text, words):
    pytest.importorskip(PACKAGES[name])
    assert " ".join(split_words(text, find_segmenter(name)).words) == words


MIXED = "iPhone 15を買う: 我来到𠮷北京,<b>สวัสดี</b> it's ខ្មែរ (မြန်မာ) 안녕 ພາສາ"


@pytest.mark.parametrize("name", PACKAGES)
def test_offsets_hold_in_a_mixture_of_scripts(name):
    pytest.importorskip(PACKAGES[name])
    sentence = split_words(MIXED, find_segmenter(name))
    assert [MIXED[start:end] for start, end in sentence.offsets] == list(sentence.words)
    assert "".join(sentence.words) == MIXED.replace(" ", "")
    assert {"iPhone", "15", "<b>", "</b>", "'s", "안녕"} <= set(sentence.words)


@pytest.mark.parametrize("name", PACKAGES)
def test_one_segmenter_serves_many_threads(name):
    pytest.importorskip(PACKAGES[name])
    segmenter = find_segmenter(name)
    expected = split_words(MIXED, segmenter)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: split_words(MIXED, segmenter), range(200))) == {expected}


def test_jieba_reads_no_cache(tmp_path, monkeypatch):
    pytest.importorskip("jieba")
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "jieba.cache").write_bytes(b"not what jieba wrote")
    module.load_jieba.cache_clear()
    assert list(find_segmenter("jieba")("北京大学")) == ["北京大学"]
    assert (tmp_path / "jieba.cache").read_bytes() == b"not what jieba wrote"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_extra_is_told_with_its_install_line(name, monkeypatch):
    for imported in [known for known in sys.modules if known.split(".")[0] == PACKAGES[name]]:
        monkeypatch.delitem(sys.modules, imported)
    monkeypatch.setitem(sys.modules, PACKAGES[name], None)
    getattr(module, f"load_{name}").cache_clear()
    with pytest.raises(
        MissingExtraError, match=rf"'{name}' needs more packages: pip install 'wordalign\[{name}\]'"
    ):
        find_segmenter(name)


def test_an_unknown_name_is_told_with_those_there_are():
    assert set(SEGMENTERS) >= set(PACKAGES)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'jieba'\?.*module:function"):
        find_segmenter("jeiba")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with modules of the user's."""
    modules = {
        "mine": """
            import neighbour
            answer = 42
            def cut(run):
                return neighbour.pieces(run)
            """,
        "neighbour": "def pieces(run): return [run[:2], run[2:]]",
        "needy": "import a_module_that_is_missing",
        "broken": "1 / 0",
    }
    for name, text in modules.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in modules:
        sys.modules.pop(name, None)


def test_a_segmenter_in_the_current_folder(folder):
    assert split_words("東京大学", find_segmenter("mine:cut")).words == ("東京", "大学")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nowhere:cut", "there is no module 'nowhere', neither installed nor in"),
        ("needy:cut", "needs the module 'a_module_that_is_missing'"),
        ("broken:cut", "cannot be imported .ZeroDivisionError"),
        ("mine:slice", "the module 'mine' has no function 'slice'"),
        ("mine:answer", "'mine:answer' is not a function"),
        (":cut", "segmenter ':cut'"),
    ],
)
def test_what_is_wrong_with_module_and_function(folder, name, complaint):
    with pytest.raises(UsageError, match=complaint):
        find_segmenter(name)


def test_an_aligner_takes_a_name_or_a_function(tiny_model):
    pytest.importorskip("icu4py")
    for segmenter in ("icu", find_segmenter("icu")):
        alignment = Aligner(str(tiny_model("bert")), segmenter=segmenter).align(
            "我来到北京", "I came to Beijing"
        )
        assert alignment.source.words == ("我", "来到", "北京")


@pytest.mark.parametrize("pieces", [["東", "", "京"], ["", "東京"], ["東京", ""], []])
def test_empty_pieces_are_refused(pieces):
    with pytest.raises(InputError, match="consecutive, non-empty pieces"):
        split_words("東京", lambda run: pieces)
