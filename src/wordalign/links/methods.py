"""Extraction methods by name: `itermax`, or with parameters `itermax:n_max=3,alpha=0.95`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.registry import Registry
from wordalign.types import Bools, Floats

Extractor: TypeAlias = Callable[..., Bools]

METHODS: Registry[Extractor] = Registry(
    "method",
    {
        "calibrated": "wordalign.links.calibrated:calibrated",
        "argmax": "wordalign.links.argmax:argmax",
        "forward": "wordalign.links.argmax:forward",
        "reverse": "wordalign.links.argmax:reverse",
        "itermax": "wordalign.links.itermax:itermax",
        "match": "wordalign.links.match:match",
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
    bound: Mapping[str, Any] = field(default_factory=dict, repr=False)

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

    def with_calibration(self, calibration: Calibration | None) -> Method:
        """The method, given the model's calibration if it needs one."""
        if "calibration" not in inspect.signature(self.extractor).parameters:
            return self
        if calibration is None:
            raise UsageError(
                f"Method {self.name!r} needs a model with calibrated scores, as the bundled one; "
                "for others use itermax, argmax or match."
            )
        return replace(self, bound={"calibration": calibration})

    def __call__(self, similarity: Floats) -> Bools:
        return self.extractor(similarity, **self.parameters, **self.bound)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name


def defaults(extractor: Extractor) -> dict[str, Any]:
    """The parameters a user may set, with their defaults; those by keyword only are the aligner's."""
    parameters = list(inspect.signature(extractor).parameters.values())[1:]
    settable = [parameter for parameter in parameters if parameter.kind != parameter.KEYWORD_ONLY]
    return {parameter.name: parameter.default for parameter in settable}
