"""The routes, and how errors become answers."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict

from fastapi import FastAPI, Request
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from wordalign import __version__
from wordalign.serve.guard import Guard
from wordalign.serve.openapi import describe, errors
from wordalign.serve.refusals import RefusedError, answer_to, error_answer
from wordalign.serve.requests import ClientGoneError
from wordalign.serve.schemas import (
    AlignAnswer,
    CheckAnswer,
    DefaultsOut,
    Health,
    ModelsAnswer,
    ProjectAnswer,
    TransferAnswer,
)
from wordalign.serve.service import Service
from wordalign.serve.settings import Settings
from wordalign.serve.team.projects import ProjectFolder
from wordalign.serve.team.routes import add_routes

log = logging.getLogger("wordalign.serve")


def create_app(settings: Settings | None = None) -> ASGIApp:
    """The service as an ASGI application, its models loaded."""
    settings = settings or Settings()
    projects = None if settings.projects is None else ProjectFolder(settings.projects)
    service = Service(settings)
    models = to_json(
        {"models": service.catalogue.describe(), "defaults": DefaultsOut(), "limits": asdict(settings.limits)}
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.batcher.start()
        yield
        await service.batcher.stop()

    # FastAPI's own documentation pages load scripts from elsewhere: off.
    app = FastAPI(
        title="wordalign",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.openapi = describe(app, service, settings)  # type: ignore[method-assign]
    _explain_errors(app)

    @app.post("/v1/align", response_model=AlignAnswer, responses=errors(400, 408, 413, 415, 422, 429, 503))
    async def align(request: Request) -> Response:
        """Link the words of one pair of sentences or of many."""
        return await service.align(request.scope, request.receive)

    @app.post(
        "/v1/project", response_model=ProjectAnswer, responses=errors(400, 408, 413, 415, 422, 429, 503)
    )
    async def project(request: Request) -> Response:
        """Carry spans of one sentence of a pair to the other."""
        return await service.project(request.scope, request.receive)

    @app.post(
        "/v1/transfer", response_model=TransferAnswer, responses=errors(400, 408, 413, 415, 422, 429, 503)
    )
    async def transfer(request: Request) -> Response:
        """Put the markup and the placeholders of a source into its translation."""
        return await service.transfer(request.scope, request.receive)

    @app.post("/v1/check", response_model=CheckAnswer, responses=errors(400, 408, 413, 415, 422, 429, 503))
    async def check(request: Request) -> Response:
        """Say how probably pairs are translations, and what is wrong with them; takes what align takes."""
        return await service.check(request.scope, request.receive)

    @app.get("/v1/models", response_model=ModelsAnswer)
    async def list_models() -> Response:
        """The models that can be asked for, with their defaults, and the service's limits."""
        return Response(models, media_type="application/json")

    @app.get("/healthz", response_model=Health)
    async def health() -> Response:
        """Whether the service is alive, and how busy."""
        content = {"status": "ok", "version": __version__, "queue": service.admitted}
        return Response(to_json(content), media_type="application/json")

    @app.get("/metrics", responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}})
    async def metrics() -> Response:
        """Counters for Prometheus."""
        return Response(service.metrics.text(), headers={"Content-Type": service.metrics.content_type})

    add_routes(app, projects, settings.limits)

    page = StaticFiles(packages=[("wordalign.serve", "page")])
    app.mount("/page", page)

    @app.get("/", include_in_schema=False)
    async def index(request: Request) -> Response:
        return await page.get_response("index.html", request.scope)

    @app.get("/annotate.html", include_in_schema=False)
    async def annotate(request: Request) -> Response:
        return await page.get_response("annotate.html", request.scope)

    guarded: ASGIApp = Guard(app, service.metrics, settings.token, settings.hosts)
    if not settings.origins:
        return guarded
    return CORSMiddleware(
        guarded,
        allow_origins=settings.origins,
        allow_methods=("GET", "POST"),
        allow_headers=("Authorization", "Content-Type"),
        expose_headers=("Retry-After",),
    )


def _explain_errors(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(_: Request, refusal: RefusedError) -> Response:
        return answer_to(refusal)

    @app.exception_handler(ClientGoneError)
    async def gone(_: Request, __: ClientGoneError) -> Response:
        return Response(status_code=499)  # counted, never read

    @app.exception_handler(HTTPException)
    async def http_error(_: Request, error: HTTPException) -> Response:
        code, message = {
            404: ("not_found", "There is nothing at this address: see /openapi.json for what there is."),
            405: ("wrong_method", "This address does not take that method: see /openapi.json."),
        }.get(error.status_code, ("http_error", f"{error.detail}."))
        return error_answer(error.status_code, code, message, error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        """The log has the traceback; the answer never has."""
        message = "Something went wrong inside the service; its log says what."
        # The exception goes on to uvicorn, which logs it and ends the connection: the client must know.
        return error_answer(500, "internal_error", message, {"Connection": "close"})
