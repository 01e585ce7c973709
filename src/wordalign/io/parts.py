"""Lines on their way to a file, compressed where its name says so.

A compressed file is a row of parts. Between two of them, and only there, the file can be cut and gone on
with, and what came before can be read without what follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from wordalign.io.compression import Compressor, compressor


class PartWriter:
    """Writes to a stream; `size` is how long the file is up to now, `sound` how much of it will be readable
    whatever happens next, and `whole` is false where writing was interrupted half-way."""

    def __init__(self, stream: BinaryIO, compression: str | None = None, size: int = 0) -> None:
        self.stream, self.compression = stream, compression
        self.size = self.sound = size
        self.whole = True
        self.text = 0  # bytes before compression since the part began
        self._part: Compressor | None = None

    def write(self, lines: Iterable[str]) -> None:
        # Lone surrogates (from JSON escapes) have no UTF-8; a question mark keeps the line.
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        self.text += len(data)
        self.whole = False
        if self.compression is not None and data:
            self._part = self._part or compressor(self.compression)
            data = self._part.compress(data)
        self._put(data)
        self.whole = True

    def end_part(self) -> None:
        """What follows stands on its own. A part in which nothing was written is none at all."""
        if self._part is not None:
            self.whole = False  # a part can be ended only once
            self._put(self._part.flush())
            self._part, self.whole = None, True
        self.text = 0
        self.sound = self.size

    def end_file(self) -> None:
        """A compressed file of no lines has one empty part: nothing at all would be a damaged file."""
        if self.compression is not None and self.size == 0 and self._part is None:
            self._part = compressor(self.compression)
        self.end_part()

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # an unbuffered stream may take a part of it only
            written = self.stream.write(rest)
            self.size += written
            rest = rest[written:]
