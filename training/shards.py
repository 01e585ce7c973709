"""The packed training data: one compressed file holds the pairs of one language, as arrays.

    tokens   (tokens,) uint16   the English, then the other sentence of each pair, pair after pair
    lengths  (pairs, 2) uint8   subwords of each side
    counts   (pairs,) uint8     links of each pair
    links    (links, 2) uint8   English word, other word; sorted
    weight   (links,) uint8     how sure the labelling is of each, in 255ths

On disk the links are differences, and everything is one LZMA stream: about
half the size of the plain arrays. A word starts where a piece starts with the space mark, so word
numbers are not stored.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Two-byte numbers; long matches are rare, so the search for them may stop early.
_TOKENS = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26, "lc": 3, "lp": 1, "pb": 1, "nice_len": 16}]
_BYTES = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 24, "lc": 3, "lp": 0, "pb": 0, "nice_len": 32}]


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """The arrays of one file; see the module's text for shapes."""

    tokens: np.ndarray
    lengths: np.ndarray
    counts: np.ndarray
    links: np.ndarray
    weight: np.ndarray

    def __len__(self) -> int:
        return len(self.lengths)


def delta_links(counts: np.ndarray, links: np.ndarray) -> np.ndarray:
    """Sorted links -> differences to the link before in the same pair, modulo 256, (links, 2) uint8."""
    previous = np.zeros_like(links)
    previous[1:] = links[:-1]
    starts = np.cumsum(counts, dtype=np.int64) - counts
    previous[starts[counts > 0]] = 0
    return links - previous


def undelta_links(counts: np.ndarray, deltas: np.ndarray) -> np.ndarray:
    """The inverse of `delta_links`."""
    totals = np.cumsum(deltas.astype(np.uint8), axis=0, dtype=np.uint8)
    starts = np.cumsum(counts, dtype=np.int64) - counts
    before = np.concatenate((np.zeros((1, 2), np.uint8), totals))[starts]
    return totals - np.repeat(before, counts, axis=0)


def write_shard(path: Path, shard: Shard) -> int:
    """Write atomically; returns the size in bytes."""
    deltas = delta_links(shard.counts, shard.links)
    parts = [
        shard.tokens.astype("<u2").tobytes(),
        np.ascontiguousarray(shard.lengths.T).tobytes(),
        shard.counts.tobytes(),
        np.ascontiguousarray(deltas.T).tobytes(),
        shard.weight.tobytes(),
    ]
    header = {"tokens": len(shard.tokens), "pairs": len(shard), "links": len(shard.links)}
    packed = [lzma.compress(parts[0], lzma.FORMAT_RAW, filters=_TOKENS)]
    packed.append(lzma.compress(b"".join(parts[1:]), lzma.FORMAT_RAW, filters=_BYTES))
    header["bytes"] = [len(part) for part in packed]
    partial = path.with_suffix(".part")
    partial.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(packed))
    partial.rename(path)
    return path.stat().st_size


def read_shard(path: Path) -> Shard:
    """Read what `write_shard` wrote."""
    line, _, body = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    pairs, links = header["pairs"], header["links"]
    first = header["bytes"][0]
    tokens = np.frombuffer(lzma.decompress(body[:first], lzma.FORMAT_RAW, filters=_TOKENS), "<u2")
    rest = lzma.decompress(body[first:], lzma.FORMAT_RAW, filters=_BYTES)
    data = np.frombuffer(rest, np.uint8)
    lengths, counts, deltas, weight = np.split(data, np.cumsum([2 * pairs, pairs, 2 * links]))
    return Shard(
        tokens=tokens,
        lengths=lengths.reshape(2, pairs).T.copy(),
        counts=counts,
        links=undelta_links(counts, deltas.reshape(2, links).T),
        weight=weight,
    )
