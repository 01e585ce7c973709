"""Names that resolve to objects when they are first asked for.

A registry holds `"module:attribute"` strings, so that listing what there is imports nothing heavy, and
finds what other packages offer through an entry-point group.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import metadata
from typing import Generic, TypeVar, cast

from wordalign.errors import UnknownNameError

T = TypeVar("T")


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
        module, _, attribute = target.partition(":")
        return cast(T, getattr(importlib.import_module(module), attribute))
