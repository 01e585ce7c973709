"""Requests about annotation projects: read, checked, and done in a thread, since they wait for the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

from wordalign.errors import OutputError
from wordalign.serve.openapi import errors
from wordalign.serve.refusals import RefusedError
from wordalign.serve.requests import BodyReader, check_type, parse_request
from wordalign.serve.settings import Limits
from wordalign.serve.team.changes import Change
from wordalign.serve.team.projects import ID, OutdatedError, ProjectFolder

Answer = TypeVar("Answer")

LARGEST_PROJECT = 64 << 20  # bytes
MOST_CHANGES = 20_000  # of a step
_REFUSED = errors(400, 408, 409, 413, 415, 422, 429, 507)


class StepIn(BaseModel):
    """What one gesture of an annotator did."""

    model_config = ConfigDict(extra="forbid")

    step: Annotated[
        str, Field(pattern="^[0-9a-f]{16}$", description="A name of the step, made by the client.")
    ]
    by: Annotated[str, Field(max_length=200, description="Who did it.")] = ""
    base: Annotated[int, Field(ge=0, description="The revision of the project that the client knew.")]
    changes: Annotated[list[Change], Field(min_length=1, max_length=MOST_CHANGES)]


_STEP = TypeAdapter(StepIn)
_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def add_routes(app: FastAPI, projects: ProjectFolder | None, limits: Limits) -> None:
    """`/v1/annotation/…`; without a folder of projects only the list is there, and says so."""

    @app.get("/v1/annotation/projects")
    async def list_projects() -> Response:
        """The annotation projects of this service; null if it keeps none."""
        return _json({"projects": None if projects is None else projects.list()})

    if projects is None:
        return
    large = BodyReader(Limits(body=LARGEST_PROJECT, seconds=limits.seconds))
    small = BodyReader(limits)

    @app.post("/v1/annotation/projects", status_code=201, responses=_REFUSED)
    async def add_project(request: Request) -> Response:
        """Put a new project on the service's disk."""
        check_type(request.scope)
        body = await large.read(request.scope, request.receive)
        return _json(await _asked(lambda: projects.add(parse_request(body, _ANYTHING))), 201)

    @app.get("/v1/annotation/projects/{name}")
    async def read_project(name: str) -> Response:
        """A whole project, and the revision of each of its pairs."""
        return _json(await _asked(lambda: projects.read(_id(name))))

    @app.get("/v1/annotation/projects/{name}/steps")
    async def read_steps(name: str, since: str = "0") -> Response:
        """The steps after a revision; `steps` is null where the project must be read anew."""
        if not (since.isdecimal() and since.isascii() and len(since) < 16):
            raise RefusedError(422, "invalid_request", "since is the number of a revision, from 0 on.")
        return _json(await _asked(lambda: projects.since(_id(name), int(since))))

    @app.post("/v1/annotation/projects/{name}/steps", responses=_REFUSED)
    async def make_step(name: str, request: Request) -> Response:
        """Make a step, unless others changed its pairs since `base` (409); answers with the steps since."""
        check_type(request.scope)
        body = await small.read(request.scope, request.receive)

        def make() -> dict[str, Any]:
            asked = parse_request(body, _STEP)
            known = _id(name)
            try:
                projects.make(known, asked.step, asked.by, asked.base, asked.changes)
            except OutdatedError as error:
                numbers = ", ".join(str(pair + 1) for pair in error.pairs[:5])
                message = (
                    f"Somebody else has changed pair {numbers} meanwhile: read the steps since, then send."
                )
                raise RefusedError(409, "outdated", message) from error
            return projects.since(known, asked.base)

        return _json(await _asked(make))


async def _asked(act: Callable[[], Answer]) -> Answer:
    try:
        return await asyncio.to_thread(act)
    except KeyError:
        message = "There is no such project here: see /v1/annotation/projects."
        raise RefusedError(404, "no_such_project", message) from None
    except ValueError as error:
        raise RefusedError(422, "invalid_project", _sentence(str(error))) from error
    except OutputError as error:
        raise RefusedError(507, "cannot_write", f"The service could not write the step. {error}") from error


def _id(name: str) -> str:
    """The name of a project is never anything that could be a path."""
    if not ID.fullmatch(name):
        raise KeyError(name)
    return name


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _json(content: Any, status: int = 200) -> Response:
    return Response(to_json(content), status, media_type="application/json")
