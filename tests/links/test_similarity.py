"""Units of sentences, and similarities of any size, against their definitions; and the threads at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import DeviceMemoryError
from wordalign.links.similarity import (
    ALONE,
    MOST_PARTS,
    cosine_similarity,
    run_means,
    similarity_matrix,
    unit_encodings,
    word_means,
)
from wordalign.types import Encoding, unit_rows

LEVELS = ("word", "subword")

SHAPES = [(0, 3, 8), (3, 0, 8), (1, 1, 1), (20, 20, 256), (70, 75, 256), (1, 4000, 256), (300, 7, 768)]


@pytest.mark.parametrize("shape", [*SHAPES, (600, 600, 256), (2, 2, ALONE), (1, 2, 2 * ALONE)])
def test_parts_give_what_one_product_gives(shape):
    rows, columns, size = shape
    dice = np.random.default_rng(0)
    source, target = (
        unit_rows(dice.normal(size=(count, size)).astype(np.float32)) for count in (rows, columns)
    )
    found = cosine_similarity(source, target)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.clip((source @ target.T + 1) / 2, 0, 1), atol=1e-6)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts the threads' time through /proc")
def test_products_of_usual_size_wake_no_other_thread():
    """What other threads take while they wait for more is lost to the model."""
    program = (
        "import os, time, numpy as np\n"
        "from wordalign.links.similarity import cosine_similarity\n"
        "def others():\n"
        "    own = str(os.getpid())\n"
        "    times = [open(f'/proc/self/task/{t}/stat').read().rpartition(')')[2].split()[11:13]\n"
        "             for t in os.listdir('/proc/self/task') if t != own]\n"
        "    return sum(int(a) + int(b) for a, b in times)\n"
        "a = np.ones((70, 256), np.float32)\n"
        "time.sleep(1)  # threads that have just been started are awake, too\n"
        "before = others()\n"
        "for _ in range(3000): cosine_similarity(a, a)\n"
        "print(others() - before)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert ALONE < 70 * 70 * 256 < MOST_PARTS * ALONE
    assert int(done.stdout) <= 2  # hundredths of a second


@given(st.lists(st.integers(1, 12) | st.integers(60, 70), min_size=1, max_size=8), st.integers(0, 1000))
def test_means_of_runs_are_their_means(counts: list[int], seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(sum(counts), 5)).astype(np.float32)
    starts = np.cumsum([0, *counts[:-1]])
    wanted = [run.astype(np.float64).mean(axis=0) for run in np.split(vectors, starts[1:])]
    np.testing.assert_allclose(run_means(vectors, starts), wanted, rtol=1e-4, atol=1e-6)
    whole = np.rint(10 * vectors).astype(np.int64)  # as an encoder of somebody's own may give
    means = [run.mean(axis=0) for run in np.split(whole, starts[1:])]
    np.testing.assert_allclose(run_means(whole, starts), means)


@given(st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=5), st.sampled_from(LEVELS))
def test_units_of_several_sentences_are_those_of_each(sentences: list[list[int]], level: str) -> None:
    """A number a word: of how many subwords it is; of none, it is no unit."""
    dice = np.random.default_rng(0)
    encodings = []
    for counts in sentences:
        word_of_row = np.repeat(np.arange(len(counts)), counts)
        vectors = dice.normal(size=(len(word_of_row), 4)).astype(np.float32)
        encodings.append(Encoding(vectors, word_of_row, word_of_row % 2))
    together = unit_encodings(encodings, level)
    for one, found in zip(encodings, together, strict=True):
        wanted = one if level == "subword" else word_means(one)
        np.testing.assert_array_equal(found.vectors, unit_rows(wanted.vectors))
        assert found.word_of_row.tolist() == wanted.word_of_row.tolist()
        assert found.group_of_row.tolist() == wanted.group_of_row.tolist()


def test_what_does_not_fit_the_memory_is_refused_before_it_is_tried(monkeypatch):
    monkeypatch.setattr("wordalign.links.similarity.free_memory", lambda: 3 << 30)
    vectors = np.ones((10_000, 1), np.float32)
    one, other = (Encoding(vectors[:rows], np.arange(rows)) for rows in (10_000, 9_000))
    message = (
        "A pair of 10,000 and 10,000 words or subwords takes about 3.2 GiB of memory, and 3.0 GiB are free"
    )
    with pytest.raises(DeviceMemoryError, match=message):
        similarity_matrix(one, one)
    assert similarity_matrix(one, other).similarity.shape == (10_000, 9_000)
