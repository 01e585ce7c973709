"""Worker processes that share the memory of one model: a template loads it once, and each worker is its fork.

    this process --- template       loads the model, runs it once, and computes nothing
                       |- worker 1  reads the template's pages, and has its own only of what it writes
                       `- worker 2

A fork copies only the thread that asks for it, so it is safe only where there is no other one. The template
therefore keeps its libraries from starting threads, and counts its threads before each fork; where there are
several nevertheless, it starts the worker as a program of its own, which loads the model again. That is also
the way on systems that are not Linux, where libraries of the system itself do not bear a fork.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from wordalign.parallel import WorkerProcess, packed, serve, start_python, unpacked

T = TypeVar("T")
R = TypeVar("R")

# `tokenizers` starts threads of its own unless it is told not to; so does the telemetry of onnxruntime, which
# is off.
_NO_THREADS = {"TOKENIZERS_PARALLELISM": "false"}
_FORK, _WAIT = b"f", b"w"
_NUMBER = struct.Struct("=q")
_TASKS = Path("/proc/self/task")
PATIENCE = 2.0  # seconds for a template to end, which may be loading a model
_PARENT_DIES = 1  # PR_SET_PDEATHSIG


def alike(
    make: Callable[[], Callable[[T], R]], workers: int, threads: int = 1, share: bool = True
) -> list[WorkerProcess[T, R]]:
    """So many processes that compute the same function, with one copy of what they only read.

    They share it where the system can and `share` says that the function bears it; `make` should then have
    used what it returns once. They are stopped together.
    """
    template = Template(make) if share and threads == 1 and sys.platform == "linux" else None
    return [WorkerProcess[T, R](make, threads, template=template) for _ in range(workers)]


class Template:
    """A process that makes the function, and whose forks compute it; it starts with the first of them."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._make = make
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()  # one question at a time
        self._starting = threading.Lock()
        self._stopped = False
        self._workers = 0

    def fork(self) -> ForkedWorker:
        """A worker that answers as soon as the template has made the function. May raise an OSError."""
        with self._lock:
            process = self._started()
            with ExitStack() as theirs, ExitStack() as ours:
                items_out, items_in = _pipe(theirs, ours)
                answers_out, answers_in = _pipe(ours, theirs)
                # If the template is dead, whoever waits for an answer will notice.
                with suppress(BrokenPipeError, ConnectionResetError):
                    socket.send_fds(self._control, [_FORK], [items_out, answers_in])
                ours.pop_all()
            number, self._workers = self._workers, self._workers + 1
        return ForkedWorker(self, process, number, os.fdopen(items_in, "wb"), os.fdopen(answers_out, "rb"))

    def _started(self) -> subprocess.Popen[bytes]:
        with self._starting:
            if self._stopped:
                raise BrokenPipeError("the run was stopped")
            if self._process is None:
                self._control, theirs = socket.socketpair()
                with theirs:
                    self._process = start_python(
                        f"from {__name__} import run; run()",
                        1,
                        environment=_NO_THREADS,
                        stdin=theirs,
                        stdout=subprocess.DEVNULL,
                    )
                made = packed(self._make)
                with suppress(BrokenPipeError, ConnectionResetError):
                    self._control.sendall(_NUMBER.pack(len(made)) + made)
            return self._process

    def wait_for(self, number: int) -> int:
        """The status with which a worker ended; the template's own where that is dead too."""
        with self._lock:
            try:
                self._control.sendall(_WAIT + _NUMBER.pack(number))
                return _read_number(self._control)
            except (OSError, EOFError):
                assert self._process is not None
                return self._process.wait()

    def stop(self) -> None:
        """End the template, and with it its workers, whatever they are doing."""
        with self._starting:
            self._stopped = True
            if self._process is not None and self._process.returncode is None:
                # The template ends its workers and waits for them: the system then counts their time as ours.
                with suppress(OSError):
                    self._control.shutdown(socket.SHUT_RDWR)
                try:
                    self._process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
        with self._lock:  # nobody waits for an answer of the template any more
            if self._process is not None:
                self._control.close()


class ForkedWorker:
    """A worker of a template, as `subprocess.Popen` shows one that was started."""

    def __init__(
        self,
        template: Template,
        process: subprocess.Popen[bytes],
        number: int,
        stdin: BinaryIO,
        stdout: BinaryIO,
    ) -> None:
        self._template, self._process, self._number = template, process, number
        self.stdin, self.stdout = stdin, stdout
        self._status: int | None = None

    def kill(self) -> None:
        self._template.stop()

    def wait(self) -> int:
        if self._process.returncode is not None:
            return self._process.returncode
        if self._status is None:
            self._status = self._template.wait_for(self._number)
        return self._status


def _pipe(reader: ExitStack, writer: ExitStack) -> tuple[int, int]:
    """A pipe whose ends are closed with these."""
    read, write = os.pipe()
    reader.callback(os.close, read)
    writer.callback(os.close, write)
    return read, write


def run() -> None:
    """Run in the template: make the function, and a worker whenever one is asked for."""
    os.dup2(2, 1)
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    make: Any = None
    workers: list[int] = []
    with suppress(EOFError, OSError):
        made = _read(control, _read_number(control))
        try:
            make = unpacked(made)
            function = make()
        except Exception:
            # The workers try again, and tell why it cannot be done.
            function = None
        # What is there now is never looked at again by the collector, which would write to it.
        gc.collect()
        gc.freeze()
        while True:
            question, descriptors, *_ = socket.recv_fds(control, 1, 2)
            if question == _FORK:
                try:
                    workers.append(_start_worker(function, control, *descriptors))
                except OSError as error:
                    # The worker's pipes end, and whoever waits for its answer is told.
                    workers.append(0)
                    sys.stderr.write(f"Cannot start a worker process: {error.strerror}. Use fewer workers.\n")
                for descriptor in descriptors:
                    os.close(descriptor)
            elif question == _WAIT:
                number = _read_number(control)
                worker, workers[number] = workers[number], 0
                status = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) if worker else 1
                control.sendall(_NUMBER.pack(status))
            else:
                break
    for worker in filter(None, workers):  # nobody asks any more
        with suppress(OSError):
            os.kill(worker, signal.SIGKILL)
            os.waitpid(worker, 0)
    os._exit(0)


def _start_worker(
    function: Callable[[Any], Any] | None, control: socket.socket, items: int, answers: int
) -> int:
    if len(list(_TASKS.iterdir())) > 1:
        process = start_python(
            "from wordalign.parallel import serve; serve()", 1, stdin=items, stdout=answers
        )
        _SPAWNED.append(process)
        return process.pid
    template = os.getpid()
    worker = os.fork()
    if not worker:
        _be_worker(function, control, items, answers, template)
    return worker


# A process that nobody refers to is waited for by the next one that is started, and its status lost.
_SPAWNED: list[subprocess.Popen[bytes]] = []


def _be_worker(
    function: Callable[[Any], Any] | None, control: socket.socket, items: int, answers: int, template: int
) -> NoReturn:
    try:
        # Who stops the template stops its workers. Without this they would end with their pipes.
        ctypes.CDLL(None).prctl(_PARENT_DIES, signal.SIGKILL)
        if os.getppid() == template:
            control.close()
            for descriptor, place in ((items, 0), (answers, 1)):
                os.dup2(descriptor, place)
                os.close(descriptor)
            serve(function)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _read_number(control: socket.socket) -> int:
    return int(_NUMBER.unpack(_read(control, _NUMBER.size))[0])


def _read(control: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        if not (more := control.recv(size - len(found))):
            raise EOFError
        found += more
    return found
