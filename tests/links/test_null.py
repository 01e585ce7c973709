from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign.errors import InputError, UsageError
from wordalign.links import EntropyPercentile, NullCalibration, argmax, link_entropy


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


def test_a_calibration_survives_the_disk(tmp_path):
    calibration = NullCalibration(95.0, {"argmax": 0.91}, {"argmax": 12}, "model | layer=8")
    calibration.save(tmp_path / "null.json")
    assert NullCalibration.load(tmp_path / "null.json") == calibration


@pytest.mark.parametrize("content", ["", "[]", "{}", json.dumps({"tau": 0.5}), "\x00"])
def test_another_file_is_not_taken_for_a_calibration(tmp_path, content):
    path = tmp_path / "null.json"
    path.write_text(content)
    with pytest.raises(InputError, match="not a null calibration"):
        NullCalibration.load(path)
