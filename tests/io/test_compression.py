"""Compressed files read like plain ones, whoever made them, and damaged ones are told apart."""

from __future__ import annotations

import gzip
import io
import lzma
import shutil
import struct
import subprocess
import sys
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.io import check_parallel, count_lines, guess_pair_format, open_output, read_lines
from wordalign.io.compression import _zstd
from wordalign.io.lines import LONGEST_LINE, read_byte_lines
from wordalign.io.records import Records

zstd = _zstd()
COMPRESS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstd.compress}
TOOLS = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}


@pytest.fixture(params=COMPRESS)
def suffix(request):
    return request.param


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(content=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=3))
def test_compressed_lines_are_the_plain_ones_in_any_number_of_parts(tmp_path, suffix, content, cuts):
    plain, packed = tmp_path / "lines.txt", tmp_path / f"lines.txt{suffix}"
    content = b"x" + content  # or it might begin like a compressed file
    plain.write_bytes(content)
    edges = [0, *sorted(cuts), len(content)]
    parts = [content[start:end] for start, end in pairwise(edges)]
    packed.write_bytes(b"".join(COMPRESS[suffix](part) for part in parts))
    expected = content.split(b"\n")
    if not expected[-1]:
        expected.pop()
    expected = [line.removesuffix(b"\r") for line in expected]
    assert list(read_byte_lines(plain)) == expected
    assert list(read_byte_lines(packed)) == expected


