"""An encoder whose model is in another process: what the host does with text is here, the device is there.

    worker process   words -> subwords          -> numbers  --connection-->  process with the device
                     links  <- numbers                      <--connection--

`RemoteEncoder` is made in the process that has the model (`RemoteEncoder.of`), sent to others as a value, and
used there once it is told its connection. It has all facts about the model and its tokenizer, and needs
no torch.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from wordalign.encoders.base import Encoder
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.subwords import SubwordTable
from wordalign.encoders.windows import Frame
from wordalign.errors import WordalignError
from wordalign.types import Encoding

# What is asked, its arguments.
Request: TypeAlias = tuple[str, tuple[Any, ...]]
ENCODE, LINK, PIECES = "encode", "link", "pieces"


class Caller:
    """Asks over a connection, for several threads; answers come in the order of the questions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._waiting: deque[list[Any]] = deque()

    def ask(self, kind: str, *arguments: Any) -> Callable[[], Any]:
        """Send a question; the function that is returned waits for its answer."""
        slot: list[Any] = []
        with self._lock:
            try:
                self._connection.send((kind, arguments))
            except OSError as error:
                raise WordalignError(_ENDED) from error
            self._waiting.append(slot)
        return lambda: self._answer(slot)

    def _answer(self, slot: list[Any]) -> Any:
        with self._lock:
            while not slot:
                try:
                    answer = self._connection.recv()
                except (EOFError, OSError) as error:
                    raise WordalignError(_ENDED) from error
                self._waiting.popleft().append(answer)
        result, failure = slot[0]
        if failure is not None:
            raise failure
        return result


_ENDED = (
    "The process that runs the model on its device ended unexpectedly; its last output may tell why. If its "
    "memory was full, close what else uses the device, or use fewer workers."
)


@dataclass(frozen=True, slots=True, eq=False)
class RemoteRows:
    """What the host needs to prepare pairs for the device, and the way to it."""

    subwords: SubwordTable
    frame: Frame
    chunk_pairs: int
    ask: Callable[..., Callable[[], Any]]


@dataclass(frozen=True, slots=True, eq=False)
class RemoteFacts:
    """All that a process without the model has to know of it; can be sent to other processes."""

    signature: str
    calibration: Calibration | None
    default_method: str
    default_level: str
    languages: tuple[str, ...] | None
    device: str
    subwords: SubwordTable
    frame: Frame
    chunk_pairs: int

    @classmethod
    def of(cls, encoder: Encoder) -> RemoteFacts:
        rows = encoder.on_device
        assert rows is not None
        return cls(
            encoder.signature,
            encoder.calibration,
            encoder.default_method,
            encoder.default_level,
            encoder.languages,
            encoder.device,
            rows.subwords,
            rows.frame,
            rows.chunk_pairs,
        )


class RemoteEncoder(Encoder):
    """A model on a device of another process, by its facts and a connection to it."""

    def __init__(self, facts: RemoteFacts, connection: Connection) -> None:
        self._caller = Caller(connection)
        self.signature = facts.signature
        self.calibration = facts.calibration
        self.default_method = facts.default_method
        self.default_level = facts.default_level
        self.languages = facts.languages
        self.device = facts.device
        self.chunk_pairs = facts.chunk_pairs
        self.facts = facts
        self.on_device = RemoteRows(facts.subwords, facts.frame, facts.chunk_pairs, self._caller.ask)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        found: list[Encoding] = self._caller.ask(ENCODE, sentences)()
        return found

    def subwords(self, words: Sequence[str]) -> Sequence[str]:
        found: Sequence[str] = self._caller.ask(PIECES, words)()
        return found
