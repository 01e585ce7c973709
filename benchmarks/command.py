"""The installed `wordalign` command as its users run it: a process of its own, and what came of it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATIENCE = 600.0


@dataclass(frozen=True, slots=True)
class Finished:
    """`code` is negative for a signal, and None for a process that did not end in time."""

    code: int | None
    stdout: bytes
    stderr: str

    @property
    def crashed(self) -> bool:
        """Anything but an end that was meant: a traceback, a signal, no end at all."""
        return self.code is None or self.code < 0 or "Traceback" in self.stderr

    @property
    def sentence(self) -> str:
        """The one line that explains a failure; empty where there is none, or more than one."""
        said = [line for line in self.stderr.splitlines() if line.startswith("wordalign: ")]
        return said[0] if len(said) == 1 and "Traceback" not in self.stderr else ""


def command() -> list[str]:
    script = Path(sys.executable).with_name("wordalign")
    return [str(script)] if script.exists() else [sys.executable, "-m", "wordalign"]


def start(
    arguments: Sequence[object], *, before: Sequence[str] = (), **options: Any
) -> subprocess.Popen[bytes]:
    """Pipes for standard output and error unless told otherwise; `before` is a program around it."""
    piped = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*before, *command(), *map(str, arguments)], **{**piped, **options})


def wait(process: subprocess.Popen[bytes], text: bytes | None = None, patience: float = PATIENCE) -> Finished:
    try:
        stdout, stderr = process.communicate(text, timeout=patience)
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        return Finished(None, stdout or b"", (stderr or b"").decode("utf-8", "replace"))
    return Finished(process.returncode, stdout or b"", (stderr or b"").decode("utf-8", "replace"))


def run(
    *arguments: object, text: bytes | None = None, patience: float = PATIENCE, **options: Any
) -> Finished:
    if text is not None:
        options["stdin"] = subprocess.PIPE
    return wait(start(arguments, **options), text, patience)


def with_environment(**more: str) -> Mapping[str, str]:
    return {**os.environ, **more}


@cache
def knows(option: str) -> bool:
    """Whether `wordalign align` has that option."""
    return option in run("align", "--help").stdout.decode()


def children(pid: int) -> list[int]:
    """The processes that a process started, from any of its threads."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            found += map(int, task.read_text().split())
    return found


def tree_memory(pid: int) -> int:
    """Bytes in memory of a process and of all that it started, what they share once; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    own = next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)
    return own + sum(map(tree_memory, children(pid)))


def limited(mib: int) -> Callable[[], None]:
    """For `preexec_fn`: no more address space than that."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20))


def measured(*arguments: object, patience: float = PATIENCE, **options: Any) -> tuple[Finished, int]:
    """A run that writes little to its pipes, and the most memory it was seen to have, in MiB."""
    process = start(arguments, **options)
    peak = 0
    end = time.monotonic() + patience
    while process.poll() is None and time.monotonic() < end:
        peak = max(peak, tree_memory(process.pid))
        time.sleep(0.05)
    return wait(process, patience=1.0), peak >> 20
