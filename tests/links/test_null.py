from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError, UsageError
from wordalign.links import (
    EntropyPercentile,
    NullThresholds,
    argmax,
    link_entropy,
    read_null_thresholds,
    write_null_thresholds,
)


@given(st.integers(0, 2**31), st.floats(0, 100))
def test_the_percentile_over_a_corpus_is_numpys(seed, percentile):
    rng = np.random.default_rng(seed)
    entropies = EntropyPercentile()
    every = []
    for _ in range(8):
        similarity = rng.random(rng.integers(1, 9, size=2)).astype(np.float32)
        links = argmax(similarity)
        entropies.add(links, similarity)
        every.extend(link_entropy(similarity)[links])
    assert entropies.links == len(every)
    assert entropies.tau(percentile) == pytest.approx(np.percentile(every, percentile), abs=2e-6)


def test_no_links_at_all_drop_nothing_later():
    assert EntropyPercentile().tau() == 1.0


def test_a_percentile_out_of_range_is_refused():
    with pytest.raises(UsageError, match="between 0 and 100"):
        EntropyPercentile().tau(101)


def test_thresholds_survive_the_disk(tmp_path):
    thresholds = NullThresholds(95.0, {"argmax": 0.91}, {"argmax": 12}, "model | layer=8")
    write_null_thresholds(thresholds, tmp_path / "null.json")
    assert read_null_thresholds(tmp_path / "null.json") == thresholds


def test_a_file_of_version_0_1_is_still_read(tmp_path):
    fields = {"percentile": 95.0, "tau": {"argmax": 0.91}, "links": {"argmax": 12}, "signature": "model"}
    (tmp_path / "null.json").write_text(json.dumps(fields))
    assert read_null_thresholds(tmp_path / "null.json").tau == {"argmax": 0.91}


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps({"tau": 0.5}), '{"kind": "x"}', "\x00"])
def test_another_file_is_not_taken_for_thresholds(tmp_path, content):
    path = tmp_path / "null.json"
    path.write_text(content)
    with pytest.raises(InputError, match="holds no null thresholds"):
        read_null_thresholds(path)
