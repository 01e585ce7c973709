"""`wordalign bench`, and the sentences it measures with."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice

import pytest

from wordalign.cli.bench import _advice, _facts, _line, _numbers
from wordalign.machine import Machine
from wordalign.run.measure import Measurement, Shares, endless_chunks, sentence_pairs

COMMAND = [sys.executable, "-m", "wordalign", "bench", "--model", "tiny", "--seconds", "0.1"]
MACHINE = Machine("A processor", 6, 3 << 30, ("AVX-512 VNNI",), (), ("NVIDIA H200",))


def row(model: str, dtype: str, workers: int, rate: float) -> Measurement:
    return Measurement(model, dtype, workers, rate, 2.0, Shares(0.01, 0.95, 0.03, 0.01))


def test_what_the_machine_does_is_measured():
    done = subprocess.run([*COMMAND, "--workers", "1", "--json"], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["machine"]["cores"] >= 1
    (measured,) = found["rows"]
    assert (measured["model"], measured["dtype"], measured["workers"]) == ("tiny", "int8", 1)
    assert measured["ratio"] == 1
    assert measured["pairs_per_s"] > 0
    limit = measured["shares"].pop("limit")
    assert 0 < limit < 1
    assert sum(measured["shares"].values()) == pytest.approx(1)
    assert measured["shares"]["encode"] > 0.4


def test_the_rows_and_the_best_of_them_are_shown():
    assert _facts(MACHINE) == [
        "processor   A processor: 6 cores, 3.0 GiB of memory free",
        "int8        AVX-512 VNNI",
        "bfloat16    no instructions of its own",
        "GPU         NVIDIA H200",
    ]
    assert _line(row("tiny", "int8", 6, 1234.5)).split()[:5] == ["tiny", "int8", "6", "1,234", "2.00"]
    assert "encode 95.0%" in _line(row("tiny", "int8", 6, 1234.5))
    rows = [row("tiny", "int8", 1, 100), row("tiny", "int8", 6, 500), row("tiny", "int8", 4, 400)]
    rows += [row("mbert", "float32", 1, 20), row("mbert", "bfloat16", 1, 50)]
    assert _advice(rows) == [
        "Fastest: --model tiny --workers 6: a million such pairs in 33 minutes",
        "Fastest: --model mbert --dtype bfloat16 --workers 1: a million such pairs in 5.6 hours",
    ]
    assert [_numbers(cores) for cores in (1, 2, 6, 8)] == [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]]


@pytest.mark.parametrize("wrong", [["--workers", "0"], ["--model", "tny"]])
def test_wrong_usage_is_refused(wrong):
    done = subprocess.run([*COMMAND, *wrong], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.startswith("wordalign: ")
    assert done.stderr.count("\n") == 1


def test_no_sentence_comes_twice_and_all_come_again():
    """A sentence that occurs twice would be encoded once."""
    pairs = list(islice(sentence_pairs(), 5000))
    assert len({side for pair in pairs for side in pair}) == 10_000
    assert pairs == list(islice(sentence_pairs(), 5000))
    words = [len(left.split()) for left, _ in pairs]
    assert 10 < sum(words) / len(words) < 30
    assert max(words) > 2 * min(words)


def test_chunks_are_numbered_on():
    first, second = islice(endless_chunks(), 2)
    assert [record.number for record in (*first, *second)] == list(range(1, len(first) + len(second) + 1))
