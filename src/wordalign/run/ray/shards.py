"""The input -> shards of so many lines each; and a shard -> its records.

    two files of 250 lines, 100 lines a shard  ->  lines 1-100, 101-200, 201-250 of both

A shard is the unit of work, of the output and of a restart. Its cuts depend on the input and `lines` alone,
so that the same input gives the same parts on any number of machines. A plain file is read through once, to
find where lines start; each shard keeps the SHA-256 of its bytes, so that another content is never taken for
it. A compressed file cannot be entered in the middle and is one shard. The rows of a Parquet file are counted
in its footer, which is all of it that is read to find shards.

What is read from a shard is checked to be what the shard was made from. A row of a Parquet file becomes the
line of JSON that says the same, so that it is understood, and refused, as everywhere else.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import numpy as np

from wordalign.errors import InputError, UsageError, counted
from wordalign.io.compression import decompressed, without_suffix
from wordalign.io.lines import byte_lines
from wordalign.io.pairs import LINE_FORMATS, guess_pair_format
from wordalign.io.parquet import table_units
from wordalign.io.records import Record
from wordalign.io.units import COLUMNS
from wordalign.run.ray.places import Place

SHARD_LINES = 50_000
_BLOCK = 1 << 20
_FACTS = ("before", "lines", "starts", "sizes", "digests")
_HEAD = 16
_TAIL = 8  # bytes at the end of a Parquet file: the length of its metadata, and four letters
_BUFFER = 1 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """One file of pairs, or two parallel files."""

    files: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """Lines of a source: `lines` of them after the first `before`.

    `starts` and `sizes` are in bytes, one for each file; a file that cannot be entered in the middle has 0
    and None: it is read from its start.
    """

    source: Source
    before: int
    lines: int
    starts: tuple[int, ...]
    sizes: tuple[int | None, ...]
    digests: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """Collect everything but the names of the files; it is equal for equal content."""
        return {key: getattr(self, key) for key in _FACTS}

    @classmethod
    def of(cls, source: Source, facts: Mapping[str, Any]) -> Shard:
        """Make the shard with these facts, which may come from JSON."""
        starts, sizes, digests = (tuple(facts[key]) for key in ("starts", "sizes", "digests"))
        return cls(source, facts["before"], facts["lines"], starts, sizes, digests)


def find_sources(inputs: Sequence[str], pair_format: str | None) -> tuple[list[Source], str | None]:
    """Find the files that the inputs name, each a file or a folder, and the format of files of pairs.

    Two inputs are parallel, file by file: files of two folders go together if their paths in the
    folders are equal but for the last suffix.
    """
    if not 1 <= len(inputs) <= 2 or "-" in inputs:
        raise UsageError("Give two parallel files or folders, or one of pairs, and not standard input.")
    places = list(map(Place.at, inputs))
    listed = list(map(_files, places))
    if len(listed) == 2:
        return [Source(pair) for pair in _parallel(places, listed)], None
    formats = {pair_format or guess_pair_format(file.name) for file in listed[0]}
    for name in sorted(formats):
        if name not in (*LINE_FORMATS, "parquet"):
            raise UsageError(
                f"--engine ray does not read {name.upper()} files, which cannot be entered in the middle: "
                "align them on one machine, or write their pairs to JSONL or Parquet first."
            )
    if len(formats) > 1:
        raise UsageError(
            f"{inputs[0]} holds files of different formats ({', '.join(sorted(formats))}): "
            "give one kind, or say which with --input-format."
        )
    return [Source((file,)) for file in listed[0]], formats.pop()


def identities(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """Collect what is compared before a run is resumed: names, sizes and times, without reading any file."""
    return [
        {
            "files": [str(file) for file in source.files],
            "bytes": [info.size for info in infos],
            "modified": [info.mtime_ns for info in infos],
        }
        for source in sources
        for infos in [[file.info() for file in source.files]]
    ]


def find_shards(source: Source, lines: int, pair_format: str | None) -> list[Shard]:
    """Cut one source into shards."""
    if pair_format == "parquet":
        return list(_row_shards(source, lines))
    whole = any(map(_is_compressed, source.files))
    pieces = [_pieces(file, sys.maxsize if whole else lines) for file in source.files]
    counts = [sum(piece.lines for piece in found) for found in pieces]
    if len(set(counts)) > 1:
        one, other = source.files
        raise InputError(
            f"The files are not parallel: {one} has {counted(counts[0], 'line')}, {other} has {counts[1]:,}. "
            "Line i of one must be the translation of line i of the other."
        )
    shards = []
    before = 0
    for several in zip(*pieces, strict=True):
        sizes = tuple(None if whole else piece.size for piece in several)
        starts, digests = tuple(piece.start for piece in several), tuple(piece.digest for piece in several)
        shards.append(Shard(source, before, several[0].lines, starts, sizes, digests))
        before += several[0].lines
    return shards


def _files(place: Place) -> list[Place]:
    if not place.is_folder():
        if not place.exists():
            raise InputError(f"There is no file or folder {place}.")
        return [place]
    below = len(place.path) + 1
    found = [
        file
        for file, _ in place.inside(recursive=True)
        if not any(part.startswith((".", "_")) for part in file.path[below:].split("/"))
    ]
    if not found:
        raise InputError(f"{place} holds no files.")
    return found


def _parallel(folders: list[Place], listed: list[list[Place]]) -> list[tuple[Place, Place]]:
    sources, targets = listed
    if len(sources) == len(targets) == 1:
        return [(sources[0], targets[0])]
    named, known = (
        {_stem(file, folder): file for file in files} for folder, files in zip(folders, listed, strict=True)
    )
    alone = named.keys() ^ known.keys()
    if alone or not len(known) == len(sources) == len(targets):
        example = f": {min(alone)} is in one of them only" if alone else ""
        raise InputError(
            f"The folders are not parallel{example} ({len(sources)} and {len(targets)} files). Files go "
            "together by name, the last suffix left aside: a.en and a.de.gz, but not a.en.txt and a.de.txt."
        )
    return [(source, known[stem]) for stem, source in named.items()]


def _stem(file: Place, folder: Place) -> str:
    """Give the name that parallel files share: x/a for x/a.en.gz in the folder."""
    below = without_suffix(file.path.removeprefix(f"{folder.path}/"))
    return str(PurePosixPath(below).with_suffix(""))


def _is_compressed(file: Place) -> bool:
    """Tell by the content, as everywhere: the bytes that are read are not those of the file."""
    with file.open() as stored, decompressed(file.open(), file.name, str(file)) as stream:
        return bool(stored.read(_HEAD) != stream.read(_HEAD))


@dataclass(frozen=True, slots=True)
class _Piece:
    lines: int
    start: int
    size: int
    digest: str


def _pieces(file: Place, lines: int) -> list[_Piece]:
    with decompressed(file.open(), file.name, str(file)) as stream:
        return list(_cut(iter(lambda: stream.read(_BLOCK), b""), lines))


def _cut(blocks: Iterator[bytes], lines: int) -> Iterator[_Piece]:
    start = size = count = 0
    digest = hashlib.sha256()
    last = b"\n"
    for block in blocks:
        last = block[-1:]
        while block:
            found = block.count(b"\n")
            end = len(block)
            if count + found >= lines:
                ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
                found = lines - count
                end = int(ends[found - 1]) + 1
            digest.update(block[:end])
            count, size, block = count + found, size + end, block[end:]
            if count == lines:
                yield _Piece(count, start, size, digest.hexdigest())
                start, size, count, digest = start + size, 0, 0, hashlib.sha256()
    count += last != b"\n"
    if count:
        yield _Piece(count, start, size, digest.hexdigest())


def _row_shards(source: Source, lines: int) -> Iterator[Shard]:
    (file,) = source.files
    rows, digest = read_footer(file)
    for before in range(0, rows, lines):
        yield Shard(source, before, min(lines, rows - before), (0,), (None,), (digest,))


def read_footer(file: Place) -> tuple[int, str]:
    """Count the rows of a Parquet file, and hash its footer with SHA-256.

    The footer says where each column's values are, how many bytes they take, and (as most programs write it)
    the least and greatest of them.
    """
    import pyarrow.parquet as parquet

    try:
        with file.open() as stream:
            rows = int(parquet.ParquetFile(stream).metadata.num_rows)
            length = int.from_bytes(_end_of(stream, _TAIL)[:4], "little")
            return rows, hashlib.sha256(_end_of(stream, _TAIL + length)).hexdigest()
    except (ValueError, OSError) as error:
        raise InputError(f"{file} is no Parquet file: {error}") from error


def _end_of(stream: BinaryIO, size: int) -> bytes:
    stream.seek(-size, os.SEEK_END)
    return stream.read(size)


def read_shard(
    shard: Shard, pair_format: str | None, columns: Sequence[str] = COLUMNS, *, cut: bool = False
) -> Iterator[Record]:
    """Read the records of a shard, numbered by their lines in the file. `cut` is as for `Records`."""
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
    """Refuse a shard whose content has changed; that is said before anything else that is wrong with it."""
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
    """A stretch of a stream, whose bytes are hashed as they are read."""

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
        """Read what is left, and give the hash of the whole stretch."""
        while self.read(_BUFFER):
            pass
        return self._digest.hexdigest()

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _rows(shard: Shard, columns: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    import pyarrow.parquet as parquet

    _check_footer(shard)
    (file,) = shard.source.files
    with file.files.open_input_file(file.path) as stream:
        table = parquet.ParquetFile(stream)
        groups, skip = _groups(table.metadata, shard)
        units = table_units(table, str(file), columns, groups)
        for unit in islice(units, skip, skip + shard.lines):
            yield (unit.as_line(),)


def _check_footer(shard: Shard) -> None:
    if tuple(read_footer(file)[1] for file in shard.source.files) != shard.digests:
        raise _changed(shard.source.files)


def _groups(metadata: Any, shard: Shard) -> tuple[list[int], int]:
    """Find the row groups that hold rows of the shard, and how many rows of the first one precede it."""
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


def _changed(files: Sequence[Place]) -> InputError:
    return InputError(
        f"{' or '.join(map(str, files))} has changed since this run was begun: "
        "align it into another folder, or put back what it was."
    )
