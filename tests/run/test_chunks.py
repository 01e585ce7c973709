"""Where records are cut: by the records alone, and so at the same places when a run starts again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.io.records import Record
from wordalign.run import chunks


def records(sizes: list[int]) -> list[Record]:
    return [Record(number, (b"x" * size,)) for number, size in enumerate(sizes, start=1)]


def naive(sizes: list[int], pairs: int, size: int) -> list[list[int]]:
    """Literally: a record goes to the last chunk if that stays within both bounds, else to a new one."""
    cut: list[list[int]] = []
    for number in sizes:
        if cut and len(cut[-1]) < pairs and sum(cut[-1]) + number <= size:
            cut[-1].append(number)
        else:
            cut.append([number])
    return cut


@given(st.lists(st.integers(0, 30)), st.integers(1, 6), st.integers(1, 40))
def test_chunks_are_cut_by_count_and_by_bytes(sizes, pairs, size):
    found = list(chunks(records(sizes), pairs, size))
    assert [[len(record.lines[0]) for record in chunk] for chunk in found] == naive(sizes, pairs, size)
    assert [record for chunk in found for record in chunk] == records(sizes)


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 6), st.integers(1, 40), st.data())
def test_a_run_that_starts_at_a_cut_cuts_the_rest_alike(sizes, pairs, size, data):
    whole = list(chunks(records(sizes), pairs, size))
    done = data.draw(st.integers(0, len(whole)))
    start = sum(map(len, whole[:done]))
    assert list(chunks(records(sizes)[start:], pairs, size)) == whole[done:]


def test_what_was_read_before_an_error_is_handed_on():
    def broken():
        yield from records([1, 1, 1])
        raise InputError("The file ends in the middle.")

    found = []
    with pytest.raises(InputError, match="ends in the middle"):
        found.extend(chunks(broken(), 2, 100))
    assert [len(chunk) for chunk in found] == [2, 1]


def test_the_lines_of_all_files_count():
    both = [Record(1, (b"four", b"four")), Record(2, (b"four", b"four"))]
    assert [len(chunk) for chunk in chunks(both, 10, 8)] == [1, 1]
    assert [len(chunk) for chunk in chunks(both, 10, 16)] == [2]
