"""Packed data comes back as it was."""

from __future__ import annotations

from lzma import LZMAError
from pathlib import Path

import numpy as np
import pytest
from training.shards import Shard, delta_links, read_shard, undelta_links, write_shard


def random_shard(pairs: int = 50, seed: int = 0) -> Shard:
    generator = np.random.default_rng(seed)
    lengths = generator.integers(1, 160, (pairs, 2)).astype(np.uint8)
    counts = generator.integers(0, 20, pairs).astype(np.uint8)
    links = [np.array(sorted(map(tuple, generator.integers(0, 80, (count, 2)).tolist()))) for count in counts]
    flat = np.concatenate([part.reshape(-1, 2) for part in links]).astype(np.uint8)
    tokens = generator.integers(0, 64_000, int(lengths.sum(dtype=np.int64))).astype(np.uint16)
    return Shard(tokens, lengths, counts, flat, generator.random(len(flat)) < 0.3)


def test_round_trip(tmp_path: Path) -> None:
    shard = random_shard()
    write_shard(tmp_path / "x.shard", shard)
    read = read_shard(tmp_path / "x.shard")
    for name in ("tokens", "lengths", "counts", "links", "weight"):
        np.testing.assert_array_equal(getattr(shard, name), getattr(read, name))


def test_pairs_without_links(tmp_path: Path) -> None:
    empty = np.zeros((0, 2), np.uint8)
    shard = Shard(
        np.arange(4, dtype=np.uint16),
        np.full((1, 2), 2, np.uint8),
        np.zeros(1, np.uint8),
        empty,
        empty[:, 0] > 0,
    )
    write_shard(tmp_path / "x.shard", shard)
    assert len(read_shard(tmp_path / "x.shard").links) == 0


def test_differences_are_small_numbers() -> None:
    links = np.array([[0, 0], [1, 1], [2, 3], [0, 5]], np.uint8)
    counts = np.array([3, 0, 1], np.uint8)
    deltas = delta_links(counts, links)
    assert deltas.tolist() == [[0, 0], [1, 1], [1, 2], [0, 5]]
    np.testing.assert_array_equal(undelta_links(counts, deltas), links)


def test_altered_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.shard"
    write_shard(path, random_shard())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises((ValueError, EOFError, LZMAError)):
        read_shard(path)
