from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordalign import Aligner
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


ROOT = Path(__file__).parents[2]


def test_no_links_at_all_drop_nothing_later():
    assert EntropyPercentile().tau() == 1.0


def test_a_percentile_out_of_range_is_refused():
    with pytest.raises(UsageError, match="between 0 and 100"):
        EntropyPercentile().tau(101)


def test_thresholds_survive_the_disk(tmp_path):
    thresholds = NullThresholds(95.0, {"argmax": 0.91}, {"argmax": 12}, "model | layer=8")
    write_null_thresholds(thresholds, tmp_path / "null.json")
    assert read_null_thresholds(tmp_path / "null.json") == thresholds


def test_a_file_of_version_0_1_is_refused_since_its_entropies_mean_something_else(tmp_path):
    fields = {"percentile": 95.0, "tau": {"argmax": 0.91}, "links": {"argmax": 12}, "signature": "model"}
    (tmp_path / "null.json").write_text(json.dumps(fields))
    with pytest.raises(InputError, match=r"is of wordalign 0\.1: find the thresholds again"):
        read_null_thresholds(tmp_path / "null.json")


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", json.dumps({"kind": "wordalign null thresholds"}), '{"kind": "x"}', "\x00"]
)
def test_another_file_is_not_taken_for_thresholds(tmp_path, content):
    path = tmp_path / "null.json"
    path.write_text(content)
    with pytest.raises(InputError, match="holds no null thresholds"):
        read_null_thresholds(path)


@pytest.mark.parametrize("model", ["base", "tiny"])
def test_the_documented_threshold_drops_some_links_whether_there_is_punctuation_or_not(model):
    """Cells that can be no link must not count: one full stop would change the scale of all entropies."""
    sides = [(ROOT / f"examples/{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu")]
    raw = list(zip(*sides, strict=True))
    documented = re.search(r"--null-tau ([\d.]+) +# sets", (ROOT / "docs/algorithms.md").read_text("utf-8"))
    aligner = Aligner(model)
    for pairs in (raw, [(source.split(), target.split()) for source, target in raw]):
        every = sum(len(found.links) for found in aligner.align_batch(pairs))
        for tau, least in ((float(documented[1]), 0.8), (0.998, 0.5)):
            kept = sum(len(found.links) for found in aligner.with_options(null=tau).align_batch(pairs))
            assert least * every < kept <= every
        assert kept < every
