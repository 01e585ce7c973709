"""Files that are compressed with gzip, xz or Zstandard, read and written as streams of bytes.

How a file to be read is compressed is known from its first bytes, whatever its name is. No text begins like
that: three of the beginnings are not UTF-8, and the one of a skippable Zstandard frame, which pzstd writes
first, holds a control character. How a file to be written is compressed is known from the suffix of its name.

All three formats allow a file to be several compressed frames in a row, which read as one. Between two
frames, and only there, a file can be cut and resumed (`checkpoint.py`), and what comes before can be read
without what follows. The bytes of a frame depend on its content alone: they hold neither a time nor a name.
"""

from __future__ import annotations

import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from wordalign.errors import InputError

_MAGIC = {
    b"\x1f\x8b\x08": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    **{bytes([first]) + b"\x2a\x4d\x18": "Zstandard" for first in range(0x50, 0x60)},  # skippable frames
}
_SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "Zstandard"}
# Frames are short: a larger dictionary would take ten times its size in memory and find nothing more.
_XZ_FILTER = {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20}
_LONGEST_MAGIC = max(map(len, _MAGIC))
_BLOCK = 1 << 16


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


def compression_of(path: str | Path) -> str | None:
    """The compression that the suffix of a name asks for: gzip, xz, Zstandard or None."""
    return _SUFFIXES.get(Path(path).suffix.lower())


def without_suffix(path: str | Path) -> Path:
    """`pairs.tsv.gz` -> `pairs.tsv`."""
    return Path(path).with_suffix("") if compression_of(path) else Path(path)


def compressor(compression: str) -> Compressor:
    """An object that makes one whole frame of a compressed file."""
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
    found = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    wanted = compression_of(path)
    if wanted is not None and found is None:
        stream.close()
        raise InputError(f"{name} is not compressed with {wanted}, as its name says: damaged or misnamed.")
    whole = io.BufferedReader(_Rejoined(head, stream), _BLOCK)
    return whole if found is None else io.BufferedReader(_Inflated(whole, found, name), _BLOCK)


class FrameWriter:
    """Writes lines to a stream, compressed or not.

    `size` is the length of the file up to now, `sound` is how much of it can be read whatever happens next,
    and `whole` is false where writing was interrupted half-way.
    """

    def __init__(self, stream: BinaryIO, compression: str | None = None, size: int = 0) -> None:
        self.stream, self.compression = stream, compression
        self.size = self.sound = size
        self.whole = True
        self.text = 0  # bytes before compression since the frame began
        self._frame: Compressor | None = None

    def write(self, lines: Iterable[str]) -> None:
        # Lone surrogates (from JSON escapes) have no UTF-8; a question mark keeps the line.
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        self.text += len(data)
        self.whole = False
        if self.compression is not None and data:
            self._frame = self._frame or compressor(self.compression)
            data = self._frame.compress(data)
        self._put(data)
        self.whole = True

    def end_frame(self) -> None:
        """End the frame, so that what follows can be read on its own. Empty frames are not written."""
        if self._frame is not None:
            self.whole = False  # a frame can be ended only once
            self._put(self._frame.flush())
            self._frame, self.whole = None, True
        self.text = 0
        self.sound = self.size

    def end_file(self) -> None:
        """End the last frame. A compressed file without lines has one empty frame: no bytes at all would be
        a damaged file."""
        if self.compression is not None and self.size == 0 and self._frame is None:
            self._frame = compressor(self.compression)
        self.end_frame()

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # an unbuffered stream may take only a piece of it
            written = self.stream.write(rest)
            self.size += written
            rest = rest[written:]


class _Reader(io.RawIOBase):
    """The base of streams that `io.BufferedReader` reads from."""

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
    """The content of a compressed stream; anything wrong with it is an `InputError`."""

    def __init__(self, stream: BinaryIO, compression: str, name: str) -> None:
        super().__init__(stream)
        self._compression, self._name = compression, name
        self._content: Any = (
            gzip.GzipFile(fileobj=stream)
            if compression == "gzip"
            else _XzFrames(stream)
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


class _XzFrames:
    """The frames of an xz file, one after the other. Python's own reader takes a damaged beginning of a frame
    for the end of the file, and so would lose lines without a word."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._frame: lzma.LZMADecompressor | None = None
        self._waiting = b""

    def read1(self, size: int) -> bytes:
        while True:
            if self._frame is None or self._frame.eof:
                if not self._next_frame():
                    return b""
            elif self._frame.needs_input:
                self._waiting = self._stream.read(_BLOCK)
                if not self._waiting:
                    raise EOFError
            waiting, self._waiting = self._waiting, b""
            if self._frame and (data := self._frame.decompress(waiting, size)):
                return data

    def _next_frame(self) -> bool:
        """Go to where the next frame begins; zeros may stand between two frames."""
        found = self._frame.unused_data if self._frame else b""
        while not (found := found.lstrip(b"\0")):
            found = self._stream.read(_BLOCK)
            if not found:
                return False
        self._frame, self._waiting = lzma.LZMADecompressor(lzma.FORMAT_XZ), found
        return True


def _zstd() -> Any:
    """The module for Zstandard, which is in the standard library from Python 3.14 on.

    The backport has the same interface, and unlike other bindings it tells a file that was cut off from one
    that ended.
    """
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
