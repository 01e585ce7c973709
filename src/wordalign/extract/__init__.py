"""Similarity matrix -> links. One algorithm a file; `methods` knows them by name."""

from wordalign.extract.argmax import argmax, forward, reverse
from wordalign.extract.calibrated import calibrated
from wordalign.extract.itermax import itermax
from wordalign.extract.match import match
from wordalign.extract.methods import METHODS, Method
from wordalign.extract.null import EntropyPercentile, NullCalibration, drop_null, link_entropy

__all__ = [
    "METHODS",
    "EntropyPercentile",
    "Method",
    "NullCalibration",
    "argmax",
    "calibrated",
    "drop_null",
    "forward",
    "itermax",
    "link_entropy",
    "match",
    "reverse",
]
