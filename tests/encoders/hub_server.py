"""A model hub on the loopback address: what `huggingface_hub` asks of one, and its failures on demand."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """Folders served as repositories, each with the one revision `main`.

    `refusal`    answer every request with this status and these headers instead
    `break_off`  close the connection in the middle of this file, always
    `asked`      the requests so far, as "GET /path"
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Path] = {}
        self.refusal: tuple[int, dict[str, str]] | None = None
        self.break_off: str | None = None
        self.asked: list[str] = []
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), partial(_Handler, self))
        self._port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Nobody listens at the address for a while."""
        self.stop()
        try:
            yield
        finally:
            self.start()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, hub: Hub, *connection: Any) -> None:
        self.hub = hub
        super().__init__(*connection)

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.hub.asked.append(f"{self.command} {path}")
        if self.hub.refusal is not None:
            code, headers = self.hub.refusal
            return self._send(code, b"", headers)
        for name, folder in self.hub.repositories.items():
            if path.startswith(f"/{name}/resolve/"):
                revision, _, file = path.removeprefix(f"/{name}/resolve/").partition("/")
                return self._file(folder, revision, file)
            if path == f"/api/models/{name}" or path.startswith(f"/api/models/{name}/"):
                return self._about(name, folder, path.removeprefix(f"/api/models/{name}").strip("/"))
        return self._send(404, b"", {"X-Error-Code": "RepoNotFound"})

    def _file(self, folder: Path, revision: str, file: str) -> None:
        if revision not in ("main", COMMIT):
            return self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
        headers = {"X-Repo-Commit": COMMIT, "Accept-Ranges": "bytes"}
        if not (folder / file).is_file():
            return self._send(404, b"", {**headers, "X-Error-Code": "EntryNotFound"})
        content = (folder / file).read_bytes()
        headers["ETag"] = f'"{hashlib.sha256(content).hexdigest()}"'
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        code = 200
        if start:
            code = 206
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        stop = len(content) // 2 if file == self.hub.break_off else len(content)
        return self._send(code, content[start:], headers, stop=max(0, stop - start))

    def _about(self, name: str, folder: Path, what: str) -> None:
        """`revision/main` tells the commit, `tree/main` lists the files."""
        kind, _, revision = what.partition("/")
        if kind in ("revision", "tree") and revision.split("/")[0] not in ("main", COMMIT):
            return self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
        files = sorted(file.name for file in folder.iterdir())
        answer: object = {"id": name, "sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}
        if kind == "tree":
            answer = [
                {"type": "file", "path": file, "size": (folder / file).stat().st_size, "oid": COMMIT}
                for file in files
            ]
        return self._send(200, json.dumps(answer).encode(), {"Content-Type": "application/json"})

    def _send(
        self, code: int, content: bytes, headers: dict[str, str] | None = None, stop: int | None = None
    ) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(content[:stop])
