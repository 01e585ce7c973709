"""Arrays on their way to the training machine: named, compressed, in one file.

A file is a line of JSON (names, kinds, shapes, sizes) and one LZMA stream an array. Numbers of four bytes are
split into their lower and upper halves, since the upper halves of subword ids are nearly always zero.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_FILTERS = {
    1: [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 24, "lc": 3, "lp": 0, "pb": 0, "nice_len": 32}],
    2: [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26, "lc": 3, "lp": 1, "pb": 1, "nice_len": 16}],
}


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> int:
    """Write whole or not at all; returns the size in bytes."""
    header, body = [], []
    for name, array in arrays.items():
        halves = [array]
        if array.dtype.itemsize == 4:
            whole = array.astype(np.uint32)
            halves = [(whole & 0xFFFF).astype(np.uint16), (whole >> 16).astype(np.uint16)]
        packed = [
            lzma.compress(half.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS[half.dtype.itemsize])
            for half in halves
        ]
        header.append([name, array.dtype.str, array.shape, [len(part) for part in packed]])
        body += packed
    partial = path.with_suffix(".part")
    partial.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(body))
    partial.rename(path)
    return path.stat().st_size


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read what `write_arrays` wrote."""
    line, _, body = path.read_bytes().partition(b"\n")
    arrays, place = {}, 0
    for name, kind, shape, sizes in json.loads(line):
        width = np.dtype(kind).itemsize // len(sizes)
        halves = []
        for size in sizes:
            data = lzma.decompress(body[place : place + size], lzma.FORMAT_RAW, filters=_FILTERS[width])
            halves.append(np.frombuffer(data, f"<u{width}" if len(sizes) > 1 else kind))
            place += size
        whole = halves[0]
        if len(halves) > 1:
            whole = (halves[0].astype(np.uint32) | halves[1].astype(np.uint32) << 16).astype(kind)
        arrays[name] = whole.reshape(shape)
    return arrays
