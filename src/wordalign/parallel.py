"""Work on many items at once, with the results in order: chunks, threads and processes.

    items    a b c d e
    lane 1   a---- c-- e-
    lane 2   b- d--                d waits for the results of a, b and c before it is handed on
    results        a b c d e

`cut` makes chunks of single items, `ordered` runs lanes over them, and a lane may be a `WorkerProcess`: a
function that a process of its own computes. `template.py` makes several that share memory.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, TypeAlias, TypeVar, cast

from wordalign.errors import WordalignError
from wordalign.machine import available_cores

if TYPE_CHECKING:
    from wordalign.template import ForkedWorker, Template

T = TypeVar("T")
R = TypeVar("R")
Tasks: TypeAlias = "SimpleQueue[tuple[Future[R], T] | None]"

# Every library that starts threads asks one of these when it is loaded.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
PIPE_BYTES = 1 << 20  # of one pipe, what Linux allows everybody …
PIPES_BYTES = 1 << 25  # … and of all pipes together, half of what it allows a user
# Signals of the terminal go to the group that the user sees.
_OWN_GROUP: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}


def cut(
    items: Iterable[T], most: int, size_of: Callable[[T], int] = lambda item: 0, most_size: int = 0
) -> Iterator[list[T]]:
    """Cut items into chunks of at most `most` items that are at most `most_size` large together.

    An item that is larger than that is a chunk of its own. Items that came before an error of `items` are
    still handed on. Where a chunk ends depends on the items alone, never on how fast or by how many workers
    they are done: equal chunks are batched equally, and so two runs give equal results.

    >>> list(cut([3, 4, 9, 2, 5], 3, int, 10))
    [[3, 4], [9], [2, 5]]
    """
    chunk: list[T] = []
    held = 0
    try:
        for item in items:
            size = size_of(item)
            if chunk and held + size > most_size:
                yield chunk
                chunk, held = [], 0
            chunk.append(item)
            held += size
            if len(chunk) == most:
                yield chunk
                chunk, held = [], 0
    except Exception:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


def ordered(
    items: Iterable[T],
    lanes: Sequence[Callable[[T], R]],
    ahead: int,
    stop: Callable[[], object] = lambda: None,
) -> Generator[R, None, None]:
    """Give the result of each item, in order, while later items are still being worked on.

    Each lane is a function that a thread of its own calls with the next item. Items are taken in the thread
    that asks for results; at most `ahead` of them are being worked on or wait to be handed on, so that memory
    stays bounded. The first error, of a lane or of `items`, is raised after all results before it. At the
    end, however it comes about, `stop` is called (it must release lanes that wait for something), and all
    threads end.
    """
    results = _ordered(items, lanes, ahead, stop)
    _running.add(results)
    return results


# Python stops the threads of work that nobody takes any more wherever they are when it ends; where one holds
# a lock then, or is in a library, the whole process aborts.
_running: weakref.WeakSet[Generator[Any, None, None]] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    # The threads and processes of a parent are not its child's to end.
    os.register_at_fork(after_in_child=_running.clear)


@atexit.register
def _end_all() -> None:
    for results in list(_running):
        with suppress(Exception):  # one that cannot be ended, or is in use, must not keep the others
            results.close()


def _ordered(
    items: Iterable[T], lanes: Sequence[Callable[[T], R]], ahead: int, stop: Callable[[], object]
) -> Generator[R, None, None]:
    tasks: Tasks[R, T] = SimpleQueue()
    threads = [threading.Thread(target=_work, args=(lane, tasks), daemon=True) for lane in lanes]
    waiting: deque[Future[R]] = deque()
    taker = _Taker(items)
    try:
        for thread in threads:
            thread.start()
        while True:
            # One item for each result at least, and more while there is nothing to hand on.
            while len(waiting) < ahead and taker.take():
                future: Future[R] = Future()
                waiting.append(future)
                tasks.put((future, taker.item))
                if waiting[0].done():
                    break
            if not waiting:
                break
            yield waiting.popleft().result()
        if taker.failure is not None:
            raise taker.failure
    finally:
        for future in waiting:
            future.cancel()
        for _ in threads:
            tasks.put(None)
        stop()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


class _Taker(Generic[T]):
    """Takes the items one by one, and keeps the error that ends them until all results before it are out."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)
        self._ended = False
        self.failure: Exception | None = None

    def take(self) -> bool:
        if not self._ended:
            try:
                self.item = next(self._items)
            except StopIteration:
                self._ended = True
            except Exception as error:
                self._ended, self.failure = True, error
        return not self._ended


def _work(lane: Callable[[T], R], tasks: Tasks[R, T]) -> None:
    while (task := tasks.get()) is not None:
        future, item = task
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(lane(item))
            except BaseException as error:
                future.set_exception(error)


