"""The bytes of a request: never more than allowed in memory, never longer than allowed on the way."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope

from wordalign.serve.refusals import RefusedError

# A client that is told "too large" while it still sends would see a reset connection instead of the answer,
# so some of what it sends is read and thrown away.
DRAINED_BYTES = 16 << 20
DRAIN_SECONDS = 2.0


class ClientGoneError(Exception):
    """Nobody is there to read an answer."""


async def read_body(scope: Scope, receive: Receive, limit: int, seconds: float) -> bytes:
    """The whole body; `RefusedError` where it is too large or too slow, whatever its header promised."""
    try:
        async with asyncio.timeout(seconds):
            if _declared_length(scope) <= limit:
                body = await _body(receive, limit)
                if body is not None:
                    return body
    except TimeoutError:
        message = f"The request's body did not arrive within {seconds:g} seconds: send it again, faster."
        raise RefusedError(408, "body_too_slow", message, close=True) from None
    await _drain(receive)
    message = f"The request's body is larger than {limit:,} bytes: send fewer pairs at a time."
    raise RefusedError(413, "body_too_large", message, close=True)


async def _body(receive: Receive, limit: int) -> bytes | None:
    """None as soon as it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


async def _drain(receive: Receive) -> None:
    drained = 0
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            while drained < DRAINED_BYTES:
                message = await receive()
                drained += len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        pass


def _declared_length(scope: Scope) -> int:
    value: bytes = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    return int(value) if value.isdigit() else 0
