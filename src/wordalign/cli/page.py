"""`wordalign page`: the web page as a folder that needs no service."""

from __future__ import annotations

import argparse
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "page",
        help="write the web page as a folder for any web server, with a model in it",
        description="Write the web page as a folder for any web server or static host. The model runs in the "
        "reader's browser, texts stay there, and the page works offline after the first visit "
        "(docs/javascript.md). What runs the model, the npm package onnxruntime-web, is fetched by npm now; "
        "or give --runtime.",
    )
    parser.add_argument(
        "--static",
        required=True,
        metavar="DIR",
        help="the folder to write; that of an earlier run is replaced",
    )
    parser.add_argument(
        "--model",
        default="tiny",
        metavar="MODEL",
        help="the model of the page: tiny (the default), base, or a folder in their format",
    )
    parser.add_argument(
        "--runtime",
        metavar="FOLDER",
        help="the folder dist of the npm package onnxruntime-web, where npm is not to fetch it",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    from wordalign.serve.static_page import write_static_page

    size = write_static_page(arguments.static, arguments.model, arguments.runtime)
    print(f"{arguments.static} has the page, {size / 1e6:.0f} MB. To see it here:")
    print(f"python -m http.server --directory {arguments.static}")
