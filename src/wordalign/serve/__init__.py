"""Word alignment over HTTP, and the web page that uses it. Needs the extra `serve`.

A request's way: `protocol` (slow and endless clients) -> `guard` (host, token, headers) -> `app` (routes)
-> `body`, `schemas`, `limits` (bytes to pairs of sentences) -> `batching` (requests of all clients to
batches for one thread) -> `work` (a batch to links, matrices and JSON).
"""

from wordalign.serve.settings import Limits, Settings

__all__ = ["Limits", "Settings"]
