"""Similarity matrix -> links. One algorithm a file; `methods` knows them by name."""

from wordalign.links.argmax import argmax, forward, reverse
from wordalign.links.calibrated import calibrated
from wordalign.links.itermax import itermax
from wordalign.links.match import match
from wordalign.links.methods import METHODS, Method
from wordalign.links.null import EntropyPercentile, NullCalibration, drop_null, link_entropy

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
