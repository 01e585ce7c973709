"""Runs the programs of an engine, ends them when this process ends, and explains their failures."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from wordalign.errors import ModelError


@dataclass(frozen=True, slots=True)
class Program:
    """A command, the folder it runs in, and what is added to its environment."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def run_programs(programs: Sequence[Program], at_once: int, what: str) -> None:
    """Run all programs, `at_once` at a time. If one fails, or this process is told to end, all are ended.

    `what` names the engine in error messages.
    """
    waiting = list(enumerate(programs))
    with _told_to_end(), contextlib.ExitStack() as running:
        while waiting:
            batch, waiting = waiting[:at_once], waiting[at_once:]
            started = [(_start(program, number, running, what), program, number) for number, program in batch]
            for process, program, number in started:
                if process.wait() != 0:
                    said = (program.folder / f"said{number}.txt").read_text("utf-8", "replace")
                    raise ModelError(_explain(process.returncode, said, what))


@contextlib.contextmanager
def _told_to_end() -> Iterator[None]:
    """Lets SIGTERM and SIGHUP end this process as Ctrl-C does: programs and temporary folders go first.

    This is done only where no other handler is set, and only in the main thread, because no other gets
    signals.
    """
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = [number for number in signals if signal.getsignal(number) == signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread():
        ours = []
    try:
        for number in ours:
            signal.signal(number, _exit)
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """Delays signals, so that none comes between starting a program and noting that it has to be ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    signals = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in signals}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in before:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _exit(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _start(
    program: Program, number: int, running: contextlib.ExitStack, what: str
) -> subprocess.Popen[bytes]:
    with _signals_wait(), (program.folder / f"said{number}.txt").open("wb") as said:
        try:
            process = subprocess.Popen(
                list(program.command),
                cwd=program.folder,
                env={**os.environ, **program.environment},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        except OSError as error:
            raise ModelError(
                f"{what} cannot be started ({error.strerror}: {program.command[0]}). "
                "Set TMPDIR to a folder in which programs may run, or give no seed."
            ) from error
        running.callback(_end, process)
        return process


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()


def _explain(code: int, said: str, what: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    reason = f" It said: {lines[-1][:200]}" if lines else ""
    if code >= 0:
        return f"{what} failed with exit status {code}.{reason}"
    name = signal.Signals(-code).name
    hint = " Most often that means that the memory was full: give it less text." if name == "SIGKILL" else ""
    return f"{what} was ended by {name}.{hint}{reason}"
