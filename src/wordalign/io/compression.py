"""Files that are compressed with gzip, xz or Zstandard, read and written as streams of bytes.

What is read is known by its first bytes, whatever its name: none of the three beginnings is UTF-8, so no
text is ever taken for one. What is written is known by the suffix of its name. All three formats allow a
file to be several compressed parts in a row, which read as one; a writer ends a part wherever it may have
to go on from (`checkpoint.py`). The bytes of a part depend on its content alone: no time, no name.
"""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from wordalign.errors import InputError

_MAGIC = {"gzip": b"\x1f\x8b\x08", "xz": b"\xfd7zXZ\x00", "Zstandard": b"\x28\xb5\x2f\xfd"}
_SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "Zstandard"}
# Parts are short: a larger dictionary would take ten times its size in memory and find nothing more.
_XZ_FILTER = {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20}
_LONGEST_MAGIC = max(map(len, _MAGIC.values()))
_BLOCK = 1 << 16


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def compression_of(path: str | Path) -> str | None:
    """By the suffix: gzip, xz, Zstandard or none."""
    return _SUFFIXES.get(Path(path).suffix.lower())


def without_suffix(path: str | Path) -> Path:
    """`pairs.tsv.gz` -> `pairs.tsv`."""
    return Path(path).with_suffix("") if compression_of(path) else Path(path)


def compressor(compression: str) -> Compressor:
    """What makes one whole part of a compressed file."""
    if compression == "gzip":
        return zlib.compressobj(wbits=31)
    if compression == "xz":
        return lzma.LZMACompressor(filters=[_XZ_FILTER])
    zstd = _zstd()
    made: Compressor = zstd.ZstdCompressor(options={zstd.CompressionParameter.checksum_flag: 1})
    return made


def decompressed(stream: BinaryIO, path: str | Path, name: str) -> BinaryIO:
    """The stream itself, or what is compressed in it; `name` is for messages."""
    head = stream.read(_LONGEST_MAGIC)
    found = next((kind for kind, magic in _MAGIC.items() if head.startswith(magic)), None)
    wanted = compression_of(path)
    if wanted is not None and found is None:
        stream.close()
        raise InputError(f"{name} is not compressed with {wanted}, as its name says: damaged or misnamed.")
    whole = io.BufferedReader(_Rejoined(head, stream), _BLOCK)
    return whole if found is None else io.BufferedReader(_Inflated(whole, found, name), _BLOCK)


class _Reader(io.RawIOBase):
    """What `io.BufferedReader` reads from."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()

    def _read(self, size: int) -> bytes:
        raise NotImplementedError


class _Rejoined(_Reader):
    """A stream with the bytes that were already read from it: a pipe cannot be rewound."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._head = head

    def _read(self, size: int) -> bytes:
        if not self._head:
            return cast(io.BufferedReader, self._stream).read1(size)
        data, self._head = self._head[:size], self._head[size:]
        return data


class _Inflated(_Reader):
    """What is compressed in a stream; anything wrong with it is an `InputError`."""

    def __init__(self, stream: BinaryIO, compression: str, name: str) -> None:
        super().__init__(stream)
        self._compression, self._name = compression, name
        self._content: Any = (
            gzip.GzipFile(fileobj=stream)
            if compression == "gzip"
            else _XzParts(stream)
            if compression == "xz"
            else _zstd().ZstdFile(stream)
        )

    def _read(self, size: int) -> bytes:
        try:
            return cast(bytes, self._content.read1(size))
        except EOFError as error:
            raise InputError(
                f"{self._name} ends in the middle of its {self._compression} data: it was cut off."
            ) from error
        except OSError as error:
            if not isinstance(error, gzip.BadGzipFile):
                raise
            raise self._damaged(error) from error
        except Exception as error:  # each library has its own
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> InputError:
        return InputError(f"{self._name} holds damaged {self._compression} data: {error}.")


class _XzParts:
    """The parts of an xz file, one after the other. Python's own reader takes a damaged beginning of a part
    for the end of the file, and so would lose lines without a word."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._part: lzma.LZMADecompressor | None = None
        self._waiting = b""

    def read1(self, size: int) -> bytes:
        while True:
            if self._part is None or self._part.eof:
                if not self._next_part():
                    return b""
            elif self._part.needs_input:
                self._waiting = self._stream.read(_BLOCK)
                if not self._waiting:
                    raise EOFError
            waiting, self._waiting = self._waiting, b""
            if self._part and (data := self._part.decompress(waiting, size)):
                return data

    def _next_part(self) -> bool:
        """Go to where a part begins; zeros may stand between two."""
        found = self._part.unused_data if self._part else b""
        while not (found := found.lstrip(b"\0")):
            found = self._stream.read(_BLOCK)
            if not found:
                return False
        self._part, self._waiting = lzma.LZMADecompressor(lzma.FORMAT_XZ), found
        return True


def _zstd() -> Any:
    """In the standard library from Python 3.14 on; the backport has the same interface, and unlike other
    bindings it tells a file that was cut off from one that ended."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
