"""The output: a part for each shard, and a manifest that says what the parts were made from and how.

    part-00007.txt            a line for each line of the shard
    part-00007.errors.jsonl   what was wrong with lines that have an empty result, where there are any
    finished/part-00007.json  rows, bytes and SHA-256 of the part; written last, it makes the shard done
    tried/part-00007/…        a file for each worker that began with it
    manifest.json             {"settings": {…}, "inputs": [{"files", "bytes", "modified"} …],
                              "complete": true, "lines": …, "errors": …,
                              "shards": [{"name", "files", "before", "lines", "digests", …
                              and once it is done "rows", "bytes", "sha256"} …]}

Each is written under a temporary name and renamed. What a worker that died has written does not count; two
workers that do the same shard write the same bytes, and the later one replaces the earlier. The manifest is
written before the work, with every shard, and again after it. In between, the records in `finished/` say
which parts are done, so that a run that was killed can be resumed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from wordalign.errors import OutputError, UsageError
from wordalign.io.compression import compressor
from wordalign.io.records import LineError
from wordalign.io.whole import TEMPORARY
from wordalign.run.chunks import ChunkResult
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Shard, Source

FINISHED, TRIED, MANIFEST = "finished", "tried", "manifest.json"
TRIES = 4
_READERS = 16
_SUFFIXES = {"pharaoh": ".txt", "tsv": ".tsv", "jsonl": ".jsonl"}
COMPRESSIONS = {"gz": "gzip", "xz": "xz", "zst": "Zstandard"}


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """What the record of a finished part says."""

    name: str
    rows: int
    errors: int
    bytes: int
    sha256: str


def part_name(number: int, link_format: str, compress: str | None) -> str:
    return f"part-{number:05}{_SUFFIXES[link_format]}" + (f".{compress}" if compress else "")


def stem(name: str) -> str:
    """Cut the suffixes off: `part-00007.txt.gz` -> `part-00007`."""
    return name.partition(".")[0]


def try_part(folder: Place, name: str) -> bool:
    """Note that a worker begins with a part; False if so many workers died of it that the part is given up.

    Ray itself would give the shard of a worker that died to another one again and again.
    """
    notes = folder.child(TRIED).child(stem(name))
    if len(notes.inside()) >= TRIES:
        return False
    notes.child(uuid.uuid4().hex).write(b"")
    return True


def write_part(
    folder: Place, name: str, compress: str | None, results: Iterable[ChunkResult]
) -> FinishedPart:
    """Write the lines of all chunks of a shard. If one failed, its error is raised and nothing written."""
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

        for result in results:
            if result.failure is not None:
                raise result.failure
            # As on one machine: a lone surrogate has no UTF-8; a question mark keeps the line.
            data = "".join(f"{line}\n" for line in result.lines).encode("utf-8", "replace")
            write(packer.compress(data) if packer else data)
            rows += len(result.lines)
            errors += result.errors
        if packer:
            write(packer.flush())
    _write_errors(folder.child(f"{stem(name)}.errors.jsonl"), errors)
    part = FinishedPart(name, rows, len(errors), size, digest.hexdigest())
    _record(folder, name).write(json.dumps(asdict(part)).encode())
    return part


def read_part(folder: Place, name: str) -> FinishedPart | None:
    """Read the record of a part; None if the part is not done."""
    record = _record(folder, name)
    if not record.exists():
        return None
    part = _read_record(record)
    return part if folder.child(part.name).info().size == part.bytes else None


def finished_parts(folder: Place, known: Iterable[FinishedPart] = ()) -> dict[str, FinishedPart]:
    """Find all parts that are done, by name: those known before and those with a record.

    A part whose file is missing, or has another size than was written, does not count.
    """
    sizes = {place.name: info.size for place, info in folder.inside()}
    records = [place for place, _ in folder.child(FINISHED).inside() if not place.name.startswith(".")]
    with ThreadPoolExecutor(_READERS) as pool:  # each is a request where the folder is far away
        found = [*known, *pool.map(_read_record, records)]
    return {part.name: part for part in found if sizes.get(part.name) == part.bytes}


def part_of(stored: dict[str, Any]) -> FinishedPart:
    return FinishedPart(**{key: stored[key] for key in FinishedPart.__dataclass_fields__})


def _record(folder: Place, name: str) -> Place:
    return folder.child(FINISHED).child(f"{stem(name)}.json")


def _read_record(record: Place) -> FinishedPart:
    with record.open() as stream:
        return part_of(json.load(stream))


def _write_errors(place: Place, errors: list[LineError]) -> None:
    if errors:
        place.write("".join(f"{error.as_json()}\n" for error in errors).encode("utf-8", "replace"))
    elif place.exists():
        place.remove()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder of parts is made from, and how: `parts` are the names of the parts of the `shards`, in
    order, and `done` holds the records of those that are finished."""

    settings: Mapping[str, Any]
    inputs: Sequence[Mapping[str, Any]]
    shards: Sequence[Shard]
    parts: Sequence[str]
    done: Mapping[str, FinishedPart]

    @property
    def complete(self) -> bool:
        return len(self.done) == len(self.parts)

    def missing(self) -> list[tuple[str, Shard]]:
        named = zip(self.parts, self.shards, strict=True)
        return [(name, shard) for name, shard in named if name not in self.done]

    def write(self, folder: Place) -> None:
        named = zip(self.parts, self.shards, strict=True)
        stored = {
            "settings": self.settings,
            "complete": self.complete,
            "lines": sum(shard.lines for shard in self.shards),
            "errors": sum(part.errors for part in self.done.values()),
            "inputs": self.inputs,
            "shards": [self._entry(name, shard) for name, shard in named],
        }
        folder.child(MANIFEST).write((json.dumps(stored, indent=1, ensure_ascii=False) + "\n").encode())

    def _entry(self, name: str, shard: Shard) -> dict[str, Any]:
        entry = {"name": name, "files": [str(file) for file in shard.source.files], **shard.facts()}
        return entry | (asdict(self.done[name]) if name in self.done else {})


