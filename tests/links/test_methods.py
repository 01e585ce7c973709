from __future__ import annotations

import numpy as np
import pytest

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UnknownNameError, UsageError
from wordalign.links import METHODS, Method, itermax


def test_every_registered_method_works_by_name():
    similarity = np.eye(3, dtype=np.float32) * 0.9 + 0.05
    straight = Calibration((0.0, 1.0), (-3.0, 3.0))
    for name in METHODS:
        method = Method.parse(name).with_calibration(straight)
        assert (method(similarity) >= np.eye(3, dtype=bool)).all(), name


def test_calibrated_links_need_a_calibrated_model():
    with pytest.raises(UsageError, match="needs a model with calibrated scores"):
        Method.parse("calibrated").with_calibration(None)


def test_a_spec_sets_parameters_and_prints_all_of_them():
    method = Method.parse("itermax:n_max=3")
    assert str(method) == "itermax:n_max=3,alpha=0.9"
    assert Method.parse(str(method)) == method
    similarity = np.random.default_rng(0).random((9, 9))
    assert (method(similarity) == itermax(similarity, 3, 0.9)).all()


def test_a_wrong_name_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match=r"'itermx'\. Did you mean 'itermax'.* Known: argmax"):
        Method.parse("itermx")


@pytest.mark.parametrize("spec", ["itermax:beta=1", "argmax:n_max=2", "itermax:n_max=two"])
def test_a_wrong_parameter_is_named(spec):
    with pytest.raises(UsageError, match=r"beta|n_max"):
        Method.parse(spec)
