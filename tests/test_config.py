"""One value decides about links, and every way into the package can give each of its fields."""

from __future__ import annotations

import argparse
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from typing import get_type_hints

import pytest

from wordalign import Aligner
from wordalign.cli.align import add_parser
from wordalign.cli.options import align_config
from wordalign.config import AlignConfig, AlignOptions, NullThresholds
from wordalign.errors import UnknownNameError, UsageError

FIELDS = {field.name for field in fields(AlignConfig)}
# What the one who starts the service decides for all requests.
NOT_OF_A_REQUEST = {"revision", "layer", "device", "dtype"}


def arguments_of(*given: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    return parser.parse_args(["align", "a", "b", *given])


def test_every_field_has_an_argument_on_the_command_line():
    assert vars(arguments_of()).keys() >= FIELDS


def test_every_field_can_be_asked_for_over_http_or_is_named_here():
    schemas = pytest.importorskip("wordalign.serve.schemas")
    assert schemas.Options().config_fields().keys() == FIELDS - NOT_OF_A_REQUEST


def test_every_field_is_an_argument_of_the_aligner():
    assert get_type_hints(AlignOptions).keys() == FIELDS - {"model"}


def test_the_command_line_without_options_has_the_defaults():
    assert align_config(arguments_of()) == AlignConfig()
    given = ["--model", "tiny", "--method", "argmax", "match", "--distortion", "--layer", "conc"]
    expected = AlignConfig("tiny", method=("argmax", "match"), distortion=0.5, layer="conc")
    assert align_config(arguments_of(*given)) == expected


def test_it_is_frozen_and_can_be_sent_to_other_processes():
    config = AlignConfig(
        "tiny", method="argmax", null=NullThresholds(95.0, {"argmax": 0.9}, {"argmax": 3}, "x")
    )
    assert config.method == ("argmax",)
    assert pickle.loads(pickle.dumps(config)) == config
    with pytest.raises(FrozenInstanceError):
        config.threshold = 5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": 3}, UsageError, "name or a folder"),
        ({"level": "words"}, UnknownNameError, "Did you mean 'word'"),
        ({"method": "matchh"}, UnknownNameError, "Did you mean 'match'"),
        ({"method": ()}, UsageError, "one or more"),
        ({"method": ("argmax", "argmax")}, UsageError, "different"),
        ({"distortion": 2.0}, UsageError, "between 0 and 1"),
        ({"threshold": float("nan")}, UsageError, "between 0 and 1"),
        ({"null": -1.0}, UsageError, "between 0 and 1"),
        ({"null": "high"}, UsageError, "between 0 and 1, not 'high'"),
        ({"threshold": None}, UsageError, "between 0 and 1, not None"),
        ({"layer": "last"}, UsageError, "number or 'conc', not 'last'"),
        ({"method": 3}, UsageError, "not 3"),
    ],
)
def test_what_is_wrong_is_said_before_a_model_is_loaded(options, error, message):
    with pytest.raises(error, match=message):
        AlignConfig(**options)


def test_an_aligner_says_what_it_does_with_the_defaults_filled_in():
    aligner = Aligner("tiny", distortion=0.5)
    assert aligner.config == AlignConfig("tiny", level="word", method=aligner.config.method, distortion=0.5)
    assert str(aligner.config.method[0]).startswith("calibrated:always=")
    again = Aligner.from_config(aligner.config)
    assert again.signature() == aligner.signature()
    assert Aligner.from_config(replace(aligner.config, method="argmax")).config.method == ("argmax",)


def test_calibrated_means_the_thresholds_of_the_model_everywhere():
    bare = Aligner("tiny")
    for spec in ("calibrated", ["argmax", "calibrated"]):
        assert Aligner(bare.encoder, method=spec).config.method[-1] == bare.config.method[0]


def test_an_encoder_in_person_cannot_be_loaded_by_another_process():
    aligner = Aligner(Aligner("tiny").encoder)
    with pytest.raises(UsageError):
        Aligner.from_config(aligner.config)
