"""Records -> chunks: what is worked on at once.

    records of 3, 4, 9, 2 and 5 bytes, at most 3 records and 10 bytes  ->  [3, 4] [9] [2, 5]

Cuts depend on the records alone, never on how fast or by how many workers they are done. A batch decides
about the last bits of a vector, so equal chunks are what makes two runs give equal bytes, be it with other
workers or after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from wordalign.errors import InputError

if TYPE_CHECKING:
    from wordalign.io.records import Record

CHUNK_PAIRS = 1024
BYTES_A_PAIR = 256  # on the average, which few texts exceed


def chunks(
    records: Iterable[Record], pairs: int = CHUNK_PAIRS, size: int = CHUNK_PAIRS * BYTES_A_PAIR
) -> Iterator[list[Record]]:
    """At most so many records and bytes at a time; a record that is larger than that is a chunk of its own.

    Records that were read before an `InputError` of the reader are still handed on.
    """
    chunk: list[Record] = []
    held = 0
    try:
        for record in records:
            length = sum(map(len, record.lines))
            if chunk and (len(chunk) == pairs or held + length > size):
                yield chunk
                chunk, held = [], 0
            chunk.append(record)
            held += length
    except InputError:
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk
