"""The OpenAPI document: FastAPI's, with the request's schema and this service's models and limits in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from wordalign.serve.catalogue import spec_pattern
from wordalign.serve.schemas import PROJECT_REQUEST, REQUEST, TRANSFER_REQUEST, ErrorAnswer
from wordalign.serve.service import Service
from wordalign.serve.settings import Settings

_WHEN = {
    400: "The body is not JSON.",
    401: "The token is missing or wrong.",
    408: "The body did not arrive in time.",
    409: "Somebody else has changed the same pair meanwhile.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "Something in the request is wrong or over a limit.",
    429: "Too many requests are waiting; Retry-After says when to come back.",
    507: "The service could not write to its disk.",
    503: "The answer was not ready in time; Retry-After says when to come back.",
}


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The answers, other than the good one, that a route declares."""
    return {status: {"model": ErrorAnswer, "description": _WHEN[status]} for status in statuses}


def describe(app: FastAPI, service: Service, settings: Settings) -> Callable[[], dict[str, Any]]:
    """A function that gives the document, made once."""
    made: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not made:
            made.update(_document(app, service, settings))
        return made

    return openapi


def _document(app: FastAPI, service: Service, settings: Settings) -> dict[str, Any]:
    document = get_openapi(title=app.title, version=app.version, routes=app.routes)
    schemas = document["components"]["schemas"]
    for path, kind in (
        ("/v1/align", REQUEST),
        ("/v1/check", REQUEST),
        ("/v1/project", PROJECT_REQUEST),
        ("/v1/transfer", TRANSFER_REQUEST),
    ):
        request = kind.json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(request.pop("$defs", {}))
        if "title" in request:  # one model, and not a choice of several
            schemas[request["title"]] = request
            request = {"$ref": f"#/components/schemas/{request['title']}"}
        document["paths"][path]["post"]["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": request}},
        }
    names = {method for model in service.catalogue.describe() for method in model["methods"]}
    pattern = "|".join(f"({spec_pattern(name)})" for name in sorted(names))
    for name in ("PairRequest", "BatchRequest", "ProjectRequest", "TransferRequest"):
        properties = schemas[name]["properties"]
        properties["model"]["anyOf"][0]["enum"] = service.catalogue.names
        properties["methods"]["anyOf"][0]["items"]["pattern"] = pattern
        properties["methods"]["anyOf"][0]["uniqueItems"] = True
    schemas["BatchRequest"]["properties"]["pairs"]["maxItems"] = settings.limits.pairs
    for name in ("PairRequest", "PairIn", "ProjectRequest"):
        for side in ("source", "target"):
            text, words = schemas[name]["properties"][side]["anyOf"]
            text["maxLength"] = settings.limits.characters
            words["maxItems"] = settings.limits.words
    for side in ("source", "target"):
        schemas["TransferRequest"]["properties"][side]["maxLength"] = settings.limits.characters
    if settings.token is not None:
        _declare_token(document)
    return document


def _declare_token(document: dict[str, Any]) -> None:
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    refused = {
        "description": _WHEN[401],
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}},
    }
    for path, operations in document["paths"].items():
        if path != "/healthz":
            for operation in operations.values():
                operation["security"] = [{"token": []}]
                operation["responses"]["401"] = refused
