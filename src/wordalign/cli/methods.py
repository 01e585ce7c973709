"""`wordalign methods`: the extraction methods, with their parameters and defaults."""

from __future__ import annotations

import argparse
import inspect
from typing import Any

from wordalign.config import METHODS
from wordalign.registry import parameter_defaults, parameter_kinds


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("methods", help="list the extraction methods and their defaults")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    for name in METHODS:
        extractor = METHODS.get(name)
        values = parameter_defaults(extractor)
        settings = ",".join(f"{key}={values.get(key, '…')}" for key in parameter_kinds(extractor))
        summary = (inspect.getdoc(extractor) or "").partition("\n")[0]
        print(f"{f'{name}:{settings}'.rstrip(':'):34} {summary}")
    print("\n… stands for values that each model brings with it: those of the bundled models were chosen on")
    print("development sets.")
