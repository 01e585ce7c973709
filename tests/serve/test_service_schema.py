"""The service against its own OpenAPI document: generated requests, good and bad, and their answers."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis import GenerationMode

from wordalign import Aligner
from wordalign.links import Method


def methods_differ(body) -> bool:
    """The one rule of a request that a schema cannot say: no method twice, however it is written."""
    own = Method.parse(Aligner("tiny").config.specs[0])
    specs = [str(Method.parse(spec, own)) for spec in getattr(body, "get", {}.get)("methods") or []]
    return len(set(specs)) == len(specs)


GOOD, BAD = GenerationMode.POSITIVE, GenerationMode.NEGATIVE


@pytest.mark.parametrize(
    ("method", "path", "examples", "mode"),
    [
        ("POST", "/v1/align", 50, GOOD),
        ("POST", "/v1/align", 50, BAD),
        ("POST", "/v1/check", 20, GOOD),
        ("POST", "/v1/check", 20, BAD),
        ("POST", "/v1/project", 50, BAD),
        ("POST", "/v1/transfer", 50, BAD),
        ("GET", "/v1/models", 1, GOOD),
        ("GET", "/healthz", 1, GOOD),
        ("GET", "/metrics", 1, GOOD),
    ],
)
def test_every_answer_is_as_the_document_says(server, method, path, examples, mode):
    """Statuses, content types and bodies; good requests are accepted, bad ones refused, nothing fails."""
    operation = schemathesis.openapi.from_url(server.url + "openapi.json")[path][method]
    seen = []

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=examples,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case):
        assume(mode == BAD or methods_differ(case.body))
        seen.append(case.call_and_validate().status_code)

    check()
    assert len(seen) >= (examples + 1) // 2
    assert any(status == 200 for status in seen) == (mode == GOOD)


def test_the_document_names_this_services_models_and_limits(server):
    document = server.get("/openapi.json").json()
    request = document["components"]["schemas"]["BatchRequest"]["properties"]
    assert request["model"]["anyOf"][0]["enum"] == ["tiny", "base"]
    assert request["pairs"]["maxItems"] == server.get("/v1/models").json()["limits"]["pairs"]
    assert set(document["paths"]) == {
        "/v1/annotation/projects",
        "/v1/align",
        "/v1/check",
        "/v1/project",
        "/v1/transfer",
        "/v1/models",
        "/healthz",
        "/metrics",
    }
