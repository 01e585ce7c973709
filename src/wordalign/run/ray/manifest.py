"""What a folder of parts was made from and how, and which parts are done: `manifest.json`.

    {"settings": {…}, "inputs": [{"files", "bytes", "modified"} …], "complete": true, "lines": …, "errors": …,
     "shards": [{"name", "files", "before", "lines", "digests", … if done "rows", "bytes", "sha256"} …]}

It is written before the work, with every shard, and again after it. In between the records beside the parts
say what is done (`parts.py`), so that a run that was killed goes on without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wordalign.errors import OutputError, UsageError
from wordalign.io.whole import TEMPORARY
from wordalign.run.ray.parts import FINISHED, TRIED, Part, part_of
from wordalign.run.ray.places import Place
from wordalign.run.ray.shards import Shard, Source

NAME = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """`parts` name the parts of the `shards`, in order; `done` are those that are there."""

    settings: Mapping[str, Any]
    inputs: Sequence[Mapping[str, Any]]
    shards: Sequence[Shard]
    parts: Sequence[str]
    done: Mapping[str, Part]

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
        folder.child(NAME).write((json.dumps(stored, indent=1, ensure_ascii=False) + "\n").encode())

    def _entry(self, name: str, shard: Shard) -> dict[str, Any]:
        entry = {"name": name, "files": [str(file) for file in shard.source.files], **shard.facts()}
        return entry | (asdict(self.done[name]) if name in self.done else {})


def read_manifest(folder: Place, sources: Iterable[Source]) -> Manifest | None:
    """What was written there before, or None; its shards are tied to these sources by the files' names."""
    place = folder.child(NAME)
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
    """An output folder without a manifest must be new or empty: nothing of others is touched."""
    if folder.exists() and not folder.is_folder():
        raise OutputError(f"{folder} is a file; with --engine ray the output is a folder.")
    if any(place.name != NAME and not place.name.endswith(TEMPORARY) for place, _ in folder.inside()):
        raise OutputError(f"{folder} holds other files: choose a new folder for the parts.")


def check_settings(folder: Place, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with other settings, naming the first that differs."""
    for key in [*then, *(key for key in now if key not in then)]:
        if then.get(key) != now.get(key):
            raise UsageError(
                f"{folder} was begun with other settings: {key} was {_told(then.get(key))}, now it is "
                f"{_told(now.get(key))}. Give the same again, or another folder."
            )


def _told(value: Any) -> str:
    return " and ".join(map(str, value.values())) if isinstance(value, Mapping) else str(value)


def check_shards(folder: Place, then: Sequence[Shard], now: Sequence[Shard]) -> None:
    """Refuse to go on with another input, naming the first file that differs."""
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
