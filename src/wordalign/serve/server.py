"""The service on a socket, until it is told to stop; what is in flight then is finished first."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable, Sequence

import uvicorn

from wordalign.errors import UsageError
from wordalign.serve.app import create_app
from wordalign.serve.protocol import protocol_within
from wordalign.serve.settings import Settings

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
# The encoders' threads give the interpreter up more often than by default, so that answers flow meanwhile.
SWITCH_SECONDS = 0.001
KEEP_ALIVE_SECONDS = 20
# Every connection is an open file, and the usual bound of 1024 is soon reached.
OPEN_FILES = 65_536


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


def url_of(bound: socket.socket, names: Sequence[str] = ()) -> str:
    """An address by which the service can be called: by the first of `names`, if it has some."""
    host, port = bound.getsockname()[:2]
    if names:
        host = names[0]
    elif host in ("0.0.0.0", "::"):
        host = _own_address(bound.family)
    return f"http://[{host}]:{port}/" if ":" in host and host[0] != "[" else f"http://{host}:{port}/"


def _own_address(family: int) -> str:
    """The address that other machines would most likely use for this one."""
    far, near = ("2001:db8::1", "::1") if family == socket.AF_INET6 else ("192.0.2.1", "127.0.0.1")
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((far, 9))  # sends nothing: the system only chooses the way there
            return str(probe.getsockname()[0])
        except OSError:
            return near


def is_loopback(bound: socket.socket) -> bool:
    host: str = bound.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def serve(settings: Settings, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called when the first request can come."""
    _allow_many_connections()
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
        backlog=1024,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    # Having stopped, uvicorn sends itself the signal again: being told to stop is no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    _Server(config, ready).run(sockets=[bound])


def _allow_many_connections() -> None:
    """Raise the bound on open files as far as the system lets us."""
    try:
        import resource
    except ModuleNotFoundError:  # not a Unix
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
