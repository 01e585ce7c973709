"""`wordalign methods`: the extraction methods, with their parameters and defaults."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from wordalign.links import METHODS, Method


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("methods", help="list the extraction methods and their defaults")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    for name in METHODS:
        method = Method.parse(name)
        summary = (inspect.getdoc(method.extractor) or "").partition("\n")[0]
        print(f"{method!s:34} {summary}")
    print("\nThe bundled models bring their own values for calibrated, chosen on development sets.")
