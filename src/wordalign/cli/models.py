"""`wordalign models`: the model names that can be given, and the languages that a bundled model knows."""

from __future__ import annotations

import argparse
from typing import Any

from wordalign.encoders import BUNDLED_MODELS, KNOWN_MODELS
from wordalign.encoders.coverage import Coverage, read_coverage
from wordalign.encoders.resolve import resolve
from wordalign.errors import UsageError


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "models", help="list the models that have a short name, or their languages"
    )
    parser.add_argument(
        "model",
        nargs="?",
        help="with --languages: a bundled model or a folder of that format (default: the default model)",
    )
    parser.add_argument(
        "--languages",
        action="store_true",
        help="list the languages a model was trained on, and how well it aligns each where that was measured",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    if arguments.languages:
        print_languages(arguments.model)
    elif arguments.model:
        raise UsageError(f"To list the languages of {arguments.model!r}, give --languages too.")
    else:
        print_models()


def print_models() -> None:
    for number, bundled in enumerate(BUNDLED_MODELS):
        print(f"{bundled.name:8} {'(default)' if number == 0 else '':30} {'':9} {bundled.note}")
    for model in KNOWN_MODELS:
        print(f"{model.short:8} {model.name:30} layer {model.layer:<3} {model.note}")
    print(f"{'':8} {'any Hugging Face model':30} {'':9} owner/name, or a local folder")


def print_languages(name: str | None) -> None:
    source = resolve(name)
    if source.kind != "onnx" or source.folder is None:
        raise UsageError(f"{source.name} has no list of languages with it: see what its makers say of it.")
    rows = [("code", "language", "script", "pairs", "measured"), *map(_row, read_coverage(source.folder))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for code, language, script, pairs, measured in rows:
        cells = (
            f"{code:{widths[0]}}",
            f"{language:{widths[1]}}",
            f"{script:{widths[2]}}",
            f"{pairs:>{widths[3]}}",
            measured,
        )
        print("  ".join(cells))


def _row(coverage: Coverage) -> tuple[str, str, str, str, str]:
    names = {"f1": "F1", "aer": "AER"}
    figures = ", ".join(f"{names[key]} {value:.3f}" for key, value in coverage.measured.items())
    if figures and coverage.gold:
        figures += f" ({coverage.gold})"
    pairs = "" if coverage.pairs is None else f"{coverage.pairs:,}"
    return coverage.code, coverage.name, coverage.script, pairs, figures or "not measured"
