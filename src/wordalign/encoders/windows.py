"""Token windows that fit a model, and the sentences they came from.

A sentence of any length becomes one window or several overlapping ones; afterwards each subword takes
its vector from the window in which it stands farther from an edge.

    tokens   0 1 2 3 4 5 6 7 8 9      window of 6, overlap of 2
    window 0 0 1 2 3 4 5              gives 0 1 2 3 4
    window 1         4 5 6 7 8 9      gives           5 6 7 8 9
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordalign.types import Encoding, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """Token ids to feed to the model, which of their rows to keep, and the words of those rows."""

    sentence: int
    ids: Sequence[int]
    rows: Ints
    words: Ints


def encodable(word: str) -> str:
    """The word with lone surrogates (from JSON escapes) replaced: no tokenizer takes them."""
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")


def overlap_of(room: int) -> int:
    """How far windows with room for so many subwords overlap."""
    return min(128, room // 4)


def cut_window(
    sentence: int,
    ids: Sequence[int],
    rows: Sequence[int],
    words: Sequence[int | None],
    overlap: int,
    first: bool,
    last: bool,
) -> Window:
    """Keep the half of each overlap that is this window's. `words` names the word of each of `ids`."""
    start = 0 if first else overlap - overlap // 2
    stop = len(rows) if last else len(rows) - overlap // 2
    kept = rows[start:stop]
    return Window(
        sentence,
        ids,
        np.asarray(kept, dtype=np.intp),
        np.asarray([words[row] for row in kept], dtype=np.intp),
    )


def join_windows(windows: Sequence[Window], vectors: Sequence[Floats], sentences: int) -> list[Encoding]:
    """The windows' rows put together again, one `Encoding` a sentence."""
    parts: list[list[int]] = [[] for _ in range(sentences)]
    for number, window in enumerate(windows):
        parts[window.sentence].append(number)
    return [
        Encoding(vectors[numbers[0]], windows[numbers[0]].words)
        if len(numbers) == 1
        else Encoding(
            np.concatenate([vectors[number] for number in numbers]),
            np.concatenate([windows[number].words for number in numbers]),
        )
        for numbers in parts
    ]
