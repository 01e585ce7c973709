"""The JavaScript package finds the Python package's links, in Node; test_static_page.py has Chromium.

Words are the same, always. Vectors differ a little, because the runtime for browsers computes exponentials
and roots with other instructions: where a number lies just between two steps of the int8 model, it can take
the other one. So a link whose probability is close to the threshold can come or go: fewer than one in a
thousand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from javascript.node import corpus_pairs, shipped_pairs
from wordalign import Aligner, Alignment
from wordalign.encoders.windows import _cut

# How far the probability of a link that both have may differ.
TOLERANCE = 0.06


@pytest.fixture(scope="module")
def tiny() -> Aligner:
    return Aligner("tiny")


def scored(alignment: dict[str, Any]) -> dict[tuple[int, int], float]:
    return {(link["source"], link["target"]): link["probability"] for link in alignment["links"]}


def differing(wanted: list[Alignment], found: list[dict[str, Any]]) -> tuple[int, int, float]:
    """How many links only one has, how many there are, and the largest difference of a probability."""
    different = total = 0
    farthest = 0.0
    for ours, theirs in zip(wanted, found, strict=True):
        assert [word["text"] for word in theirs["source"]["words"]] == list(ours.source.words)
        assert [word["text"] for word in theirs["target"]["words"]] == list(ours.target.words)
        one, other = dict(zip(ours.links, ours.scores, strict=True)), scored(theirs)
        different += len(one.keys() ^ other.keys())
        total += len(one.keys() | other.keys())
        farthest = max([farthest, *(abs(one[link] - other[link]) for link in one.keys() & other.keys())])
    return different, total, farthest


def test_links_of_many_languages(answers, tiny):
    pairs = [tuple(sides) for _, *sides in shipped_pairs()]
    (found,) = answers(pairs=pairs)["alignments"]
    different, total, farthest = differing(tiny.align_batch(pairs), found)
    assert total > 500
    assert different <= total / 200
    assert farthest < TOLERANCE


def test_links_of_a_corpus(answers, tiny):
    pairs = [tuple(sides) for _, *sides in corpus_pairs(2000)]
    (found,) = answers(pairs=pairs)["alignments"]
    different, total, farthest = differing(tiny.align_batch(pairs), found)
    assert len(pairs) >= 2000
    assert different <= total / 1000
    assert farthest < TOLERANCE


def test_options_mean_the_same(answers):
    options = [
        {"method": "argmax"},
        {"method": "itermax"},
        {"method": "itermax:n_max=3,alpha=0.95"},
        {"method": "match", "threshold": 0.3},
        {"method": "forward", "distortion": 0.5},
        {"method": "reverse", "null": 0.99},
        {"level": "subword", "method": "argmax"},
        {"method": "calibrated:always=0.9,mutual=0.2"},
    ]
    pairs = [tuple(sides) for _, *sides in shipped_pairs()[::3]]
    for some, found in zip(options, answers(pairs=pairs, options=options)["alignments"], strict=True):
        aligner = Aligner("tiny", **some)
        different, total, farthest = differing(aligner.align_batch(pairs), found)
        assert different <= total / 50, some  # methods without probabilities turn on smaller differences
        assert farthest < TOLERANCE
        assert {alignment["signature"] for alignment in found} == {aligner.signature()}


def test_given_words_stay_and_places_are_those_of_javascript(answers, tiny):
    pairs = [
        (["Don't", "stop", "!"], ["Hör", "nicht", "auf", "!"]),
        ([], ["nichts"]),
        (["\x07", "a b"], ["", "b"]),
        ("👍 Yes", "Ja 👍"),
        ("", "nichts"),
    ]
    (found,) = answers(pairs=pairs)["alignments"]
    assert differing(tiny.align_batch(pairs), found)[0] == 0
    assert found[0]["source"]["words"][0] == {"text": "Don't"}
    assert [(word["start"], word["end"]) for word in found[3]["source"]["words"]] == [(0, 2), (3, 6)]
    assert [(word["start"], word["end"]) for word in found[3]["target"]["words"]] == [(0, 2), (3, 5)]


def test_long_sentences_are_read_in_the_same_windows(answers, tiny):
    """Nothing is cut off. In a mixture of 62 languages more links hang in the balance."""
    texts = [tuple(sides) for _, *sides in shipped_pairs()]
    pairs = [tuple(" ".join(side) for side in zip(*texts[start:], strict=True)) for start in (0, 40)]
    wanted = tiny.align_batch(pairs)
    assert len(tiny.encoder.subwords(wanted[0].target.words)) > 3 * 192
    lengths = [(length, room) for room in (5, 6, 192, 600) for length in range(0, 4 * room, 1 + room // 20)]
    answer = answers(pairs=pairs, lengths=lengths)
    different, total, _ = differing(wanted, answer["alignments"][0])
    assert different <= total / 30
    for (length, room), windows in zip(lengths, answer["windows"], strict=True):
        _, start, size, skip, keep = (part.tolist() for part in _cut(np.array([length]), room))
        found = [
            [w["start"], w["end"] - w["start"], w["from"] - w["start"], w["to"] - w["from"]] for w in windows
        ]
        assert found == [list(window) for window in zip(start, size, skip, keep, strict=True)], (length, room)
