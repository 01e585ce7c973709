"""Real servers, each in a process of its own on a free port of this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
import pytest

PATIENCE = 120  # seconds; machines are slow at times


@dataclass
class Server:
    process: subprocess.Popen[str]
    url: str
    port: int
    client: httpx.Client

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(path, **more)

    def align(self, headers: dict[str, str] | None = None, **request: Any) -> httpx.Response:
        return self.client.post("/v1/align", json=request, headers=headers)

    def post(self, body: bytes, content_type: str = "application/json") -> httpx.Response:
        return self.client.post("/v1/align", content=body, headers={"Content-Type": content_type})

    def metric(self, name: str) -> float:
        found = re.search(rf"^{re.escape(name)} (\S+)$", self.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Server]:
    process = subprocess.Popen(
        [sys.executable, "-m", "wordalign", "serve", "--port", "0", "--model", "tiny", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        found = re.search(r"(http://[\w.\[\]:]+:(\d+)/)", line)
        assert found, process.stderr.read()
        with httpx.Client(base_url=found[1], timeout=PATIENCE, trust_env=False) as client:
            yield Server(process, found[1], int(found[2]), client)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def start_server() -> Callable[..., Any]:
    """`with start_server("--max-queue", "1") as server`: a server with the model tiny and these options."""
    return serving


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with all defaults, shared by the tests that do not harm it."""
    with serving("--model", "base") as started:
        yield started


def error_of(response: httpx.Response, status: int, code: str) -> str:
    """The sentence of a refusal."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    error = response.json()["error"]
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert "Traceback" not in response.text
    return error["message"]


@pytest.fixture(scope="session")
def refused() -> Callable[[httpx.Response, int, str], str]:
    return error_of
