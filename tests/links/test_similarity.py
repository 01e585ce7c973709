"""Similarities of any size, against one matrix product; and by which threads they are computed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wordalign.links.similarity import ALONE, MOST_PARTS, cosine_similarity
from wordalign.types import unit_rows

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
