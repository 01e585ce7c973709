"""The command line: parses, calls the library, explains errors. One subcommand a file."""

from __future__ import annotations

import _thread
import argparse
import errno
import importlib
import os
import sys
import threading
from collections.abc import Iterable, Sequence

from wordalign import __version__
from wordalign.errors import UsageError, WordalignError

# Each is a module here, with an underscore for a hyphen.
COMMANDS = (
    "align",
    "lexicon",
    "check",
    "documents",
    "project",
    "symmetrize",
    "evaluate",
    "agreement",
    "show",
    "transfer",
    "null-threshold",
    "models",
    "methods",
    "data",
    "serve",
    "page",
    "tune",
    "vectors",
    "bench",
)


def build_parser(commands: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of these commands; a program that runs one command need not import the others."""
    parser = argparse.ArgumentParser(
        prog="wordalign", description="Word alignment of sentences and their translations."
    )
    parser.add_argument("--version", action="version", version=f"wordalign {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in commands:
        importlib.import_module(f"wordalign.cli.{command.replace('-', '_')}").add_parser(subparsers)
    parser.set_defaults(subparsers=subparsers)
    return parser


def parse_arguments(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Options may stand between file names, as in `align a.txt --raw b.txt`."""
    if not words or words[0] not in COMMANDS:
        return build_parser().parse_args(words)
    parser = build_parser([words[0]])
    if "--" in words:  # what follows are file names, which argparse forgets where it parses intermixed
        return parser.parse_args(words)
    command = parser.get_default("subparsers").choices[words[0]]
    try:
        return command.parse_intermixed_args(words[1:])  # type: ignore[no-any-return]
    except TypeError:  # a command with commands of its own cannot be parsed like that
        return parser.parse_args(words)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 good, 1 failure, 2 wrong usage, 130 interrupted."""
    before, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        arguments = parse_arguments(sys.argv[1:] if argv is None else argv)
        arguments.run(arguments)
        sys.stdout.flush()  # a full disk is noticed here, and not when Python exits
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
    except ImportError as error:
        if not _was_interrupted(error):
            raise
        _say("Interrupted.", error)
        return 130
    except BrokenPipeError:
        _close_standard_output()  # its reader (head, say) has had enough
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise  # files are opened by name, and what goes wrong with them is explained where they are
        _say(f"Cannot write standard output: {error.strerror}.", error)
        _close_standard_output()
        return 1
    finally:
        sys.unraisablehook = before


def _close_standard_output() -> None:
    """Let nothing more reach standard output, not even the flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _was_interrupted(error: BaseException | None) -> bool:
    """Did Ctrl-C lead to this error? Libraries written in C turn it into one of their own while they load."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Python drops what is raised in `__del__`, even Ctrl-C, which is raised again a moment later."""
    if unraisable.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _thread.interrupt_main).start()  # raised here, it would be dropped too
    else:
        sys.__unraisablehook__(unraisable)


def _say(message: str, error: BaseException) -> None:
    print(f"wordalign: {message}", *getattr(error, "__notes__", []), file=sys.stderr)
