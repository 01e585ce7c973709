"""Extraction methods by name: `itermax`, or with parameters `itermax:n_max=3,alpha=0.95`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from wordalign.config import METHODS, Extractor
from wordalign.encoders.calibration import Calibration
from wordalign.errors import UsageError
from wordalign.registry import keyword_only, parameter_defaults, parameter_kinds
from wordalign.types import Bools, Floats

__all__ = ["METHODS", "Method"]


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
    def parse(cls, spec: str, own: Method | None = None) -> Method:
        """The method of a spec. What the spec leaves out has the function's default.

        Where `own`, the method that the model does best, is the same function, its values take that place.
        """
        name, extractor, given = METHODS.parse(spec)
        model = own.parameters if own is not None and own.name == name else {}
        settings = {**parameter_defaults(extractor), **model, **given}
        return cls(
            name, extractor, {key: settings[key] for key in parameter_kinds(extractor) if key in settings}
        )

    def with_calibration(self, calibration: Calibration | None) -> Method:
        """The method, given the model's calibration if it needs one."""
        ours = keyword_only(self.extractor)
        if "calibration" not in ours:
            return self
        if calibration is None:
            raise UsageError(
                f"Method {self.name!r} needs a model with calibrated scores, as the bundled one; "
                "for others use itermax, argmax or match."
            )
        missing = [key for key in parameter_kinds(self.extractor) if key not in self.parameters]
        if missing:
            raise UsageError(
                f"This model brings no {' and '.join(missing)} for method {self.name!r}: give them, as in "
                f"{self.name}:{','.join(f'{key}=0.5' for key in missing)}."
            )
        bound = {"calibration": calibration, "score": None}
        return replace(self, bound={name: bound[name] for name in bound if name in ours})

    def in_situation(self, situation: str) -> Method:
        """The method for pairs in that situation: with another calibration, where it was given one."""
        if "calibration" not in self.bound:
            return self
        curve = self.bound["calibration"].in_situation(situation)
        return replace(self, bound={**self.bound, "calibration": curve})

    def check(self) -> None:
        """Refuse values that the function refuses, before there is anything to link."""
        if self.parameters:
            self(np.zeros((1, 1), np.float32))

    def __call__(self, similarity: Floats, score: Floats | None = None) -> Bools:
        """The links in these matrices; `score` is what the calibration says of them, where it was asked."""
        bound = {**self.bound, "score": score} if "score" in self.bound else self.bound
        return self.extractor(similarity, **self.parameters, **bound)

    def __str__(self) -> str:
        settings = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}:{settings}" if settings else self.name
