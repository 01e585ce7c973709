"""Lines read as blocks are the lines read one by one, cut into the same chunks."""

from __future__ import annotations

import gc
import io
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.io import lines as lines_module
from wordalign.io.lines import line_batches
from wordalign.io.records import Record, RecordBlock, Records, RecordStream
from wordalign.parallel import cut

OPEN_FILES = Path("/proc/self/fd")
texts = st.lists(st.text(alphabet="ab\r", max_size=6).map(str.encode), max_size=30)


class Trickle(io.RawIOBase):
    """Gives a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data, self._sizes = data, sizes

    def readable(self) -> bool:
        return True

    def read1(self, size: int) -> bytes:
        size = self._sizes.pop() if self._sizes else size
        data, self._data = self._data[:size], self._data[size:]
        return data


def naive_lines(data: bytes, longest: int, cut_long: bool) -> list[bytes] | None:
    """By the definition; None where a line is too long and must not be."""
    found = data.split(b"\n")
    if not found[-1]:
        found.pop()
    if any(len(line) > longest for line in found) and not cut_long:
        return None
    return [
        line[: longest + 1] if len(line) > longest else line[:-1] if line.endswith(b"\r") else line
        for line in found
    ]


@given(st.text(alphabet="ab\r\n", max_size=40), st.lists(st.integers(1, 7)), st.booleans())
def test_lines_are_the_same_however_they_arrive(text: str, sizes: list[int], cut_long: bool) -> None:
    data, longest = text.encode(), 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "LONGEST_LINE", longest)
        wanted = naive_lines(data, longest, cut_long)
        batches = line_batches(Trickle(data, sizes), "text", cut=cut_long)  # type: ignore[arg-type]
        if wanted is None:
            before: list[bytes] = []
            with pytest.raises(InputError, match=r"line \d+: longer than"):
                before.extend(line for batch in batches for line in batch)
            number = next(k for k, line in enumerate(data.split(b"\n")) if len(line) > longest)
            assert len(before) == number
        else:
            assert [line for batch in batches for line in batch] == wanted


def test_another_format_is_refused_though_its_first_bytes_come_one_by_one() -> None:
    with pytest.raises(InputError, match="TMX or XLIFF"):
        list(line_batches(Trickle(b"<?xml version='1.0'?>\n<tmx/>", [1] * 30), "text.txt"))  # type: ignore[arg-type]


def two_files(folder: Path, source: list[bytes], target: list[bytes]) -> list[str]:
    names = []
    for name, side in (("source", source), ("target", target)):
        (folder / name).write_bytes(b"".join(line + b"\n" for line in side))
        names.append(str(folder / name))
    return names


@given(texts, st.integers(1, 5), st.integers(1, 20), st.integers(0, 8), st.integers(1, 2), st.integers(1, 9))
def test_blocks_are_cut_like_single_records(
    tmp_path_factory: pytest.TempPathFactory,
    source: list[bytes],
    most: int,
    most_size: int,
    taken: int,
    files: int,
    block: int,
) -> None:
    names = two_files(tmp_path_factory.mktemp("files"), source, source[::-1])[:files]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "_BLOCK", block)
        singly = iter(list(Records(names)))
        stream = iter(Records(names))
        assert isinstance(stream, RecordStream)
        for _ in range(min(taken, len(source))):
            assert next(stream) == next(singly)
        wanted = list(cut(singly, most, lambda record: sum(map(len, record.lines)), most_size))
        assert [list(found) for found in stream.blocks(most, most_size)] == wanted


def test_lines_before_a_missing_one_are_handed_on(tmp_path: Path) -> None:
    names = two_files(tmp_path, [b"a", b"b", b"c"], [b"a"])
    blocks = iter(Records(names)).blocks(10, 100)  # type: ignore[attr-defined]
    assert list(next(blocks)) == [Record(1, (b"a", b"a"))]
    with pytest.raises(InputError, match=r"target has 1 line, .*source has 3\."):
        next(blocks)


def test_a_block_is_a_sequence_of_records_and_can_be_sent() -> None:
    records = [Record(number, (b"a%d" % number, b"")) for number in (4, 5, 6)]
    block = RecordBlock.of(records)
    assert list(block) == records
    assert list(pickle.loads(pickle.dumps(block))) == records
    assert [block[0], block[-1]] == [records[0], records[2]]
    assert list(block[1:]) == records[1:]
    assert list(block[-2:-1]) == records[1:2]
    assert RecordBlock.of(block) is block
    with pytest.raises(IndexError):
        block[3]


@pytest.mark.skipif(not OPEN_FILES.exists(), reason="counts open files as Linux lists them")
def test_a_stream_that_is_let_go_closes_its_files(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n")
    gc.disable()  # without waiting for the collector
    try:
        before = len(list(OPEN_FILES.iterdir()))
        stream = iter(Records([path], None))
        assert next(stream).lines == (b"a",)
        assert len(list(OPEN_FILES.iterdir())) == before + 1
        del stream
        assert len(list(OPEN_FILES.iterdir())) == before
    finally:
        gc.enable()
