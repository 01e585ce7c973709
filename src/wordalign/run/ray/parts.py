"""A shard's lines -> one whole part of the output.

    part-00007.txt           a line for each line of the shard
    part-00007.errors.jsonl  what was wrong with lines that have an empty result, where there are any
    finished/part-00007.json rows, bytes and SHA-256 of the part; written last, it makes the shard done
    tried/part-00007/…       one for each worker that began with it

Each is written under a temporary name and renamed. A worker that dies leaves nothing that counts; two that
do the same shard write the same bytes, and the later one replaces the earlier.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from wordalign.io.compression import compressor
from wordalign.io.records import LineError
from wordalign.run.job import Done
from wordalign.run.ray.places import Place

FINISHED, TRIED = "finished", "tried"
TRIES = 4
_READERS = 16
_SUFFIXES = {"pharaoh": ".txt", "tsv": ".tsv", "jsonl": ".jsonl"}
COMPRESSIONS = {"gz": "gzip", "xz": "xz", "zst": "Zstandard"}


@dataclass(frozen=True, slots=True)
class Part:
    """What is known of a part that is done."""

    name: str
    rows: int
    errors: int
    bytes: int
    sha256: str


def part_name(number: int, link_format: str, compress: str | None) -> str:
    return f"part-{number:05}{_SUFFIXES[link_format]}" + (f".{compress}" if compress else "")


def stem(name: str) -> str:
    """`part-00007.txt.gz` -> `part-00007`."""
    return name.partition(".")[0]


def try_part(folder: Place, name: str) -> bool:
    """Note that a worker begins with a part; False if so many have and died that it must be the part's fault.

    Ray gives the shard of a worker that died to another one, without end.
    """
    notes = folder.child(TRIED).child(stem(name))
    if len(notes.inside()) >= TRIES:
        return False
    notes.child(uuid.uuid4().hex).write(b"")
    return True


def write_part(folder: Place, name: str, compress: str | None, done: Iterable[Done]) -> Part:
    """Write the lines of all chunks of a shard; the failure of one is raised, and nothing was written."""
    rows = size = 0
    errors: list[LineError] = []
    digest = hashlib.sha256()
    packer = compressor(COMPRESSIONS[compress]) if compress else None
    with folder.child(name).replaced() as stream:

        def write(data: bytes) -> None:
            nonlocal size
            stream.write(data)
            digest.update(data)
            size += len(data)

        for chunk in done:
            if chunk.failure is not None:
                raise chunk.failure
            # As on one machine: a lone surrogate has no UTF-8; a question mark keeps the line.
            data = "".join(f"{line}\n" for line in chunk.lines).encode("utf-8", "replace")
            write(packer.compress(data) if packer else data)
            rows += len(chunk.lines)
            errors += chunk.errors
        if packer:
            write(packer.flush())
    _write_errors(folder.child(f"{stem(name)}.errors.jsonl"), errors)
    part = Part(name, rows, len(errors), size, digest.hexdigest())
    _record(folder, name).write(json.dumps(asdict(part)).encode())
    return part


def read_part(folder: Place, name: str) -> Part | None:
    """What is known of a part, or None if it is not done."""
    record = _record(folder, name)
    if not record.exists():
        return None
    part = _read_record(record)
    return part if folder.child(part.name).info().size == part.bytes else None


def finished_parts(folder: Place, known: Iterable[Part] = ()) -> dict[str, Part]:
    """All parts that are done, by name: those known before and those with a record. A part whose file is not
    there, or is not what was written, does not count."""
    sizes = {place.name: info.size for place, info in folder.inside()}
    records = [place for place, _ in folder.child(FINISHED).inside() if not place.name.startswith(".")]
    with ThreadPoolExecutor(_READERS) as pool:  # each is a request where the folder is far away
        found = [*known, *pool.map(_read_record, records)]
    return {part.name: part for part in found if sizes.get(part.name) == part.bytes}


def part_of(stored: dict[str, Any]) -> Part:
    return Part(**{key: stored[key] for key in Part.__dataclass_fields__})


def _record(folder: Place, name: str) -> Place:
    return folder.child(FINISHED).child(f"{stem(name)}.json")


def _read_record(record: Place) -> Part:
    with record.open() as stream:
        return part_of(json.load(stream))


def _write_errors(place: Place, errors: list[LineError]) -> None:
    if errors:
        place.write("".join(f"{error.as_json()}\n" for error in errors).encode("utf-8", "replace"))
    elif place.exists():
        place.remove()
