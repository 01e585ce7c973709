"""Answers that are not what was asked for: a status, a short code for programs, a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic_core import to_json
from starlette.responses import Response

from wordalign.errors import WordalignError


class RefusedError(WordalignError):
    """Turned into its answer by `app`; `close` ends the connection, whose request was not read whole."""

    def __init__(
        self, status: int, code: str, message: str, *, retry_after: int | None = None, close: bool = False
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers: dict[str, str] = {}
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)
        if close:
            self.headers["Connection"] = "close"


def answer_to(refusal: RefusedError) -> Response:
    return error_answer(refusal.status, refusal.code, str(refusal), refusal.headers)


def error_answer(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    # Half of a surrogate pair (from a path, say) has no UTF-8.
    message = message.encode("utf-8", "replace").decode("utf-8")
    body = to_json({"error": {"code": code, "message": message}})
    return Response(body, status, headers, media_type="application/json")
