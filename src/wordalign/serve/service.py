"""One align request from its bytes to its answer: read, checked, admitted, batched, waited for."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeAlias

from starlette.responses import Response
from starlette.types import Receive, Scope

from wordalign.config import AlignConfig
from wordalign.project.check import check_pair
from wordalign.serve.batching import Batcher
from wordalign.serve.catalogue import Catalogue
from wordalign.serve.metrics import Metrics
from wordalign.serve.refusals import RefusedError
from wordalign.serve.requests import (
    BodyReader,
    ClientGoneError,
    check_type,
    parse_request,
    project_part,
    split_request,
    transfer_part,
)
from wordalign.serve.schemas import PROJECT_REQUEST, REQUEST, TRANSFER_REQUEST
from wordalign.serve.settings import Settings
from wordalign.serve.work import Part, Work, head
from wordalign.types import Alignment

# What a request chooses, and its parts with the words of each.
Checked: TypeAlias = tuple[AlignConfig, list[tuple[Part, int]]]

# Checking a larger body takes milliseconds, in which nobody else would be answered.
CHECKED_AT_ONCE = 16 << 10
# Only a request that waits longer than this is asked whether its client is still there.
PATIENCE = 0.1


class Service:
    """The models, the queue and the counters behind the routes."""

    def __init__(self, settings: Settings) -> None:
        self._limits = settings.limits
        self._batch_words = settings.batch_words
        self.catalogue = Catalogue(settings.models)
        self.metrics = Metrics(lambda: self.admitted)
        self.batcher: Batcher[Part, bytes] = Batcher(
            self._batch, settings.batch_words, settings.linger, self.catalogue.batches_at_once
        )
        self.admitted = 0
        self._bodies = BodyReader(settings.limits)
        self._work = Work(self.catalogue, settings.limits.cells)
        self._heads: dict[AlignConfig, bytes] = {}

    async def align(self, scope: Scope, receive: Receive) -> Response:
        return await self._answer(scope, receive, self._checked)

    async def check(self, scope: Scope, receive: Receive) -> Response:
        return await self._answer(scope, receive, self._checked_check)

    async def project(self, scope: Scope, receive: Receive) -> Response:
        return await self._answer(scope, receive, self._checked_projection)

    async def transfer(self, scope: Scope, receive: Receive) -> Response:
        return await self._answer(scope, receive, self._checked_transfer)

    async def _answer(self, scope: Scope, receive: Receive, checked: Callable[[bytes], Checked]) -> Response:
        deadline = asyncio.get_running_loop().time() + self._limits.seconds
        # Asked before the body is read, since refusing must cost little, and again when all is known.
        self._refuse_if_full()
        check_type(scope)
        body = await self._bodies.read(scope, receive)
        if len(body) > CHECKED_AT_ONCE:
            choice, parts = await asyncio.to_thread(checked, body)
        else:
            choice, parts = checked(body)
        self._refuse_if_full()
        self.admitted += 1
        try:
            # A long request waits its turn again for each of its parts: short ones pass in between.
            results = [await self._result(part, words, receive, deadline) for part, words in parts]
        finally:
            self.admitted -= 1
        answer = b"".join((self._head(choice), b",".join(results), b"]}"))
        return Response(answer, media_type="application/json")

    def _refuse_if_full(self) -> None:
        if self.admitted >= self._limits.queue:
            message = f"{self.admitted} requests are waiting already: try again in a moment."
            raise RefusedError(429, "queue_full", message, retry_after=1)

    def _checked(self, body: bytes) -> Checked:
        request = parse_request(body, REQUEST)
        choice = self.catalogue.choose(request)
        return choice, split_request(request, choice, self._limits, self._batch_words)

    def _checked_check(self, body: bytes) -> Checked:
        choice, parts = self._checked(body)
        return choice, [(replace(part, matrix=False, answer=_check), words) for part, words in parts]

    def _checked_projection(self, body: bytes) -> Checked:
        request = parse_request(body, PROJECT_REQUEST)
        choice = self.catalogue.choose(request)
        return choice, [project_part(request, choice, self._limits)]

    def _checked_transfer(self, body: bytes) -> Checked:
        request = parse_request(body, TRANSFER_REQUEST)
        choice = self.catalogue.choose(request)
        return choice, [transfer_part(request, choice, self._limits)]

    async def _result(self, part: Part, words: int, receive: Receive, deadline: float) -> bytes:
        loop = asyncio.get_running_loop()
        if loop.time() >= deadline:
            raise self._too_late()
        future = self.batcher.submit(part, words)
        watchers: list[asyncio.Task[None]] = []
        timers = (
            loop.call_at(deadline, _fail, future, self._too_late()),
            loop.call_later(PATIENCE, lambda: watchers.append(loop.create_task(_watch(receive, future)))),
        )
        try:
            return await future
        finally:
            for timer in timers:
                timer.cancel()
            for watcher in watchers:
                watcher.cancel()

    def _too_late(self) -> RefusedError:
        # Not 408, which blames the client and which browsers quietly send again.
        message = (
            f"No answer was ready within {self._limits.seconds:g} seconds: try again, or send fewer pairs."
        )
        return RefusedError(503, "timeout", message, retry_after=math.ceil(self._limits.seconds / 10))

    def _batch(self, parts: Sequence[Part]) -> list[bytes | Exception]:
        start = time.perf_counter()
        results = self._work(parts)
        pairs = [pair for part in parts for pair in part.pairs]
        words = sum(len(pair.source) + len(pair.target) for pair in pairs)
        self.metrics.batch(len(pairs), words, time.perf_counter() - start)
        return results

    def _head(self, choice: AlignConfig) -> bytes:
        found = self._heads.get(choice)
        if found is None:
            calibrated = self.catalogue.calibration(choice.model) is not None
            found = head(str(choice.model), self.catalogue.aligner(choice), calibrated)
            if len(self._heads) > 256:
                self._heads.clear()
            self._heads[choice] = found
        return found


def _check(alignment: Alignment) -> dict[str, Any]:
    checked = check_pair(alignment)
    return {"score": round(checked.score, 4), "findings": [asdict(finding) for finding in checked.findings]}


def _fail(future: asyncio.Future[bytes], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


async def _watch(receive: Receive, future: asyncio.Future[bytes]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    _fail(future, ClientGoneError())
