"""Extraction methods by name: `itermax`, or with parameters `itermax:n_max=3,alpha=0.95`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from wordalign.errors import UsageError
from wordalign.registry import Registry
from wordalign.types import Bools, Floats

Extractor: TypeAlias = Callable[..., Bools]

METHODS: Registry[Extractor] = Registry(
    "method",
    {
        "argmax": "wordalign.extract.argmax:argmax",
        "forward": "wordalign.extract.argmax:forward",
        "reverse": "wordalign.extract.argmax:reverse",
        "itermax": "wordalign.extract.itermax:itermax",
        "match": "wordalign.extract.match:match",
    },
    entry_points="wordalign.methods",
)


@dataclass(frozen=True)
class Method:
    """An extraction function with its parameters set.

    >>> str(Method.parse("itermax:n_max=3"))
    'itermax:n_max=3,alpha=0.9'
    """

    name: str
    extractor: Extractor = field(repr=False)
    parameters: Mapping[str, Any]

    @classmethod
    def parse(cls, spec: str | Method) -> Method:
        if isinstance(spec, Method):
            return spec
        name, _, rest = spec.partition(":")
        extractor = METHODS.get(name)
        parameters = defaults(extractor)
        for setting in filter(None, rest.split(",")):
            key, _, value = setting.partition("=")
            if key not in parameters:
                known = ", ".join(parameters) or "none"
                raise UsageError(f"Method {name!r} has no parameter {key!r}. Its parameters: {known}.")
            try:
                parameters[key] = type(parameters[key])(value)
            except ValueError as error:
                wanted = type(parameters[key]).__name__
                raise UsageError(f"{key}={value!r} of method {name!r} is not a valid {wanted}.") from error
        return cls(name, extractor, parameters)

    def __call__(self, similarity: Floats) -> Bools:
        return self.extractor(similarity, **self.parameters)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name


def defaults(extractor: Extractor) -> dict[str, Any]:
    """The parameters a method takes beside the matrix, with their defaults."""
    parameters = list(inspect.signature(extractor).parameters.values())[1:]
    return {parameter.name: parameter.default for parameter in parameters}
