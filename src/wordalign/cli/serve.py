"""`wordalign serve`: the web page and the HTTP service."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import webbrowser
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, MissingExtraError, UsageError
from wordalign.serve.settings import Limits, Settings

TOKEN_VARIABLE = "WORDALIGN_TOKEN"
_LIMITS = {
    "body": "bytes of a request",
    "pairs": "pairs of a request",
    "words": "words of a sentence",
    "characters": "characters of a sentence",
    "cells": "cells of a similarity matrix",
    "queue": "requests that wait; more are answered 429",
    "seconds": "seconds for a request",
}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "serve",
        help="open the web page, and answer requests over HTTP",
        description="Serve the web page and an HTTP service (docs/service.md). A token for it is taken from "
        f"--token-file or the environment variable {TOKEN_VARIABLE}.",
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine only)"
    )
    parser.add_argument(
        "--port", type=_port, default=8000, help="default: %(default)s; 0 takes any free one and says which"
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="MODEL",
        help="a model that requests may name; can be given several times, the first is the default "
        "(default: base)",
    )
    parser.add_argument("--token-file", metavar="FILE", help="a file that holds the token")
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="a web site, as https://example.org, whose scripts may use the service (default: none)",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name by which the service may be called; others are refused, but for localhost (default: "
        "localhost alone, or any name where --host lets other machines in)",
    )
    parser.add_argument(
        "--project",
        metavar="FOLDER",
        help="keep annotation projects in this folder, for everybody who may use the service "
        "(docs/annotation.md; default: projects stay in each browser)",
    )
    for limit in fields(Limits):
        parser.add_argument(
            f"--max-{limit.name}",
            type=_positive(float if limit.name == "seconds" else int),
            default=limit.default,
            metavar="N",
            help=f"{_LIMITS[limit.name]} (default: %(default)s)",
        )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    try:
        from wordalign.serve.server import LOOPBACK, bind, is_loopback, serve, url_of
    except ModuleNotFoundError as error:
        if (error.name or "wordalign").startswith("wordalign"):
            raise
        raise MissingExtraError("`wordalign serve`", "serve") from error
    settings = Settings(
        models=tuple(dict.fromkeys(arguments.model or ["base"])),
        limits=Limits(**{limit.name: getattr(arguments, f"max_{limit.name}") for limit in fields(Limits)}),
        token=_token(arguments.token_file),
        origins=tuple(arguments.allow_origin),
        projects=arguments.project,
    )
    # Bound before the models are loaded: a port that is taken is known at once.
    with bind(arguments.host, arguments.port) as bound:
        local = is_loopback(bound)
        names = tuple(arguments.allow_host)
        if local or names:
            settings = replace(settings, hosts=(*LOOPBACK, arguments.host, *names))
        url = url_of(bound, () if local else names)
        if not local and settings.token is None:
            print(
                "wordalign: warning: Other machines can reach this service, and it asks for no token: set "
                f"{TOKEN_VARIABLE} or give --token-file, unless a proxy in front of it asks for one.",
                file=sys.stderr, flush=True,
            )  # fmt: skip

        def ready() -> None:
            print(f"wordalign serves {', '.join(settings.models)} on {url} (Ctrl-C stops it)", flush=True)
            if arguments.open:
                # In a thread: some browsers only return when they are closed.
                threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

        serve(settings, bound, ready)


def _token(file: str | None) -> str | None:
    """Never an argument: those can be read by everybody on the machine."""
    if file is None:
        token = os.environ.get(TOKEN_VARIABLE)
        where = f"The environment variable {TOKEN_VARIABLE}"
        if token is None:
            return None
    else:
        try:
            token = Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"Cannot read the token from {file}: {getattr(error, 'strerror', error)}."
            ) from error
        where = file
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{where} holds no usable token: a token is one word of ASCII characters.")
    return token


def _port(value: str) -> int:
    port = int(value) if value.isdigit() else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{value!r} is not a port from 0 to 65535")
    return port


def _positive(kind: type) -> Any:
    def parse(value: str) -> Any:
        try:
            number = kind(value)
        except ValueError:
            number = 0
        if not 0 < number < 1e12:
            raise argparse.ArgumentTypeError(f"{value!r} is not a number above 0")
        return number

    return parse
