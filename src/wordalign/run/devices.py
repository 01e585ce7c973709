"""GPUs in processes of their own, and the host's work around them in as many processes as there are cores.

    this process     read --------------------------------------------------- write
    workers 1 … n         parse, cut into subwords --.      .-- links, lines
    one for each GPU                                 `-link-'

Only numbers travel between a worker and its GPU, through a socket of their own. A worker does whole chunks,
so results are the same for any number of workers and of GPUs. Every process ends when this one does.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeAlias

from wordalign.config import AlignConfig
from wordalign.encoders import Encoder, encoder_of, resolve
from wordalign.encoders.remote import ENCODE, LINK, PIECES, RemoteEncoder, RemoteFacts, RemoteRows, Request
from wordalign.errors import UsageError
from wordalign.machine import available_cores
from wordalign.parallel import WorkerProcess, portable, stop_all

AHEAD = 2  # chunks that are queued on a device while the links of one are fetched
Load: TypeAlias = Callable[[AlignConfig], Encoder]


def devices_of(config: AlignConfig) -> tuple[str, ...]:
    """The GPUs that a configuration asks for, as torch names them; none where the processor does the work."""
    kind, wanted = resolve(config.model).kind, config.device
    if os.name != "posix" or kind == "static" or wanted == "cpu" or (wanted is None and kind == "onnx"):
        return ()
    try:
        import torch
    except ModuleNotFoundError:
        return ()  # whatever loads the model says what is missing
    if wanted == "all":
        if not torch.cuda.is_available():
            raise UsageError("There is no GPU here that PyTorch can use: leave out --device all.")
        return tuple(f"cuda:{number}" for number in range(torch.cuda.device_count()))
    if wanted in (None, "auto"):
        return ("cuda",) if torch.cuda.is_available() else ()
    names = tuple(name.strip() for name in str(wanted).split(","))
    if len(set(names)) < len(names):
        raise UsageError(f"A device is named twice in {wanted!r}.")
    # Others, such as Apple's, work in this process.
    return names if all(name.startswith("cuda") for name in names) else ()


def default_workers(devices: int) -> int:
    """A process for each core that is not busy with reading, writing and feeding the devices."""
    return max(1, available_cores() - 1 - devices)


class DeviceProcesses:
    """A process for each device, and the encoders that stand for them in other processes.

    `encoder` is for this process, `take_workers` gives those for as many worker processes as there are
    connections.
    """

    encoder: RemoteEncoder

    def __init__(
        self, config: AlignConfig, devices: Sequence[str], workers: int, load: Load = encoder_of
    ) -> None:
        self._processes: list[WorkerProcess[None, RemoteFacts]] = []
        ends: list[list[int]] = [[] for _ in devices]
        self._free: list[int] = []
        # Connection 0 is this process's, the others are the workers', which share the devices evenly.
        for number in range(workers + 1):
            here, there = socket.socketpair()
            ends[max(number - 1, 0) % len(devices)].append(there.detach())
            self._free.append(here.detach())
        try:
            for device, descriptors in zip(devices, ends, strict=True):
                make = partial(_serve, config, device, descriptors, load)
                self._processes.append(WorkerProcess(make, _threads(len(devices)), descriptors))
            self._facts, *_ = [process(None) for process in self._processes]
        except BaseException:
            self.stop()
            raise
        self.encoder = RemoteEncoder(self._facts, Connection(self._free.pop(0)))

    @property
    def free_workers(self) -> int:
        """How many more worker processes there can be."""
        return len(self._free)

    def take_workers(self, number: int) -> list[tuple[Callable[[], RemoteEncoder], int]]:
        """What opens the encoder in each of so many processes, and the descriptor that it has to inherit."""
        taken, self._free = self._free[:number], self._free[number:]
        return [(partial(_connect, self._facts, descriptor), descriptor) for descriptor in taken]

    def stop(self) -> None:
        stop_all(self._processes)
        while self._free:
            os.close(self._free.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _threads(devices: int) -> int:
    return max(1, min(4, available_cores() // (2 * devices)))


def _connect(facts: RemoteFacts, descriptor: int) -> RemoteEncoder:
    return RemoteEncoder(facts, Connection(descriptor))


def _serve(
    config: AlignConfig, device: str, descriptors: Sequence[int], load: Load
) -> Callable[[None], RemoteFacts]:
    """Run in the device's process: load the model, and answer whoever is connected."""
    encoder = load(replace(config, device=device))
    facts = RemoteFacts.of(encoder)
    server = DeviceServer(encoder, [Connection(descriptor) for descriptor in descriptors])
    threading.Thread(target=server.run, daemon=True).start()
    return lambda _: facts


class DeviceServer:
    """Takes questions of all connections and keeps the device busy: some are always queued ahead."""

    def __init__(self, encoder: Encoder, connections: Sequence[Connection]) -> None:
        from wordalign.links.device import DeviceQueue  # needs torch

        assert encoder.on_device is not None
        assert not isinstance(encoder.on_device, RemoteRows)
        self._encoder = encoder
        self._queue = DeviceQueue(encoder.on_device)
        self._requests: SimpleQueue[tuple[Connection, Request]] = SimpleQueue()
        self._answers: SimpleQueue[tuple[Connection, Any]] = SimpleQueue()
        for connection in connections:
            threading.Thread(target=self._receive, args=(connection,), daemon=True).start()
        threading.Thread(target=self._reply, daemon=True).start()

    def run(self) -> None:
        # A thread that feeds the device should not wait long for one that unpacks numbers.
        sys.setswitchinterval(0.0005)
        started: deque[tuple[Connection, Callable[[], Any]]] = deque()
        while True:
            try:
                connection, request = self._requests.get(block=not started)
            except Empty:
                self._finish(*started.popleft())
                continue
            started.append((connection, self._start(request)))
            if len(started) > AHEAD:
                self._finish(*started.popleft())

    def _start(self, request: Request) -> Callable[[], Any]:
        kind, arguments = request
        try:
            if kind == LINK:
                return self._queue(*arguments)
            work = {ENCODE: self._encoder.encode, PIECES: self._encoder.subwords}[kind]
            return partial(work, *arguments)
        except Exception as error:
            return partial(_raise, error)

    def _finish(self, connection: Connection, finish: Callable[[], Any]) -> None:
        try:
            self._answers.put((connection, (finish(), None)))
        except Exception as error:
            self._answers.put((connection, (None, portable(error))))

    def _receive(self, connection: Connection) -> None:
        try:
            while True:
                self._requests.put((connection, connection.recv()))
        except (EOFError, OSError):
            return  # the worker is gone

    def _reply(self) -> None:
        while True:
            connection, answer = self._answers.get()
            try:
                connection.send(answer)
            except OSError:
                continue


def _raise(error: Exception) -> Any:
    raise error
