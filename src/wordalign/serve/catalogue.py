"""The models that requests may name: loaded once, at the start, and never by a request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations
from typing import Any

from wordalign.aligners.neural import Aligner
from wordalign.config import AlignConfig
from wordalign.encoders import Encoder, resolve
from wordalign.encoders.calibration import Calibration
from wordalign.errors import UnknownNameError, UsageError
from wordalign.links import METHODS, Method
from wordalign.machine import default_threads
from wordalign.registry import parameter_kinds
from wordalign.serve.refusals import RefusedError
from wordalign.serve.schemas import Choice

MOST_AT_ONCE = 4


class Catalogue:
    def __init__(self, models: Iterable[str]) -> None:
        models = list(models)
        if not models:
            raise UsageError("Give at least one model to serve.")
        # Bundled models are small enough to work on several batches at once; others have a processor or a GPU
        # to themselves.
        bundled = all(resolve(name).kind == "onnx" for name in models)
        self.batches_at_once = batches_at_once() if bundled else 1
        threads = max(1, default_threads() // self.batches_at_once)
        self._aligners = {name: Aligner(_encoder(name, threads)) for name in models}
        self._methods = {name: _methods_of(aligner) for name, aligner in self._aligners.items()}
        self.aligner = lru_cache(maxsize=256)(self._aligner)

    @property
    def names(self) -> list[str]:
        return list(self._aligners)

    def encoder(self, model: str | None) -> Encoder:
        return self._aligners[model or self.names[0]].encoder

    def calibration(self, model: str | None) -> Calibration | None:
        return self.encoder(model).calibration

    def choose(self, options: Choice) -> AlignConfig:
        """What the request wants, defaults filled in, or a `RefusedError` that says what there is not."""
        name = options.model if options.model is not None else self.names[0]
        if name not in self._aligners:
            hint = "This service has no others."
            raise RefusedError(
                422, "unknown_model", str(UnknownNameError("model", name[:100], self.names, hint))
            )
        aligner = self._aligners[name]
        known = self._methods[name]
        methods = []
        for spec in options.methods or aligner.config.specs:
            method, colon, _ = spec.partition(":")
            if method not in known:
                sentence = str(UnknownNameError("method", method[:100], known))
                raise RefusedError(422, "unknown_method", sentence)
            if colon and not re.fullmatch(spec_pattern(method), spec):
                settable = ", ".join(known[method].parameters) or "none"
                message = f"{spec[:100]!r} is not a valid {method}. Its parameters: {settable}."
                raise RefusedError(422, "invalid_method", message)
            methods.append(spec if colon else str(known[method]))
        chosen = {"model": name, "level": options.level or aligner.level, "method": tuple(methods)}
        try:
            config = AlignConfig(**{**options.config_fields(), **chosen})
            self.aligner(config)
        except UsageError as error:
            raise RefusedError(422, "invalid_request", str(error)) from None
        return config

    def _aligner(self, config: AlignConfig) -> Aligner:
        return Aligner.from_config(config, encoder=self.encoder(config.model))

    def describe(self) -> list[dict[str, Any]]:
        """The models for GET /v1/models."""
        return [self._describe(name, aligner) for name, aligner in self._aligners.items()]

    def _describe(self, name: str, aligner: Aligner) -> dict[str, Any]:
        curve = self.calibration(name)
        languages = aligner.encoder.languages
        return {
            "name": name,
            "default": name == self.names[0],
            "note": resolve(name).note,
            "signature": aligner.encoder.signature,
            "languages": None if languages is None else list(languages),
            "level": aligner.level,
            "method": aligner.config.specs[0],
            "methods": {method.name: dict(method.parameters) for method in self._methods[name].values()},
            "calibration": None if curve is None else curve.facts(),
        }


@lru_cache
def spec_pattern(name: str) -> str:
    """`itermax`, or with some of its parameters, in order: `itermax:n_max=3,alpha=0.95`."""
    kinds = {int: "[1-9][0-9]{0,2}", float: r"(0(\.[0-9]{1,9})?|1(\.0{1,9})?)"}
    settings = [
        f"{key}={kinds.get(kind, '[^,]{1,20}')}" for key, kind in parameter_kinds(METHODS.get(name)).items()
    ]
    choices = [",".join(some) for n in range(1, len(settings) + 1) for some in combinations(settings, n)]
    return f"^{re.escape(name)}(:({'|'.join(choices)}))?$" if choices else f"^{re.escape(name)}$"


def _methods_of(aligner: Aligner) -> dict[str, Method]:
    """The methods that the model can use."""
    own = Method.parse(aligner.encoder.default_method)
    found = {}
    for name in METHODS:
        try:
            found[name] = Method.parse(name, own).with_calibration(aligner.encoder.calibration)
        except UsageError:
            continue
    return found


def _encoder(name: str, threads: int) -> str | Encoder:
    source = resolve(name)
    if source.kind != "onnx" or source.folder is None:
        return name
    from wordalign.encoders.onnx import OnnxEncoder

    return OnnxEncoder(source.folder, threads=threads)


def batches_at_once() -> int:
    """How many batches of requests are worked on at the same time, by a thread each.

    One is encoded while another is read, linked or written; that is done in Python, of which more than a few
    threads would have nothing.
    """
    return min(default_threads(), MOST_AT_ONCE)
