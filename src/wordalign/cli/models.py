"""`wordalign models`: the model names that can be given."""

from __future__ import annotations

import argparse
from typing import Any

from wordalign.encoders import BUNDLED_MODELS, KNOWN_MODELS


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("models", help="list the models that have a short name")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    for number, bundled in enumerate(BUNDLED_MODELS):
        print(f"{bundled.name:8} {'(default)' if number == 0 else '':30} {'':9} {bundled.note}")
    for model in KNOWN_MODELS:
        print(f"{model.short:8} {model.name:30} layer {model.layer:<3} {model.note}")
    print(f"{'':8} {'any Hugging Face model':30} {'':9} owner/name, or a local folder")