class WorkerProcess(Generic[T, R]):
    """A function that a process of its own computes; items and results travel through pipes.

    `make` is called in the process and returns the function; it, the items and the results must be picklable.
    The process starts with the first item, computes with `threads` threads, and ends with the pipe: when
    `stop` closes it, and also when this process is killed, whatever it is doing. Ctrl-C does not reach it;
    the process that was interrupted stops it. `descriptors` are open files that it inherits; this process
    closes them. With a `template`, which has made the same function, it is a fork of that.
    """

    def __init__(
        self,
        make: Callable[[], Callable[[T], R]],
        threads: int = 1,
        descriptors: Sequence[int] = (),
        template: Template | None = None,
    ) -> None:
        self._make, self._threads = make, threads
        self._descriptors = list(descriptors)
        self._template = template
        self._process: subprocess.Popen[bytes] | ForkedWorker | None = None
        self._lock = threading.Lock()
        self._stopped = False

    def __call__(self, item: T) -> R:
        process = self._started()
        try:
            _send(process.stdin, item)
            result, failure = pickle.load(cast(BinaryIO, process.stdout))
        except (EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
            raise WordalignError(_why_it_ended(process.wait())) from error
        if failure is not None:
            raise failure
        return cast(R, result)

    def _started(self) -> subprocess.Popen[bytes] | ForkedWorker:
        with self._lock:
            if self._stopped:
                raise WordalignError("The run was stopped.")
            if self._process is None:
                try:
                    self._process = self._start() if self._template is None else self._template.fork()
                    self._close_descriptors()
                except OSError as error:
                    raise WordalignError(
                        f"Cannot start a worker process: {error.strerror or error}. Use fewer workers; with "
                        "one, no process is started."
                    ) from error
                with suppress(OSError):  # a process that is dead already is noticed when it is to answer
                    _send(self._process.stdin, self._make)
        return self._process

    def _start(self) -> subprocess.Popen[bytes]:
        code = f"from {__name__} import serve; serve()"
        pipe = subprocess.PIPE
        process = start_python(code, self._threads, stdin=pipe, stdout=pipe, pass_fds=self._descriptors)
        for end in (process.stdin, process.stdout):
            _widen(end)
        return process

    def _close_descriptors(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        with self._lock:
            self._stopped = True
            self._close_descriptors()
            if self._template is not None:
                self._template.stop()
            if self._process is not None:
                self._process.kill()
                self._process.wait()
                for pipe in (self._process.stdin, self._process.stdout):
                    if pipe is not None:
                        with suppress(OSError):  # what could not be sent any more
                            pipe.close()


def _widen(pipe: Any) -> None:
    """Let a pipe hold a whole chunk, where the system allows it; else both ends take turns many times.

    Pipes of one worker for each core that are too wide together would leave the last ones less than they had.
    """
    size = min(PIPE_BYTES, PIPES_BYTES // (2 * available_cores()))
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        if size > fcntl.fcntl(pipe.fileno(), fcntl.F_GETPIPE_SZ):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, size)


def stop_all(processes: Sequence[WorkerProcess[Any, Any]]) -> None:
    for process in processes:
        process.stop()


def start_python(
    code: str, threads: int, environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """A process that runs this code with what can be imported here, and starts no more threads than that."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        env={
            **os.environ,
            **dict.fromkeys(_THREADS, str(threads)),
            **(environment or {}),
            "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        },
        **_OWN_GROUP,
        **options,
    )


def serve(function: Callable[[Any], Any] | None = None) -> None:
    """Run in the process: make the function unless it is given, and answer each item until the last."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may come between the answers
    items: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, items), daemon=True).start()
    make = items.get()
    answer: tuple[Any, Exception | None]
    while True:
        item = make if isinstance(make, _Unreadable) else items.get()
        if isinstance(item, _Unreadable):
            _send(answers, (None, portable(item.error)))
            os._exit(1)
        try:
            function = function or make()
            answer = function(item), None
        except Exception as error:
            answer = None, portable(error)
        try:
            _send(answers, answer)
        except OSError:
            os._exit(0)  # nobody waits for the answers any more


def _receive(stream: BinaryIO, items: SimpleQueue[Any]) -> None:
    try:
        while True:
            items.put(pickle.load(stream))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)  # nobody waits for the answers any more
    except Exception as error:  # a function that cannot be found or imported here; silence would last
        items.put(_Unreadable(error))


class _Unreadable:
    """What was sent, but means nothing in this process."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def _send(stream: Any, value: object) -> None:
    stream.write(packed(value))
    stream.flush()


def packed(value: object) -> bytes:
    """A value as one of our processes sends it to another. Nothing else is ever unpacked."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def unpacked(sent: bytes) -> Any:
    return pickle.loads(sent)


def portable(error: Exception) -> Exception:
    """An error that can be sent to another process: our own as it is, any other in words."""
    if isinstance(error, WordalignError):
        return error
    if isinstance(error, MemoryError):
        return MemoryError(str(error))  # numpy's is a class of its own, with other arguments
    told = RuntimeError(f"A worker process failed: {type(error).__name__}: {error}")
    for note in (*getattr(error, "__notes__", []), "".join(traceback.format_exception(error))):
        told.add_note(note)
    return told


def _why_it_ended(status: int) -> str:
    if status >= 0:
        return f"A worker process ended unexpectedly, with status {status}; its last output may tell why."
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return (
        f"A worker process was killed ({name}). If nobody did that on purpose, the memory was full: "
        "use fewer workers."
    )
