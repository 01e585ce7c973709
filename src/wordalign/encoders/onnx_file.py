"""A `model.onnx`, read and written without the package `onnx`, as far as our models need it.

An ONNX file is one message in the format of protocol buffers: fields, each with a number and a value, some of
them messages again. The numbers are those of the public definition of the format, `onnx.proto`. Of a file
that is read, only the weights are looked at:

    model, field 7         -> the graph
    graph, field 5         -> its weights, one message each
    weight, fields 1 2 8 9 -> the sizes of its axes, the kind of its numbers, its name, its bytes
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wordalign.errors import ModelError

# What ONNX calls the kinds of numbers that our models hold.
_KINDS = {1: "<f4", 2: "|u1", 3: "|i1", 6: "<i4", 7: "<i8", 10: "<f2", 11: "<f8"}
FLOAT, INT32, INT64 = 1, 6, 7

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


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: names of what enters and leaves it. Attributes are whole numbers or floats."""

    kind: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    name: str
    domain: str = ""
    attributes: Mapping[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor that enters or leaves the graph; axes are sizes or names, or unknown altogether."""

    name: str
    kind: int
    axes: Sequence[int | str] | None = None


def onnx_bytes(
    nodes: Iterable[Node],
    weights: Mapping[str, Array],
    inputs: Iterable[Value],
    outputs: Iterable[Value],
    versions: Mapping[str, int],
) -> bytes:
    """A model as the bytes of a file. `versions` are those of the sets of operators that are used."""
    graph = [
        *(_message(1, _node(node)) for node in nodes),
        _text(2, "encoder"),
        *(_message(5, _tensor(name, array)) for name, array in weights.items()),
        *(_message(11, _value(value)) for value in inputs),
        *(_message(12, _value(value)) for value in outputs),
    ]
    model = [_number(1, 8), _text(2, "wordalign"), _message(7, b"".join(graph))]
    model += [_message(8, _text(1, domain) + _number(2, version)) for domain, version in versions.items()]
    return b"".join(model)


def _node(node: Node) -> bytes:
    parts = [_text(1, name) for name in node.inputs]
    parts += [_text(2, name) for name in node.outputs]
    parts += [_text(3, node.name), _text(4, node.kind)]
    for name, value in node.attributes.items():
        if isinstance(value, float):
            found = _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
        else:
            found = _number(3, value) + _number(20, 2)
        parts.append(_message(5, _text(1, name) + found))
    return b"".join([*parts, _text(7, node.domain)] if node.domain else parts)


def _tensor(name: str, array: Array) -> bytes:
    kind = next(number for number, known in _KINDS.items() if np.dtype(known) == array.dtype)
    sizes = [_number(1, size) for size in array.shape]
    return b"".join(
        [*sizes, _number(2, kind), _text(8, name), _message(9, np.ascontiguousarray(array).tobytes())]
    )


def _value(value: Value) -> bytes:
    tensor = _number(1, value.kind)
    if value.axes is not None:
        axes = (_number(1, axis) if isinstance(axis, int) else _text(2, axis) for axis in value.axes)
        tensor += _message(2, b"".join(_message(1, axis) for axis in axes))
    return _text(1, value.name) + _message(2, _message(1, tensor))


def _message(number: int, data: bytes) -> bytes:
    return _key(number, 2) + _varint(len(data)) + data


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _number(number: int, value: int) -> bytes:
    return _key(number, 0) + _varint(value & (1 << 64) - 1)


def _key(number: int, kind: int) -> bytes:
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the highest bit says whether more follow."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