@pytest.mark.parametrize("first", [0x50, 0x5F])
def test_files_of_pzstd_begin_with_a_frame_to_be_skipped(tmp_path, monkeypatch, first):
    """The bytes that pzstd writes: before each frame a skippable one, which holds the size of the next."""

    def frames(*texts: bytes) -> bytes:
        packed = [zstd.compress(text) for text in texts]
        skippable = bytes([first]) + b"\x2a\x4d\x18" + struct.pack("<I", 4)
        return b"".join(skippable + struct.pack("<I", len(part)) + part for part in packed)

    content = frames(b"a\nb", b"\nc\n")
    (tmp_path / "lines.zst").write_bytes(content)
    assert list(read_lines(tmp_path / "lines.zst")) == ["a", "b", "c"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert list(read_lines("-")) == ["a", "b", "c"]


@pytest.mark.skipif(shutil.which("pzstd") is None, reason="pzstd is not here")
def test_files_of_the_real_pzstd(tmp_path):
    (tmp_path / "lines").write_text("a\nb\n")
    subprocess.run(["pzstd", "-q", str(tmp_path / "lines")], check=True)
    assert list(read_lines(tmp_path / "lines.zst")) == ["a", "b"]


def test_standard_input_is_known_by_its_first_bytes(monkeypatch, suffix):
    packed = COMPRESS[suffix]("a\nß\n".encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    assert list(read_lines("-")) == ["a", "ß"]


def test_a_pipe_that_gives_a_byte_at_a_time(suffix):
    packed = COMPRESS[suffix](b"a\nb\n")
    code = "import wordalign.io as f; print(list(f.read_lines('-')))"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for byte in packed:
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    assert process.communicate(timeout=60)[0] == b"['a', 'b']\n"


def test_every_way_to_cut_a_file_short_is_an_error(tmp_path, suffix):
    packed = COMPRESS[suffix](b"one two three\n" * 50)
    for end in range(len(packed)):
        path = tmp_path / f"cut{suffix}"
        path.write_bytes(packed[:end])
        with pytest.raises(InputError, match=f"cut{suffix} (ends in the middle|is not compressed)"):
            list(read_lines(path))


def test_lines_before_a_cut_are_read(tmp_path, suffix):
    path = tmp_path / f"cut{suffix}"
    read: list[str] = []
    path.write_bytes(COMPRESS[suffix](b"a\nb\n") + COMPRESS[suffix](b"c\nd\n")[:-3])
    with pytest.raises(InputError, match="ends in the middle"):
        read.extend(read_lines(path))
    assert read[:2] == ["a", "b"]


def test_no_damage_goes_unnoticed(tmp_path, suffix):
    """A flipped bit gives an error, or, where the format does not protect it, the same lines."""
    content = b"".join(b"line %d of some text\n" % number for number in range(40))
    packed = COMPRESS[suffix](content) * 2
    path = tmp_path / f"damaged{suffix}"
    unnoticed = 0
    for place in range(0, len(packed), 3):
        path.write_bytes(packed[:place] + bytes([packed[place] ^ 0x10]) + packed[place + 1 :])
        try:
            unnoticed += list(read_byte_lines(path)) != content.splitlines() * 2
        except InputError:
            continue
    # Zstandard files made without a checksum cannot tell; the others can.
    assert unnoticed == 0 or suffix == ".zst"


def test_junk_after_the_end_is_an_error_and_padding_is_none(tmp_path):
    path = tmp_path / "lines.xz"
    path.write_bytes(lzma.compress(b"a\n") + bytes(8) + lzma.compress(b"b\n") + bytes(4))
    assert list(read_lines(path)) == ["a", "b"]
    path.write_bytes(lzma.compress(b"a\n") + b"junk that is no part")
    with pytest.raises(InputError, match="damaged xz data"):
        list(read_lines(path))


def test_a_wrong_name_is_no_reason_to_fail_unless_it_promises_compression(tmp_path):
    (tmp_path / "plain.txt").write_bytes(gzip.compress(b"a\n"))
    assert list(read_lines(tmp_path / "plain.txt")) == ["a"]
    (tmp_path / "plain.gz").write_bytes(b"a\n")
    with pytest.raises(InputError, match=r"plain\.gz is not compressed with gzip"):
        list(read_lines(tmp_path / "plain.gz"))


def test_counts_and_formats_of_compressed_files(tmp_path, suffix):
    left, right = tmp_path / f"left{suffix}", tmp_path / "right"
    left.write_bytes(COMPRESS[suffix](b"a\nb\nc\n"))
    right.write_bytes(b"x\ny\n")
    assert count_lines(left) is None
    assert check_parallel(left, right) == 2
    with pytest.raises(InputError, match=rf"right has 2 lines, \S*left{suffix} has 3"):
        list(Records([left, right]))
    assert guess_pair_format(f"a.tsv{suffix}") == "tsv"
    assert guess_pair_format(f"a.jsonl{suffix.upper()}") == "jsonl"
    assert guess_pair_format(f"a{suffix}") == "bars"


def test_written_files_are_whole_deterministic_and_readable_by_the_usual_tools(tmp_path, suffix):
    lines = [f"{number}-{number} ß" for number in range(1000)]
    paths = [tmp_path / f"{name}.txt{suffix}" for name in ("a", "b")]
    for path in paths:
        with open_output(path) as write:
            for line in lines:
                write(line)
            assert not path.exists()
        assert list(read_lines(path)) == lines
    assert paths[0].read_bytes() == paths[1].read_bytes()
    if shutil.which(TOOLS[suffix]):
        done = subprocess.run([TOOLS[suffix], "-dc", str(paths[0])], capture_output=True, check=True)
        assert done.stdout.decode().splitlines() == lines


def test_a_file_of_no_lines_is_a_file(tmp_path, suffix):
    with open_output(tmp_path / f"none{suffix}"):
        pass
    assert list(read_lines(tmp_path / f"none{suffix}")) == []


def test_an_interrupted_compressed_file_has_the_lines_so_far(tmp_path, suffix):
    path = tmp_path / f"links{suffix}"

    def stop() -> None:
        with open_output(path) as write:
            write("0-0")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert list(read_lines(path.with_name(path.name + ".partial"))) == ["0-0"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_does_not_end_is_refused_in_bounded_memory(tmp_path, packed):
    path = tmp_path / "endless"
    with gzip.open(path, "wb", compresslevel=1) if packed else path.open("wb") as stream:
        stream.write(b"first\n")
        for _ in range(12):
            stream.write(bytes(LONGEST_LINE // 2))
        stream.write(b"\nlast\n")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="line 2: longer than 16 MiB"):
            list(read_lines(path))
        lengths = [len(line) for line in read_byte_lines(path, cut=True)]
        assert tracemalloc.get_traced_memory()[1] < 5 * LONGEST_LINE
    finally:
        tracemalloc.stop()
    assert lengths == [5, LONGEST_LINE + 1, 4]
