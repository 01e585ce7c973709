"""Similarity matrix -> links. One algorithm a file; `methods` knows them by name."""

from wordalign.config import NullThresholds
from wordalign.links.argmax import argmax, forward, reverse
from wordalign.links.calibrated import calibrated
from wordalign.links.itermax import itermax
from wordalign.links.match import match
from wordalign.links.methods import METHODS, Method
from wordalign.links.null import (
    EntropyPercentile,
    drop_null,
    link_entropy,
    read_null_thresholds,
    write_null_thresholds,
)

__all__ = [
    "METHODS",
    "EntropyPercentile",
    "Method",
    "NullThresholds",
    "argmax",
    "calibrated",
    "drop_null",
    "forward",
    "itermax",
    "link_entropy",
    "match",
    "read_null_thresholds",
    "reverse",
    "write_null_thresholds",
]
