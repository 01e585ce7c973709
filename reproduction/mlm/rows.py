"""Sentences of many lengths into rows of one length, hardly any place left empty."""

from __future__ import annotations

import numpy as np

LENGTH = 128


def make_rows(
    tokens: np.ndarray, lengths: np.ndarray, cls: int, sep: int, length: int = LENGTH
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids, positions and number of the sentence, (rows, length) each; what is left empty is 0, sentence 0.

    A row takes the longest sentence that is left, then again and again the longest that still fits. Each
    sentence has `cls` before and `sep` after it, and positions of its own.

    >>> ids, positions, sentences = make_rows(np.array([7, 8, 9, 7]), np.array([1, 3]), 2, 3, length=8)
    >>> ids.tolist(), positions.tolist(), sentences.tolist()
    ([[2, 8, 9, 7, 3, 2, 7, 3]], [[0, 1, 2, 3, 4, 0, 1, 2]], [[1, 1, 1, 1, 1, 2, 2, 2]])
    """
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    left: list[list[int]] = [[] for _ in range(length + 1)]
    for number, size in enumerate(lengths.tolist()):
        left[size + 2].append(number)
    plan: list[list[int]] = []
    longest = length
    while True:
        while longest and not left[longest]:
            longest -= 1
        if not longest:
            break
        row, room = [], length
        size = longest
        while True:
            size = min(size, room)
            while size and not left[size]:
                size -= 1
            if not size:
                break
            row.append(left[size].pop())
            room -= size
        plan.append(row)
    ids = np.zeros((len(plan), length), np.int16)
    positions = np.zeros((len(plan), length), np.int16)
    sentences = np.zeros((len(plan), length), np.int16)
    for row, members in enumerate(plan):
        at = 0
        for number, member in enumerate(members, 1):
            inside = tokens[starts[member] : starts[member + 1]]
            end = at + len(inside) + 2
            ids[row, at], ids[row, end - 1] = cls, sep
            ids[row, at + 1 : end - 1] = inside
            positions[row, at:end] = np.arange(end - at)
            sentences[row, at:end] = number
            at = end
    return ids, positions, sentences
