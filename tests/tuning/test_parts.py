"""The parts of a tuning, each by itself."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from toys import ENGLISH, toy_pairs, translated

from wordalign.encoders.calibration import Calibration
from wordalign.encoders.resolve import bundled_tokenizer
from wordalign.text import split_words
from wordalign.tuning.labels import blended, own_part, statistical_links
from wordalign.tuning.shipped import f1_of, shipped_pairs
from wordalign.tuning.vocabulary import extend_tokenizer, extended
from wordalign.types import Pair


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(bundled_tokenizer()))


@pytest.fixture(scope="module")
def larger(tokenizer) -> Tokenizer:
    words = [[translated(word) for word in ENGLISH]] * 5
    return extend_tokenizer(tokenizer, [[ENGLISH], words])


def test_a_new_script_gets_pieces_and_the_old_ones_stay(tokenizer, larger):
    old, new = (json.loads(one.to_str())["model"]["vocab"] for one in (tokenizer, larger))
    assert new[: len(old)] == old
    assert len(new) > len(old)
    word = translated("garden")
    assert len(larger.encode(word, add_special_tokens=False).ids) <= 2
    assert len(tokenizer.encode(word, add_special_tokens=False).ids) > 10


def test_other_languages_are_cut_as_before(tokenizer, larger):
    for pairs in shipped_pairs("check").values():
        for pair in pairs:
            for side in (pair.source.words, pair.target.words):
                ours, theirs = (
                    one.encode(list(side), is_pretokenized=True, add_special_tokens=False).ids
                    for one in (tokenizer, larger)
                )
                assert ours == theirs


def test_a_known_language_needs_no_new_pieces(tokenizer):
    sides = [[pair.source.words for pair in shipped_pairs("check")["eng-deu"]]]
    assert extend_tokenizer(tokenizer, sides) is tokenizer


def test_new_pieces_start_as_the_mean_of_their_parts(tokenizer, larger):
    table = np.random.default_rng(0).normal(size=(tokenizer.get_vocab_size(), 4)).astype(np.float32)
    grown = extended(table, tokenizer, larger)
    assert grown.shape == (larger.get_vocab_size(), 4)
    np.testing.assert_array_equal(grown[: len(table)], table)
    piece = str(larger.id_to_token(len(table) + 3)).strip("▁")
    found = tokenizer.encode(piece, add_special_tokens=False).ids
    parts = [number for number in found if tokenizer.id_to_token(number) != "▁"]
    np.testing.assert_allclose(grown[len(table) + 3], table[parts].mean(0), rtol=1e-5)


def test_the_statistical_aligner_finds_the_toy_language():
    pytest.importorskip("thot")
    examples = toy_pairs(200)
    found = statistical_links([pair for pair, _ in examples])
    right = sum(len(links.sure & gold.sure) for links, (_, gold) in zip(found, examples, strict=True))
    assert right > 0.9 * sum(len(gold.sure) for _, gold in examples)
    assert all(not (links.sure & links.added) for links in found)


def test_punctuation_is_not_linked_to_words():
    pytest.importorskip("thot")
    pairs = [Pair(split_words("Stop !"), split_words("Halt ,"))] * 5
    assert all(links.sure <= {(0, 0), (1, 1)} for links in statistical_links(pairs))


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_more_is_known_the_more_the_model_counts(one, two):
    low, high = sorted((one, two))
    assert 0 <= own_part(low) <= own_part(high) < 1


def test_blended_labels():
    assert blended({(0, 0): 1.0, (1, 1): 0.5}, {(0, 0): 0.8, (2, 2): 0.4}, 0.0) == {(0, 0): 1.0, (1, 1): 0.5}
    found = blended({(0, 0): 1.0}, {(0, 0): 0.5, (2, 2): 0.4}, 0.5)
    assert found == {(0, 0): 0.75, (2, 2): 0.2}


def test_what_is_rehearsed_is_not_checked():
    rehearsed, checked = (
        {(pair.source.words, pair.target.words) for part in shipped_pairs(kind).values() for pair in part}
        for kind in ("rehearse", "check")
    )
    assert len(rehearsed) > 200
    assert len(checked) > 200
    assert not rehearsed & checked


def test_agreement_of_links():
    assert f1_of([{(0, 0), (1, 1)}], [{(0, 0)}]) == pytest.approx(2 / 3)
    assert f1_of([set()], [set()]) == 1.0


def test_a_moved_curve_fits_what_is_right():
    from wordalign.tuning.calibrate import Judged, ScoredPair, fitted
    from wordalign.types import GoldAlignment

    chance = np.random.default_rng(1)
    curve = Calibration(8.0, -2.0, (-30.0, 30.0), (-30.0, 30.0))
    scores = chance.uniform(-4, 4, 4000)
    right = 1 / (1 + np.exp(-(0.7 * scores - 0.5)))
    places = np.stack((np.arange(4000), np.arange(4000)), axis=1)
    links = frozenset((i, i) for i in range(2000))
    part = Judged([ScoredPair(places, scores, np.zeros(4000, bool))], [right], [GoldAlignment(links, links)])
    found = fitted(curve, [part])
    np.testing.assert_allclose(found.probability(scores), right, atol=0.005)


def test_thresholds_follow_the_gold():
    from wordalign.tuning.calibrate import Judged, ScoredPair, links_of, smooth_thresholds
    from wordalign.types import GoldAlignment

    curve = Calibration(8.0, -2.0, (-30.0, 30.0), (-30.0, 30.0))
    scores = np.linspace(-3, 3, 200)
    places = np.stack((np.arange(200), np.arange(200)), axis=1)
    scored = ScoredPair(places, scores, np.zeros(200, bool))
    for least in (-1.0, 0.5):
        links = frozenset((i, i) for i in np.flatnonzero(scores > least).tolist())
        gold = GoldAlignment(links, links)
        thresholds = smooth_thresholds([Judged.by_gold([scored], [gold])], curve)
        assert abs(len(links_of(scored, curve, thresholds)) - len(links)) <= 6
