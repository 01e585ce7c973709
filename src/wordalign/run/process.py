"""A worker in a process of its own: chunks go there and what was made of them comes back, through pipes.

A process is started when the first chunk is for it, and loads its model then. It ends with the pipe: when
this process closes it, and also when this process is killed, at whatever it is doing. Ctrl-C does not reach
it; the process that was interrupted stops it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar, cast

from wordalign.errors import WordalignError
from wordalign.run.job import Done, Job, Parsed, Steps

if TYPE_CHECKING:
    from wordalign.io.records import Record

R = TypeVar("R", Done, Parsed)

# Every library that starts threads asks one of these when it is loaded.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


class _Process(Generic[R]):
    """A function of a chunk that is computed elsewhere."""

    def __init__(self, job: Job, threads: int, parse_only: bool) -> None:
        self._job, self._threads, self._parse_only = job, threads, parse_only
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def __call__(self, chunk: Sequence[Record]) -> R:
        process = self._started()
        try:
            _send(process.stdin, chunk)
            result, failed = pickle.load(cast(BinaryIO, process.stdout))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise WordalignError(_last_words(process.wait())) from error
        failure = None if failed is None else _error(*failed)
        if result is None and failure is not None:
            raise failure
        return cast(R, replace(result, failure=failure))

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise WordalignError("The run was stopped.")
            if self._process is None:
                try:
                    self._process = subprocess.Popen(
                        [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()"],
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        env={
                            **os.environ,
                            **dict.fromkeys(_THREADS, str(self._threads)),
                            "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
                        },
                        **_OWN_GROUP,
                    )
                except OSError as error:
                    raise WordalignError(
                        f"Cannot start a worker process: {error.strerror or error}. Use fewer workers; with "
                        "one, no process is started."
                    ) from error
                with suppress(OSError):  # a process that is dead already is noticed when it is to answer
                    _send(self._process.stdin, (self._job, self._parse_only))
        return self._process

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                for pipe in (self._process.stdin, self._process.stdout):
                    if pipe is not None:
                        with suppress(OSError):  # what could not be sent any more
                            pipe.close()


class WorkerProcess(_Process[Done]):
    """A chunk -> its `Done`."""

    def __init__(self, job: Job, threads: int) -> None:
        super().__init__(job, threads, parse_only=False)


class ParserProcess(_Process[Parsed]):
    """A chunk -> its `Parsed`."""

    def __init__(self, job: Job) -> None:
        super().__init__(job, threads=1, parse_only=True)


def stop_all(processes: Sequence[WorkerProcess] | Sequence[ParserProcess]) -> None:
    for process in processes:
        process.stop()


# Signals of the terminal go to the group that the user sees.
_OWN_GROUP: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}


def serve() -> None:
    """What the process does: answer each chunk, until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may come between the answers
    chunks: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, chunks), daemon=True).start()
    job, parse_only = chunks.get()
    work: Callable[[Sequence[Record]], Any] | None = None
    while True:
        chunk = chunks.get()
        try:
            work = work or (Steps(job, {}).parse if parse_only else job.open())
            result = work(chunk)
            answer = replace(result, failure=None), result.failure and _fields(result.failure)
        except Exception as error:
            answer = None, _fields(error)
        _send(answers, answer)


def _receive(stream: BinaryIO, chunks: SimpleQueue[Any]) -> None:
    try:
        while True:
            chunks.put(pickle.load(stream))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)  # nobody waits for the answers any more


def _send(stream: Any, value: object) -> None:
    pickle.dump(value, stream, protocol=pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _fields(error: Exception) -> tuple[type[Exception], str, list[str]]:
    """An error that can be sent: our own by class and sentence, any other in words."""
    notes = list(getattr(error, "__notes__", []))
    if isinstance(error, WordalignError):
        return type(error), str(error), notes
    if isinstance(error, MemoryError):
        return MemoryError, str(error), notes  # numpy's is a class of its own, with other arguments
    told = "".join(traceback.format_exception(error))
    return RuntimeError, f"A worker process failed: {type(error).__name__}: {error}", [*notes, told]


def _error(kind: type[Exception], message: str, notes: Sequence[str]) -> Exception:
    error = kind.__new__(kind, message)  # some build their message from other arguments
    error.args = (message,)
    for note in notes:
        error.add_note(note)
    return error


def _last_words(status: int) -> str:
    if status >= 0:
        return f"A worker process ended unexpectedly, with status {status}: what it said may tell why."
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return (
        f"A worker process was killed ({name}). If nobody did that on purpose, the memory was full: "
        "use fewer workers."
    )
