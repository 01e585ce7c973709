"""Packed arrays come back as they were."""

from __future__ import annotations

from lzma import LZMAError
from pathlib import Path

import numpy as np
import pytest
from training.shards import read_arrays, write_arrays

ARRAYS = {
    "tokens": np.array([5, 79_999, 65_536, 0, 65_535], dtype=np.uint32),
    "lengths": np.array([2, 3], dtype=np.uint8),
    "links": np.array([[0, 1], [2, 250]], dtype=np.uint8),
    "counts": np.array([1, 300], dtype=np.uint16),
    "empty": np.zeros((0, 2), dtype=np.uint8),
}


def test_round_trip(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x.pack", ARRAYS)
    read = read_arrays(tmp_path / "x.pack")
    assert read.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.pack"
    write_arrays(path, {"tokens": np.random.default_rng(0).integers(0, 80_000, 900).astype(np.uint32)})
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises((ValueError, EOFError, LZMAError)):
        read_arrays(path)
