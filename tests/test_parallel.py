"""Overlapped work: results in order, bounded, nothing lost before an error, nothing left behind."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wordalign.errors import InputError
from wordalign.parallel import cut, ordered


class Counted:
    """Items one by one, and how many were taken."""

    def __init__(self, items):
        self._items = iter(items)
        self.taken = 0

    def __iter__(self):
        return self

    def __next__(self):
        item = next(self._items)
        self.taken += 1
        return item


def slow_square(item: int) -> int:
    time.sleep((item * 7 % 5) / 2000)
    return item * item


@settings(max_examples=30)
@given(st.lists(st.integers(0, 100), max_size=30), st.integers(1, 4), st.integers(1, 9))
def test_results_come_in_order_whatever_takes_longer(items, lanes, ahead):
    assert list(ordered(items, [slow_square] * lanes, ahead)) == [item * item for item in items]


@settings(max_examples=20)
@given(st.integers(1, 3), st.integers(1, 6))
def test_no_more_items_are_taken_than_allowed(lanes, ahead):
    items = Counted(range(40))
    for handed_on, _ in enumerate(ordered(items, [slow_square] * lanes, ahead), start=1):
        assert items.taken <= handed_on + ahead


def test_lanes_work_at_the_same_time():
    """Each of two lanes waits for the other one: alone, neither would ever end."""
    together = threading.Barrier(2, timeout=30)
    assert list(ordered(range(4), [lambda item: together.wait() * 0 + item] * 2, 4)) == [0, 1, 2, 3]


def test_the_next_item_is_worked_on_while_a_result_is_used():
    begun = [threading.Event() for _ in range(3)]
    results = ordered(range(3), [lambda item: begun[item].set() or item], 2)
    assert next(results) == 0
    assert begun[1].wait(30)
    results.close()


@pytest.mark.parametrize("where", ["lane", "items"])
@pytest.mark.parametrize("lanes", [1, 3])
def test_an_error_comes_after_all_results_before_it(where, lanes):
    def items():
        for number in range(20):
            if where == "items" and number == 11:
                raise ValueError("the eleventh")
            yield number

    def work(item: int) -> int:
        if where == "lane" and item == 11:
            raise ValueError("the eleventh")
        return slow_square(item)

    found = []
    with pytest.raises(ValueError, match="the eleventh"):
        found.extend(ordered(items(), [work] * lanes, 5))
    assert found == [item * item for item in range(11)]


def test_no_thread_is_left_when_it_is_closed_early_or_fails():
    before = threading.active_count()
    stopped = []
    results = ordered(range(1000), [slow_square] * 3, 6, lambda: stopped.append(1))
    next(results)
    assert threading.active_count() == before + 3
    results.close()
    assert threading.active_count() == before
    with pytest.raises(ZeroDivisionError):
        list(ordered([1, 0, 1], [lambda item: 1 // item] * 2, 4, lambda: stopped.append(1)))
    assert threading.active_count() == before
    assert stopped == [1, 1]


def records(sizes: list[int]) -> list[bytes]:
    return [b"x" * size for size in sizes]


def naive(sizes: list[int], pairs: int, size: int) -> list[list[int]]:
    """Literally: a record goes to the last chunk if that stays within both bounds, else to a new one."""
    chunks: list[list[int]] = []
    for number in sizes:
        if chunks and len(chunks[-1]) < pairs and sum(chunks[-1]) + number <= size:
            chunks[-1].append(number)
        else:
            chunks.append([number])
    return chunks


@given(st.lists(st.integers(0, 30)), st.integers(1, 6), st.integers(1, 40))
def test_chunks_are_cut_by_count_and_by_bytes(sizes, pairs, size):
    found = list(cut(records(sizes), pairs, len, size))
    assert [[len(record) for record in chunk] for chunk in found] == naive(sizes, pairs, size)
    assert [record for chunk in found for record in chunk] == records(sizes)


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 6), st.integers(1, 40), st.data())
def test_a_run_that_starts_at_a_cut_cuts_the_rest_alike(sizes, pairs, size, data):
    whole = list(cut(records(sizes), pairs, len, size))
    done = data.draw(st.integers(0, len(whole)))
    start = sum(map(len, whole[:done]))
    assert list(cut(records(sizes)[start:], pairs, len, size)) == whole[done:]


@pytest.mark.parametrize("error", [InputError, OSError])
def test_what_was_read_before_an_error_is_handed_on(error):
    def broken():
        yield from records([1, 1, 1])
        raise error("The file ends in the middle.")

    found = []
    with pytest.raises(error, match="ends in the middle"):
        found.extend(cut(broken(), 2, len, 100))
    assert [len(chunk) for chunk in found] == [2, 1]


STREAM = """
from wordalign import Aligner
if __name__ == "__main__":
    found = Aligner("tiny").stream([("old house", "altes Haus")] * 5000, workers=2)
    print(next(found).links)
"""
LANES = """
from wordalign.encoders import BUNDLED_MODELS
from wordalign.encoders.onnx import OnnxEncoder
found = OnnxEncoder(BUNDLED_MODELS[0].folder, threads=2).encode_each([["old", "house"] * 20] * 3000)
print(next(found)[0])
"""


# The first one that is ended at the end of the script must not keep the others.
FAILING = """
from wordalign.parallel import ordered
def fail():
    print("ended")
    raise RuntimeError
streams = [ordered(range(100), [abs], 2, fail) for _ in range(3)]
print(*map(next, streams))
"""


@pytest.mark.parametrize("script", [STREAM, LANES])
def test_a_script_may_end_while_work_goes_on(script, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(script)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in ("((0, 0), (1, 1))\n", "0\n")


def test_one_stream_that_cannot_be_ended_does_not_keep_the_others():
    done = subprocess.run([sys.executable, "-c", FAILING], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 0 0\n" + 3 * "ended\n", "")


def test_a_process_whose_parent_was_killed_says_nothing():
    command = [sys.executable, "-c", "from wordalign.parallel import serve; serve()"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for sent in (partial(partial, time.sleep), 1.0):  # what makes the function, and an item
        pickle.dump(sent, process.stdin)
    process.stdin.flush()
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stdin.close()
    process.stderr.close()
