"""Names that resolve to objects when they are first asked for, and specs: names with parameters.

A registry holds `"module:attribute"` strings, so that listing what there is imports nothing heavy, and
finds what other packages offer through an entry-point group.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import metadata
from typing import Any, Generic, TypeVar, cast, get_type_hints

from wordalign.errors import UnknownNameError, UsageError

T = TypeVar("T")

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Registry(Generic[T]):
    def __init__(self, kind: str, targets: Mapping[str, str], entry_points: str) -> None:
        self._kind = kind
        self._own = dict(targets)
        self._group = entry_points

    @cached_property
    def _plugins(self) -> dict[str, str]:
        return {point.name: point.value for point in metadata.entry_points(group=self._group)}

    def __iter__(self) -> Iterator[str]:
        yield from sorted({**self._plugins, **self._own})

    def get(self, name: str, hint: str = "") -> T:
        """The object of that name; `UnknownNameError` with the nearest names if there is none."""
        target = self._own.get(name) or self._plugins.get(name)
        if target is None:
            raise UnknownNameError(self._kind, name, self, hint)
        return cast(T, load_target(target))

    def parse(self, spec: str) -> tuple[str, T, dict[str, Any]]:
        """`name:key=value,…` -> the name, its function, and the parameters that the spec gives."""
        name, _, rest = spec.partition(":")
        found = self.get(name)
        kinds = parameter_kinds(cast(Callable[..., Any], found))
        given = {}
        for setting in filter(None, rest.split(",")):
            key, _, value = setting.partition("=")
            if key not in kinds:
                known = ", ".join(kinds) or "none"
                raise UsageError(
                    f"{self._kind.capitalize()} {name!r} has no parameter {key!r}. Its parameters: {known}."
                )
            try:
                given[key] = _TRUTH[value.lower()] if kinds[key] is bool else kinds[key](value)
            except (ValueError, KeyError) as error:
                raise UsageError(
                    f"{key}={value!r} of {self._kind} {name!r} is not a valid {kinds[key].__name__}."
                ) from error
        return name, found, given


def load_target(target: str) -> Any:
    """The object that a `"module:attribute"` string names."""
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


@cache  # types are looked up for each request of the service
def parameter_kinds(function: Callable[..., Any]) -> Mapping[str, type]:
    """The parameters that a spec may set, with their types: all but the first and those by keyword only."""
    hints = get_type_hints(function) if inspect.isfunction(function) else {}
    kinds: dict[str, type] = {}
    for parameter in _settable(function):
        hint = hints.get(parameter.name)
        kinds[parameter.name] = hint if isinstance(hint, type) else type(parameter.default)
    return kinds


def parameter_defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of the parameters that a spec may set; some may have none."""
    return {
        parameter.name: parameter.default
        for parameter in _settable(function)
        if parameter.default is not parameter.empty
    }


def keyword_only(function: Callable[..., Any]) -> set[str]:
    """The parameters that no spec can set: what we hand to the function ourselves."""
    parameters = inspect.signature(function).parameters.values()
    return {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


def _settable(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    return [parameter for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
