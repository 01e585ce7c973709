"""Segmenters by name: a plug-in of the entry-point group `wordalign.segmenters`, or `module:function`."""

from __future__ import annotations

import importlib
from importlib import metadata

from wordalign.errors import UnknownNameError, UsageError
from wordalign.text.words import Segmenter


def find_segmenter(name: str | None) -> Segmenter | None:
    if name is None:
        return None
    plugins = metadata.entry_points(group="wordalign.segmenters")
    if name in plugins.names:
        segmenter: Segmenter = plugins[name].load()
        return segmenter
    module, _, function = name.partition(":")
    try:
        found: Segmenter = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownNameError(
            "segmenter", name, plugins.names, "Give an installed plug-in or module:function."
        ) from error
    if not callable(found):
        raise UsageError(f"The segmenter {name!r} is not a function from a text to its words.")
    return found
