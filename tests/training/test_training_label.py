"""Labels: views of the same words, their mean, and links of subwords carried over to words."""

from __future__ import annotations

import numpy as np
import pytest

label = pytest.importorskip("training.label", reason="the training requirements are not installed")


def arrays(counts: list[int], links: list[tuple[int, int]], weights: list[int]) -> dict[str, np.ndarray]:
    flat = np.array(links, dtype=np.uint8).reshape(-1, 2)
    return {
        "rows": np.arange(len(counts), dtype=np.int32),
        "counts": np.array(counts, dtype=np.uint16),
        "english": flat[:, 0],
        "other": flat[:, 1],
        "weight": np.array(weights, dtype=np.uint8),
    }


def test_links_of_subwords_become_links_of_their_words() -> None:
    # Two pieces of the second English word, one-piece words on the other side.
    (found,) = label.word_links((["0-0 1-1 2-1"], ["0-0 2-2"]), [[[0, 1, 1]], None])
    assert found == ({(0, 0), (1, 1)}, {(0, 0), (1, 2)})


def test_the_mean_of_views_keeps_every_link_with_its_share() -> None:
    first = arrays([2, 0], [(0, 0), (1, 1)], [255, 128])
    second = arrays([1, 1], [(0, 0), (3, 200)], [255, 255])
    mean = label.mean_of_views([first, second])
    assert mean["counts"].tolist() == [2, 1]
    assert list(zip(mean["english"], mean["other"], mean["weight"], strict=True)) == [
        (0, 0, 255),
        (1, 1, 64),
        (3, 200, 128),
    ]


def test_one_view_is_its_own_mean() -> None:
    view = arrays([1, 2], [(4, 5), (0, 1), (2, 0)], [255, 128, 255])
    mean = label.mean_of_views([view])
    assert all(np.array_equal(mean[name], view[name]) for name in view)


def test_punctuation_is_never_linked_to_words() -> None:
    directed = iter([({(0, 0), (1, 1), (0, 1)}, {(0, 0), (1, 1), (0, 1)})])
    found = label.label_arrays([["yes", "."]], [["ja", "."]], directed, possible=0.5)
    assert found["counts"].tolist() == [2]
    assert found["weight"].tolist() == [255, 255]


def test_word_lists_are_labelled_whole_and_sentences_up_to_a_bound() -> None:
    rows = label.rows_to_label(["news", "list", "news", "news", "list"], 2, {"list"})
    assert rows.tolist() == [0, 2, 1, 4]
