from __future__ import annotations

import io
import json
import sys
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError, UnknownNameError
from wordalign.io import (
    check_parallel,
    count_lines,
    guess_pair_format,
    read_lines,
    read_pairs,
    read_two_files,
    tokenized,
)
from wordalign.text import split_words


def words(pairs):
    return [(list(pair.source.words), list(pair.target.words)) for pair in pairs]


@pytest.fixture
def write(tmp_path):
    def write_bytes(name: str, content: bytes):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write_bytes


def test_byte_order_mark_crlf_tabs_and_joiners(write):
    path = write("a.txt", "\ufeffa b\r\nc\td\r\n\r\nمی‌خواهم\u2028x".encode())
    assert list(read_lines(path)) == ["a b", "c\td", "", "می‌خواهم\u2028x"]
    assert count_lines(path) == 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))))
def test_lines_survive_the_disk_and_are_counted_right(tmp_path, lines):
    path = tmp_path / "lines.txt"
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    expected = [lines[0].removeprefix("\ufeff"), *lines[1:]] if lines else []
    assert list(read_lines(path)) == expected
    assert count_lines(path) == len(lines)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"PAR1\x15\x04\x15", r"seems to be a Parquet file.*--input-format parquet"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<tmx version="1.4">', "seems to be an XML file .TMX or XLIFF"),
        (b'  <tmx version="1.4">\n', "seems to be a TMX file.*--input-format tmx"),
        (b"PK\x03\x04\x14\x00", "seems to be a zip archive"),
    ],
)
def test_other_formats_are_told_apart_in_words(write, content, said):
    path, other = write("pairs", content + b"\xff" * 20), write("other", b"a\nb\nc\n")
    with pytest.raises(InputError, match=said):
        list(read_pairs(path, "bars", tokenized))
    with pytest.raises(InputError, match=said):
        list(read_two_files(other, path, tokenized))
    with pytest.raises(InputError, match=said):
        check_parallel(other, path)


def test_text_about_other_formats_is_text(write):
    path = write("lines", b"PAR1 is not PARIS .\n<?xml version\n")
    assert list(read_lines(path)) == ["PAR1 is not PARIS .", "<?xml version"]


def test_two_files_keep_empty_lines(write):
    source, target = write("s", b"a b\n\nc\n"), write("t", b"x\ny\n\n")
    assert words(read_two_files(source, target, tokenized)) == [(["a", "b"], ["x"]), ([], ["y"]), (["c"], [])]
    assert check_parallel(source, target) == 3


def test_a_missing_last_line_feed_is_no_missing_line(write):
    assert len(list(read_two_files(write("s", b"a\nb"), write("t", b"x\ny\n"), tokenized))) == 2


@pytest.mark.parametrize("check", [check_parallel, lambda s, t: list(read_two_files(s, t, tokenized))])
def test_unequal_files_are_refused_with_both_counts(write, check):
    source, target = write("s.txt", b"a\nb\nc\nd\n"), write("t.txt", b"x\ny\n")
    with pytest.raises(
        InputError, match=r"t\.txt has 2 lines.*s\.txt has 4|s\.txt has 4 lines.*t\.txt has 2"
    ):
        check(source, target)


def test_tokenised_words_lie_between_spaces_and_tabs_only():
    assert tokenized("10\u00a0000 a\tb  c \u3000").words == ("10\u00a0000", "a", "b", "c", "\u3000")
    assert tokenized("  ").words == ()


@pytest.mark.parametrize(
    ("pair_format", "content"),
    [
        ("bars", "a b ||| x y\n\n ||| z\n"),
        ("tsv", "a b\tx y\tnews\n\n\tz\n"),
        ("jsonl", '{"source": "a b", "target": ["x", "y"]}\n\n{"source": [], "target": "z"}\n'),
    ],
)
def test_every_format_of_pairs_gives_a_pair_a_line(write, pair_format, content):
    path = write("pairs", content.encode())
    expected = [(["a", "b"], ["x", "y"]), ([], []), ([], ["z"])]
    assert words(read_pairs(path, pair_format, tokenized)) == expected


def test_raw_text_has_offsets_and_lists_of_words_do_not(write):
    path = write("p.jsonl", json.dumps({"source": "It's me.", "target": ["c'", "est"]}).encode())
    (pair,) = read_pairs(path, "jsonl", split_words)
    assert pair.source.offsets == ((0, 2), (2, 4), (5, 7), (7, 8))
    assert pair.target.words == ("c'", "est")
    assert pair.target.offsets is None


@pytest.mark.parametrize(
    ("pair_format", "line", "complaint"),
    [
        ("bars", "no separator", "expected 'source"),
        ("bars", "a ||| b ||| c", "found 2 separators"),
        ("bars", "a|||b", "found 0 separators"),
        ("tsv", "no tab", "found no TAB"),
        ("jsonl", "[1, 2]", "expected"),
        ("jsonl", '{"source": "a"}', "expected"),
        ("jsonl", '{"source": [1], "target": []}', "expected"),
        ("jsonl", "{", "line 2"),
        ("jsonl", "[" * 100_000, "line 2"),
    ],
)
def test_a_bad_line_is_named(write, pair_format, line, complaint):
    path = write("pairs.txt", b"\n" + line.encode())
    with pytest.raises(InputError, match=rf"(?s)pairs\.txt, line 2.*{complaint}|{complaint}"):
        list(read_pairs(path, pair_format, tokenized))


def test_bytes_that_are_not_utf8_are_named_by_file_and_line(write):
    path = write("latin.txt", b"ok\nGr\xfc\xdfe\n")
    with pytest.raises(InputError, match=r"latin\.txt, line 2: not UTF-8 \(byte 0xfc at position 3\)"):
        list(read_lines(path))


def test_missing_file_directory_and_unknown_format(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        list(read_lines(tmp_path / "none"))
    with pytest.raises(InputError, match="is a directory"):
        list(read_lines(tmp_path))
    with pytest.raises(UnknownNameError, match="Did you mean 'jsonl'"):
        list(read_pairs(tmp_path, "json", tokenized))


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a ||| b\n")))
    assert words(read_pairs("-", "bars", tokenized)) == [(["a"], ["b"])]
    assert count_lines("-") is None


def test_the_suffix_tells_the_format():
    assert [guess_pair_format(name) for name in ("a.tsv", "a.JSONL", "a.txt", "-")] == [
        "tsv",
        "jsonl",
        "bars",
        "bars",
    ]


def test_a_segmenter_that_fails_is_told_with_the_line(write):
    def refuse(text):
        raise ValueError("no such character")

    split = partial(split_words, segmenter=refuse)
    source, target = write("zh", "a\n東\n".encode()), write("en", b"a\neast\n")
    pairs = write("pairs.tsv", "a\ta\n東\teast\n".encode())
    with pytest.raises(InputError, match=r"zh and .*en, line 2: The segmenter failed .* no such character"):
        list(read_two_files(source, target, split))
    with pytest.raises(InputError, match=r"pairs\.tsv, line 2: The segmenter failed"):
        list(read_pairs(pairs, "tsv", split))
