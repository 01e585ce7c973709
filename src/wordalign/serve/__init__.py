"""Word alignment over HTTP, and the web page that uses it. Needs the extra `serve`.

A request passes `protocol` (slow and endless clients), `guard` (host, token, headers), `app` (routes),
`requests` (bytes to pairs of sentences), `batching` (requests of all clients to batches for one thread) and
`work` (a batch to links, matrices and JSON).
"""

from wordalign.serve.settings import Limits, Settings

__all__ = ["Limits", "Settings"]
