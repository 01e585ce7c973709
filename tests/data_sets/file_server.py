"""A web server on the loopback address that serves files, and misbehaves on demand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Answer:
    """`stop` bytes are sent of `length` announced; with `stall` the rest follows when it is set."""

    body: bytes = b""
    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    stop: int | None = None
    stall: Event | None = None
    chunked: bool = False
    begun: Event = field(default_factory=Event)


class FileServer:
    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def serve(self, path: str, answer: Answer | bytes) -> str:
        """The address at which the answer is given from now on."""
        self.answers[path] = answer if isinstance(answer, Answer) else Answer(answer)
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def stop(self) -> None:
        for answer in self.answers.values():
            if answer.stall is not None:
                answer.stall.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def serving() -> Iterator[FileServer]:
    server = FileServer()
    try:
        yield server
    finally:
        server.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, server: FileServer, *connection: Any) -> None:
        self.files = server
        super().__init__(*connection)

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self.files.asked.append(self.path)
        answer = self.files.answers.get(self.path, Answer(code=404))
        self.send_response(answer.code)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self._body(answer)
        self.close_connection = True

    def _body(self, answer: Answer) -> None:
        first, rest = answer.body[: answer.stop], answer.body[len(answer.body[: answer.stop]) :]
        try:
            self._write(answer, first)
            answer.begun.set()
            if answer.stall is not None:
                answer.stall.wait(60)
                self._write(answer, rest)
            if answer.chunked and (answer.stall is not None or not rest):
                self.wfile.write(b"0\r\n\r\n")
        except OSError:  # the client has gone
            pass

    def _write(self, answer: Answer, content: bytes) -> None:
        if answer.chunked and content:
            content = b"%x\r\n%s\r\n" % (len(content), content)
        self.wfile.write(content)
        self.wfile.flush()
