"""Connections that waste a server's time, and the end of those that are still useful when it stops."""

from __future__ import annotations

import asyncio

from pydantic_core import to_json
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

HEADER_BYTES = 64 << 10
# Data is looked at in pieces of this size, so that a head that arrives at once is measured, too.
PIECE = 16 << 10
# A client that keeps its connection may be sending its next request just when the service is told to stop.
GRACE_SECONDS = 1.0


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol with bounds that it does not have.

    A request's head has a time and a size, an answer has a time in which it must be read, and a connection
    that waits for its next request gets a moment for it when the service stops.
    """

    head_seconds = 10.0
    unread_seconds = 30.0
    _head_timer: asyncio.TimerHandle | None = None
    _unread_timer: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _stopping = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timers()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            if self._head_timer is not None:
                self._head_bytes += len(piece)
            super().data_received(piece)
            if self._head_timer is not None and self._head_bytes > HEADER_BYTES:
                message = f"The request's headers are larger than {HEADER_BYTES:,} bytes."
                self._refuse(431, "headers_too_large", message)
            if self.transport.is_closing():
                return

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
        super().on_headers_complete()
        if self._stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """Called for every connection when the service is told to stop."""
        self._stopping = True
        if self.cycle is not None and not self.cycle.response_complete:
            super().shutdown()
        else:
            self.loop.call_later(GRACE_SECONDS, super().shutdown)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread_timer = self.loop.call_later(self.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "invalid_http", msg)

    def _expect_head(self) -> None:
        self._head_bytes = 0
        message = f"The request's headers did not arrive within {self.head_seconds:g} seconds."
        self._head_timer = self.loop.call_later(
            self.head_seconds, self._refuse, 408, "headers_too_slow", message
        )

    def _refuse(self, status: int, code: str, message: str) -> None:
        self._cancel_timers()
        if self.transport.is_closing():
            return
        body = to_json({"error": {"code": code, "message": message}})
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[status] + head.encode("ascii") + body)
        self.transport.close()

    def _cancel_timers(self) -> None:
        for timer in (self._head_timer, self._unread_timer):
            if timer is not None:
                timer.cancel()
        self._head_timer = self._unread_timer = None


def protocol_within(seconds: float) -> type[Protocol]:
    """The protocol, where nothing takes longer than that."""
    times = {
        "head_seconds": min(seconds, Protocol.head_seconds),
        "unread_seconds": min(seconds, Protocol.unread_seconds),
    }
    return type("TimedProtocol", (Protocol,), times)
