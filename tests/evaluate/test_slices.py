"""Scores of some of the links: by the frequency of the rarer word, by the tag of either word."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import MissingExtraError, ModelError, UsageError
from wordalign.evaluate import (
    Counts,
    by_frequency,
    by_pos,
    count,
    count_slices,
    evaluate,
    stanza_tags,
    word_counts,
)
from wordalign.evaluate.slices import bin_names
from wordalign.types import GoldAlignment

SIZE = 5
LINKS = st.frozensets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), max_size=12)
GOLDS = st.builds(GoldAlignment, LINKS, LINKS)
CORPORA = st.lists(st.tuples(GOLDS, LINKS), min_size=1, max_size=4)
WORDS = st.lists(st.sampled_from("abcdef"), min_size=SIZE, max_size=SIZE)
FREQUENCIES = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 60))


def restricted(gold: GoldAlignment, links, keep) -> Counts:
    """The paper's definition: only the links of S, P and A in question exist."""
    sure, possible, found = (frozenset(filter(keep, some)) for some in (gold.sure, gold.possible, links))
    return count(GoldAlignment(sure, possible), found)


@given(CORPORA, st.data())
def test_frequency_bins_are_those_of_the_definition(corpus, data):
    golds, predictions = zip(*corpus, strict=True)
    words = [(data.draw(WORDS), data.draw(WORDS)) for _ in corpus]
    left, right = data.draw(FREQUENCIES), data.draw(FREQUENCIES)
    bins = (0, 5, 25)
    found = by_frequency(golds, predictions, words, (left, right), bins)
    assert list(found) == ["0-4", "5-24", "25+"]
    for name, low, high in zip(found, bins, (*bins[1:], 10**9), strict=True):
        expected = Counts()
        for gold, links, (source, target) in zip(golds, predictions, words, strict=True):

            def keep(link, source=source, target=target, low=low, high=high):
                return low <= min(left.get(source[link[0]], 0), right.get(target[link[1]], 0)) < high

            expected += restricted(gold, links, keep)
        assert found[name] == expected
    whole = evaluate(golds, predictions).counts
    assert sum(found.values(), Counts()) == whole


@given(CORPORA, st.data())
def test_a_tag_has_the_links_of_either_word(corpus, data):
    golds, predictions = zip(*corpus, strict=True)
    tags = st.lists(st.sampled_from(["NOUN", "VERB", "ADP"]), min_size=SIZE, max_size=SIZE)
    source, target = ([data.draw(tags) for _ in corpus] for _ in range(2))
    found = by_pos(golds, predictions, source, target)
    one_side = by_pos(golds, predictions, source)
    other_side = by_pos(golds, predictions, None, target)
    for tag in ("NOUN", "VERB", "ADP"):
        both, left, right = Counts(), Counts(), Counts()
        for gold, links, ours, theirs in zip(golds, predictions, source, target, strict=True):
            either = {(i, j) for i in range(SIZE) for j in range(SIZE) if tag in (ours[i], theirs[j])}
            both += restricted(gold, links, either.__contains__)
            left += restricted(gold, links, lambda link, ours=ours, tag=tag: ours[link[0]] == tag)
            right += restricted(gold, links, lambda link, theirs=theirs, tag=tag: theirs[link[1]] == tag)
        assert found.get(tag, Counts()) == both
        assert one_side.get(tag, Counts()) == left
        assert other_side.get(tag, Counts()) == right
    assert list(found) == sorted(found)


@given(GOLDS, LINKS)
def test_one_slice_of_all_links_is_the_whole(gold, links):
    found = count_slices(gold, links, lambda link: ["all"])
    assert found.get("all", Counts()) == count(gold, links)


def test_words_are_counted_as_they_are_written():
    assert word_counts([["The", "the"], ["the"]]) == {"The": 1, "the": 2}


def test_bins_must_rise():
    assert bin_names((0, 1, 10)) == ["0", "1-9", "10+"]
    assert bin_names((5,)) == ["5+"]
    for bins in ((), (-1, 3), (0, 5, 5), (4, 2)):
        with pytest.raises(UsageError, match="must rise"):
            bin_names(bins)


def test_links_below_the_lowest_bin_are_in_none():
    gold = GoldAlignment(frozenset({(0, 0)}), frozenset())
    found = by_frequency([gold], [[(0, 0)]], [(["rare"], ["selten"])], ({}, {}), (1, 5))
    assert found == {"1-4": Counts(), "5+": Counts()}


def test_without_stanza_its_install_command_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingExtraError, match=r"wordalign\[pos\]"):
        next(stanza_tags([["a"]], "en"))


def test_stanza_without_models_says_how_to_get_them(monkeypatch, tmp_path):
    pytest.importorskip("stanza")
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    monkeypatch.setattr("stanza.resources.common.DEFAULT_MODEL_DIR", str(tmp_path))
    with pytest.raises(ModelError, match=r"models for 'en'.*stanza\.download\('en'\)"):
        next(stanza_tags([["a"]], "en"))
