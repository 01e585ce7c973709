"""Records -> chunks: what is worked on at once.

    records of 3, 4, 9, 2 and 5 bytes, at most 3 records and 10 bytes  ->  [3, 4] [9] [2, 5]

Cuts depend on the records alone, never on how fast or by how many workers they are done. A batch decides
about the last bits of a vector, so equal chunks are what makes two runs give equal bytes, be it with other
workers or after an interruption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from wordalign.parallel import cut

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
    return cut(records, pairs, _bytes_of, size)


def _bytes_of(record: Record) -> int:
    return sum(map(len, record.lines))
