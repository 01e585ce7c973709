"""A shard -> its records, checked to be what the shard was made from.

A row of a Parquet file becomes the line of JSON that would say the same, so that it is understood, and
refused, as everywhere else.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, BinaryIO

from wordalign.errors import InputError
from wordalign.io.compression import decompressed
from wordalign.io.lines import byte_lines
from wordalign.io.records import Record
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Shard, read_footer

COLUMNS = ("source", "target")
_ROWS = 1024
_BUFFER = 1 << 16


def read_shard(
    shard: Shard, pair_format: str | None, columns: Sequence[str] = COLUMNS, *, cut: bool = False
) -> Iterator[Record]:
    """The records of a shard; their numbers are those of the lines in the file. `cut` is as for `Records`."""
    if pair_format == "parquet":
        lines: Iterator[tuple[bytes, ...]] = _rows(shard, columns)
    else:
        lines = _lines(shard, cut)
    count = 0
    for count, found in enumerate(lines, start=1):
        yield Record(shard.before + count, found)
    if count != shard.lines:
        raise _changed(shard.source.files)


def check_unchanged(shard: Shard, pair_format: str | None) -> None:
    """Refuse a shard whose content is not what it was made from: that comes before all else that is wrong."""
    if pair_format == "parquet":
        _check_footer(shard)
        return
    with ExitStack() as stack:
        _check(shard, [stack.enter_context(span) for span in _spans(shard)])


def _lines(shard: Shard, cut: bool) -> Iterator[tuple[bytes, ...]]:
    with ExitStack() as stack:
        spans = [stack.enter_context(span) for span in _spans(shard)]
        # Held until the end: a buffer that is let go of closes what it reads from.
        buffers = [io.BufferedReader(span, _BUFFER) for span in spans]
        named = zip(buffers, map(str, shard.source.files), strict=True)
        read = (byte_lines(buffer, name, cut=cut, before=shard.before) for buffer, name in named)
        yield from zip(*read, strict=False)
        _check(shard, spans)


def _spans(shard: Shard) -> Iterator[_Span]:
    for file, start, size in zip(shard.source.files, shard.starts, shard.sizes, strict=True):
        stream = file.open()
        if size is None:
            yield _Span(decompressed(stream, file.name, str(file)), None)
        else:
            stream.seek(start)
            yield _Span(stream, size)


def _check(shard: Shard, spans: Sequence[_Span]) -> None:
    if tuple(span.rest() for span in spans) != shard.digests:
        raise _changed(shard.source.files)


class _Span(io.RawIOBase):
    """So many bytes of a stream, hashed as they are read."""

    def __init__(self, stream: BinaryIO, size: int | None) -> None:
        self._stream, self._left = stream, size
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        wanted = len(buffer) if self._left is None else min(len(buffer), self._left)
        data = self._stream.read(wanted)
        if self._left is not None:
            self._left -= len(data)
        self._digest.update(data)
        buffer[: len(data)] = data
        return len(data)

    def rest(self) -> str:
        """The hash of all of it, whatever was read before."""
        while self.read(_BUFFER):
            pass
        return self._digest.hexdigest()

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _rows(shard: Shard, columns: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    _check_footer(shard)
    (file,) = shard.source.files
    with file.files.open_input_file(file.path) as stream:
        table = parquet.ParquetFile(stream)
        known = table.schema_arrow.names
        missing = [column for column in columns if column.partition(".")[0] not in known]
        if missing:
            raise InputError(
                f"{file} has no column {missing[0]!r}, but {', '.join(known)}: "
                "say which with --columns SOURCE TARGET."
            )
        groups, skip = _groups(table.metadata, shard)
        try:
            batches = table.iter_batches(_ROWS, row_groups=groups, columns=list(columns))
            rows = (row for batch in batches for row in batch.to_pylist())
            for row in islice(rows, skip, skip + shard.lines):
                sides = [_value(row, column) for column in columns]
                line = json.dumps(dict(zip(COLUMNS, sides, strict=True)), ensure_ascii=False, default=str)
                yield (line.encode("utf-8", "replace"),)
        except (arrow.ArrowException, UnicodeDecodeError, OSError) as error:
            raise InputError(f"Cannot read {file}: {error}") from error


def _check_footer(shard: Shard) -> None:
    if tuple(read_footer(file)[1] for file in shard.source.files) != shard.digests:
        raise _changed(shard.source.files)


def _groups(metadata: Any, shard: Shard) -> tuple[list[int], int]:
    """The row groups that hold rows of the shard, and how many rows of the first come before it."""
    groups: list[int] = []
    skip = start = 0
    for group in range(metadata.num_row_groups):
        end = start + metadata.row_group(group).num_rows
        if start < shard.before + shard.lines and end > shard.before:
            if not groups:
                skip = shard.before - start
            groups.append(group)
        start = end
    return groups, skip


def _value(row: Any, column: str) -> Any:
    """`translation.de` is the field `de` of the column `translation`."""
    for name in column.split("."):
        row = row.get(name) if isinstance(row, dict) else None
    return row


def _changed(files: Sequence[Place]) -> InputError:
    return InputError(
        f"{' or '.join(map(str, files))} has changed since this run was begun: "
        "align it into another folder, or put back what it was."
    )
