"""The input -> shards: so many lines each, with where they stand and what they hold.

    two files of 250 lines, 100 lines a shard  ->  lines 1-100, 101-200, 201-250 of both

A shard is the unit of work, of the output and of a restart. Its cuts depend on the input and `lines` alone,
so that the same input gives the same parts on any number of machines. A plain file is read through once, to
find where lines start; each shard keeps the SHA-256 of its bytes, so that another content is never taken for
it. A compressed file cannot be entered in the middle and is one shard. The rows of a Parquet file are counted
in its footer, which is all of it that is read here.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO

import numpy as np

from wordalign.errors import InputError, UsageError
from wordalign.io.compression import decompressed, without_suffix
from wordalign.io.pairs import guess_pair_format
from wordalign.run.ray.places import Place

SHARD_LINES = 50_000
_BLOCK = 1 << 20
_FACTS = ("before", "lines", "starts", "sizes", "digests")
_HEAD = 16
_TAIL = 8  # bytes at the end of a Parquet file: the length of its metadata, and four letters


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
        """All but the files' names: equal for equal content."""
        return {key: getattr(self, key) for key in _FACTS}

    @classmethod
    def of(cls, source: Source, facts: Mapping[str, Any]) -> Shard:
        """The shard with these facts, which may come from JSON."""
        starts, sizes, digests = (tuple(facts[key]) for key in ("starts", "sizes", "digests"))
        return cls(source, facts["before"], facts["lines"], starts, sizes, digests)


def find_sources(inputs: Sequence[str], pair_format: str | None) -> tuple[list[Source], str | None]:
    """The files that the inputs name, each a file or a folder; and the format of files of pairs.

    Two inputs are parallel, file by file: those of folders go together by their path in the folder, the last
    suffix left aside.
    """
    if not 1 <= len(inputs) <= 2 or "-" in inputs:
        raise UsageError("Give two parallel files or folders, or one of pairs, and not standard input.")
    places = list(map(Place.at, inputs))
    listed = list(map(_files, places))
    if len(listed) == 2:
        return [Source(pair) for pair in _parallel(places, listed)], None
    formats = {pair_format or _format(file) for file in listed[0]}
    if len(formats) > 1:
        raise UsageError(
            f"{inputs[0]} holds files of different formats ({', '.join(sorted(formats))}): "
            "give one kind, or say which with --input-format."
        )
    return [Source((file,)) for file in listed[0]], formats.pop()


def identities(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """What is compared before work goes on where it stopped, without reading any file."""
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
    """The shards of one source."""
    if pair_format == "parquet":
        return list(_row_shards(source, lines))
    whole = any(map(_is_compressed, source.files))
    pieces = [_pieces(file, sys.maxsize if whole else lines) for file in source.files]
    counts = [sum(piece.lines for piece in found) for found in pieces]
    if len(set(counts)) > 1:
        one, other = source.files
        raise InputError(
            f"The files are not parallel: {one} has {counts[0]:,} lines, {other} has {counts[1]:,}. "
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
    """x/a for x/a.en.gz in the folder."""
    below = without_suffix(file.path.removeprefix(f"{folder.path}/"))
    return str(PurePosixPath(below).with_suffix(""))


def _format(file: Place) -> str:
    return "parquet" if file.name.lower().endswith((".parquet", ".pq")) else guess_pair_format(file.name)


def _is_compressed(file: Place) -> bool:
    """By its content, as everywhere: is what is read from it not what is in it?"""
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
    """The rows of a Parquet file, and the SHA-256 of its footer, which says where each column's values are,
    how many bytes they take, and (as most programs write it) the least and greatest of them."""
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
