"""The web page's files, read once: a request's path is only ever looked up among them."""

from __future__ import annotations

from importlib import resources

from starlette.responses import Response

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


class Pages:
    def __init__(self) -> None:
        folder = resources.files("wordalign.serve") / "page"
        files = [file for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
        self._files = {
            file.name: (file.read_bytes(), TYPES[suffix])
            for file in files
            if (suffix := "." + file.name.rpartition(".")[2]) in TYPES
        }

    def answer(self, name: str) -> Response | None:
        """The file of that name, None if the package has none."""
        if name not in self._files:
            return None
        content, media_type = self._files[name]
        return Response(content, media_type=media_type, headers={"Cache-Control": "no-cache"})
