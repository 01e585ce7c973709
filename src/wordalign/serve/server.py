"""The service on a socket, until it is told to stop; what is in flight then is finished first."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable

import uvicorn

from wordalign.errors import UsageError
from wordalign.serve.app import create_app
from wordalign.serve.protocol import protocol_within
from wordalign.serve.settings import Settings

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
# The encoder's thread gives the interpreter up more often than by default, so that answers flow meanwhile.
SWITCH_SECONDS = 0.001
KEEP_ALIVE_SECONDS = 20
# Sockets are files, of which a process often may open 1024.
CONNECTIONS = 900


def bind(host: str, port: int) -> socket.socket:
    """A socket of its own for the service; port 0 is any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise UsageError(
            f"Cannot serve on {host}, port {port}: {error.strerror}. Give another --host or --port."
        ) from error
    return bound


def url_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1" if host == "0.0.0.0" else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def is_loopback(bound: socket.socket) -> bool:
    host: str = bound.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def serve(settings: Settings, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called when the first request can come."""
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        http=protocol_within(settings.limits.seconds),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.limits.seconds) + 5,
        limit_concurrency=CONNECTIONS,
        backlog=1024,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    # Having stopped, uvicorn sends itself the signal again: being told to stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    _Server(config, ready).run(sockets=[bound])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
