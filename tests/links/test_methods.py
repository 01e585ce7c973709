from __future__ import annotations

import numpy as np
import pytest

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UnknownNameError, UsageError
from wordalign.links import METHODS, Method, itermax


def test_every_registered_method_works_by_name():
    similarity = np.eye(3, dtype=np.float32) * 0.9 + 0.05
    straight = Calibration(3.0, 0.0, (-3.0, 3.0), (-3.0, 3.0))
    own = Method.parse("calibrated:always=0.5,mutual=0.1")
    for name in METHODS:
        method = Method.parse(name, own).with_calibration(straight)
        assert (method(similarity) >= np.eye(3, dtype=bool)).all(), name


def test_calibrated_links_need_a_calibrated_model():
    with pytest.raises(UsageError, match="needs a model with calibrated scores"):
        Method.parse("calibrated").with_calibration(None)


def test_what_a_spec_leaves_out_is_as_the_model_has_it():
    own = Method.parse("calibrated:always=0.45,mutual=0.4")
    assert Method.parse("calibrated", own) == own
    assert str(Method.parse("calibrated:mutual=0.2", own)) == "calibrated:always=0.45,mutual=0.2"
    assert str(Method.parse("itermax", own)) == "itermax:n_max=2,alpha=0.9"
    straight = Calibration(3.0, 0.0, (-3.0, 3.0), (-3.0, 3.0))
    with pytest.raises(UsageError, match="no always and mutual for method 'calibrated': give them"):
        Method.parse("calibrated").with_calibration(straight)


def shouting(similarity, loud: bool = False, name: str = "x"):
    return similarity > 0.5 if loud else similarity > 2


def test_a_plugin_parameter_that_is_true_or_false(monkeypatch):
    monkeypatch.setitem(METHODS._plugins, "shouting", f"{__name__}:shouting")
    assert Method.parse("shouting:loud=False").parameters == {"loud": False, "name": "x"}
    assert Method.parse("shouting:loud=true,name=y").parameters == {"loud": True, "name": "y"}
    assert Method.parse(str(Method.parse("shouting:loud=true"))).parameters["loud"] is True
    with pytest.raises(UsageError, match="loud='maybe' of method 'shouting' is not a valid bool"):
        Method.parse("shouting:loud=maybe")


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
