"""The command line: parses, calls the library, explains errors. One subcommand a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from wordalign import __version__
from wordalign.cli import (
    align,
    bench,
    data,
    evaluate,
    methods,
    models,
    null_threshold,
    serve,
    show,
    symmetrize,
    vectors,
)
from wordalign.errors import UsageError, WordalignError

COMMANDS = (align, symmetrize, evaluate, show, null_threshold, models, methods, data, serve, vectors, bench)


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wordalign", description="Word alignment of sentences and their translations."
    )
    parser.add_argument("--version", action="version", version=f"wordalign {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 good, 1 failure, 2 wrong usage, 130 interrupted."""
    arguments = build_parser().parse_args(argv)
    try:
        arguments.run(arguments)
        return 0
    except WordalignError as error:
        _say(str(error), error)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt as interrupt:
        _say("Interrupted.", interrupt)
        return 130
    except MemoryError as error:
        _say("The memory is full: free some, or give shorter lines.", error)
        return 1
    except BrokenPipeError:
        # The reader of our output (head, say) has had enough. Nothing more may reach standard output,
        # not even the flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _say(message: str, error: BaseException) -> None:
    print(f"wordalign: {message}", *getattr(error, "__notes__", []), file=sys.stderr)
