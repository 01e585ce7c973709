"""Running an engine's programs: some at a time, ended with us, their failures explained."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wordalign.errors import ModelError


@dataclass(frozen=True, slots=True)
class Program:
    """A command, the folder it runs in, and what it sees in the environment beside what we see."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def run_programs(programs: Sequence[Program], at_once: int, what: str) -> None:
    """Run them all, so many at once. If one fails, or we are interrupted, the others are ended too."""
    waiting = list(enumerate(programs))
    with contextlib.ExitStack() as running:
        while waiting:
            batch, waiting = waiting[:at_once], waiting[at_once:]
            started = [(_start(program, number, running, what), program, number) for number, program in batch]
            for process, program, number in started:
                if process.wait() != 0:
                    said = (program.folder / f"said{number}.txt").read_text("utf-8", "replace")
                    raise ModelError(_explain(process.returncode, said, what))


def _start(
    program: Program, number: int, running: contextlib.ExitStack, what: str
) -> subprocess.Popen[bytes]:
    with (program.folder / f"said{number}.txt").open("wb") as said:
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
