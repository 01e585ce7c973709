"""The weights inside a `model.onnx`, read without the package `onnx`.

An ONNX file is one message in the format of protocol buffers: fields, each with a number and a value, some of
them messages again. Of all that, only this is read:

    model, field 7         -> the graph
    graph, field 5         -> its weights, one message each
    weight, fields 1 2 8 9 -> the sizes of its axes, the kind of its numbers, its name, its bytes
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wordalign.errors import ModelError

# What ONNX calls the kinds of numbers that our models hold.
_KINDS = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}

Array: TypeAlias = np.ndarray[Any, Any]


def read_weights(path: str | Path) -> dict[str, Array]:
    """All weights of the file by their names, with the kinds of numbers and the shapes that are stored."""
    data = memoryview(Path(path).read_bytes())
    found: dict[str, Array] = {}
    try:
        for graph in _messages(data, 7):
            for weight in _messages(graph, 5):
                name, array = _weight(weight)
                found[name] = array
    except (IndexError, KeyError, ValueError) as error:
        raise ModelError(
            f"The weights in {path} cannot be read ({error}): export or copy the model again."
        ) from error
    if not found:
        raise ModelError(f"{path} holds no weights: it is not an ONNX file that wordalign has written.")
    return found


def _weight(data: memoryview) -> tuple[str, Array]:
    shape: list[int] = []
    kind, name, raw = "", "", data[:0]
    for number, value in _fields(data):
        if number == 1:  # one size at a time, or all of them packed
            shape += [value] if isinstance(value, int) else list(_integers(value))
        elif number == 2 and isinstance(value, int):
            kind = _KINDS[value]
        elif number == 8 and not isinstance(value, int):
            name = bytes(value).decode()
        elif number == 9 and not isinstance(value, int):
            raw = value
    if len(raw) != math.prod(shape) * np.dtype(kind).itemsize:
        raise ValueError(f"{name} is not stored as plain bytes")
    return name, np.frombuffer(raw, kind).reshape(shape)


def _messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    for number, value in _fields(data):
        if number == wanted and not isinstance(value, int):
            yield value


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The number and the value of every field; numbers of fixed size, which are not asked for, as 0."""
    place = 0
    while place < len(data):
        key, place = _integer(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _integer(data, place)
            yield key >> 3, value
        elif kind == 2:
            size, place = _integer(data, place)
            if place + size > len(data):
                raise ValueError("it ends too early")
            yield key >> 3, data[place : place + size]
            place += size
        elif kind in (1, 5):
            place += 8 if kind == 1 else 4
            yield key >> 3, 0
        else:
            raise ValueError(f"a field of the kind {kind}")


def _integers(data: memoryview) -> Iterator[int]:
    place = 0
    while place < len(data):
        value, place = _integer(data, place)
        yield value


def _integer(data: memoryview, place: int) -> tuple[int, int]:
    """An integer of seven bits a byte, the lowest first, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value, place