def read_manifest(folder: Place, sources: Iterable[Source]) -> Manifest | None:
    """Read the manifest of an earlier run, if any; its shards get the sources with the same files."""
    place = folder.child(MANIFEST)
    if not place.exists():
        return None
    known = {tuple(map(str, source.files)): source for source in sources}
    try:
        with place.open() as stream:
            stored = json.load(stream)
        entries = stored["shards"]
        shards = [Shard.of(known.get(tuple(entry["files"]), Source(())), entry) for entry in entries]
        done = {entry["name"]: part_of(entry) for entry in entries if "sha256" in entry}
        names = [entry["name"] for entry in entries]
        return Manifest(stored["settings"], stored["inputs"], shards, names, done)
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{place} is not what wordalign writes there: choose another folder, or remove it."
        ) from error


def check_folder(folder: Place) -> None:
    """Refuse a folder that has no manifest but other files, so that nothing of others is touched."""
    if folder.exists() and not folder.is_folder():
        raise OutputError(f"{folder} is a file; with --engine ray the output is a folder.")
    if any(place.name != MANIFEST and not place.name.endswith(TEMPORARY) for place, _ in folder.inside()):
        raise OutputError(f"{folder} holds other files: choose a new folder for the parts.")


def check_settings(folder: Place, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to resume a run with other settings, and name the first one that differs."""
    for key in [*then, *(key for key in now if key not in then)]:
        if then.get(key) != now.get(key):
            raise UsageError(
                f"{folder} was begun with other settings: {key} was {_told(then.get(key))}, now it is "
                f"{_told(now.get(key))}. Give the same again, or another folder."
            )


def _told(value: Any) -> str:
    return " and ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def check_shards(folder: Place, then: Sequence[Shard], now: Sequence[Shard]) -> None:
    """Refuse to resume a run with another input, and name the first file that differs."""
    for one, other in zip(then, now, strict=False):
        if one.facts() != other.facts():
            files = " or ".join(map(str, other.source.files))
            raise UsageError(
                f"{folder} was begun with another input: {files} is not what it was. "
                "Put back what it was, or choose another folder."
            )
    if len(then) != len(now):
        raise UsageError(
            f"{folder} was begun with another input: it had {len(then):,} shards, now it has {len(now):,}. "
            "Put back what it was, or choose another folder."
        )


def tidy(folder: Place, records: bool) -> None:
    """Remove what workers that died left behind, and the records of parts once the manifest has them."""
    finished = folder.child(FINISHED)
    for place, _ in [*folder.inside(), *finished.inside()]:
        if place.name.startswith(".") and place.name.endswith(TEMPORARY):
            place.remove()
    folder.child(TRIED).remove_folder()
    if records:
        finished.remove_folder()
