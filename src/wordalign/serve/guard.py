"""What every request passes and every answer carries: the host's name, the token, headers, a count."""

from __future__ import annotations

import hmac
import time
from collections.abc import Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordalign.serve.metrics import Metrics
from wordalign.serve.refusals import RefusedError, answer_to

# Routes with labels of their own in the metrics; whatever else is asked for counts as one.
ROUTES = frozenset(
    {
        "/",
        "/annotate.html",
        "/v1/align",
        "/v1/check",
        "/v1/project",
        "/v1/transfer",
        "/v1/models",
        "/healthz",
        "/metrics",
        "/openapi.json",
    }
)
PREFIXES = ("/page/", "/v1/annotation/")
PAGES = frozenset({"/", "/annotate.html", "/page/"})
GUARDED = ("/v1/", "/metrics")

HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
# A new version of the package brings a new page: a browser asks each time whether its copy is still good.
CACHED = {True: (b"cache-control", b"no-cache"), False: (b"cache-control", b"no-store")}


class Guard:
    """Wraps the application. An empty `hosts` takes every name, and `token` None lets everybody in."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, token: str | None = None, hosts: Sequence[str] = ()
    ) -> None:
        self._app = app
        self._metrics = metrics
        self._token = None if token is None else b"Bearer " + token.encode("utf-8")
        self._hosts = frozenset(host.lower().encode("utf-8") for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            # Answered as GET; the server, which knows better, leaves the body out.
            scope = {**scope, "method": "GET"}
        path: str = scope["path"]
        route = path if path in ROUTES else next(filter(path.startswith, PREFIXES), "other")
        start = time.perf_counter()

        async def send_and_count(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS, CACHED[route in PAGES]]
                seconds = time.perf_counter() - start if route == "/v1/align" else None
                self._metrics.answered(route, message["status"], seconds)
            await send(message)

        refusal = self._refusal(scope, path)
        if refusal is None:
            await self._app(scope, receive, send_and_count)
        else:
            await answer_to(refusal)(scope, receive, send_and_count)

    def _refusal(self, scope: Scope, path: str) -> RefusedError | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if self._hosts and _host_name(headers.get(b"host", b"")) not in self._hosts:
            # A page of some web site whose name was made to point here must not read answers.
            message = "This service is not called by that name; `wordalign serve --allow-host NAME` adds one."
            return RefusedError(421, "wrong_host", message, close=True)
        if self._token is None or not path.startswith(GUARDED):
            return None
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._token):
            refusal = RefusedError(
                401, "unauthorized", "Give the service's token: Authorization: Bearer TOKEN."
            )
            refusal.headers |= {"WWW-Authenticate": "Bearer", "Connection": "close"}
            return refusal
        return None


def _host_name(host: bytes) -> bytes:
    """`localhost:8000` -> `localhost`, `[::1]:8000` -> `[::1]`."""
    host = host.lower()
    return host.partition(b"]")[0] + b"]" if host.startswith(b"[") else host.partition(b":")[0]
