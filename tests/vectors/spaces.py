"""Spaces for tests: shaped like real ones, so that there is something to recognise."""

from __future__ import annotations

import numpy as np


def language(words: int = 800, dimensions: int = 30, topics: int = 40, seed: int = 0) -> np.ndarray:
    """Topics of uneven size, a falling spectrum, skewed axes."""
    random = np.random.default_rng(seed)
    spread = 1 / np.sqrt(1 + np.arange(dimensions))
    centres = 1.2 * spread * random.standard_normal((topics, dimensions))
    topic = np.minimum(random.geometric(2 / topics, words), topics) - 1
    rows = centres[topic] + spread * random.standard_normal((words, dimensions))
    return (rows + 0.5 * spread * random.exponential(size=(words, dimensions))).astype(np.float32)


def disguised(rows: np.ndarray, noise: float = 0.05, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """A rotated, noised and shuffled copy, and which row of the original each row of it is."""
    random = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(random.standard_normal((rows.shape[1],) * 2))
    order = random.permutation(len(rows))
    copy = (rows @ rotation)[order] + noise * rows.std() * random.standard_normal(rows.shape)
    return copy.astype(np.float32), order
