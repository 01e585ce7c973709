"""How far a run has come: a small JSON file beside the partial output, replaced as a whole.

It holds what decides about the bytes of the output (the settings, and digests of the input read so far)
and what has been written for it. A run may go on from it only if both are still the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordalign.errors import OutputError
from wordalign.io.records import Record

_KIND = "wordalign run 1"


@dataclass(frozen=True, slots=True)
class State:
    """What was written for the first `records` records, of which `failed` had an error, in bytes."""

    settings: Mapping[str, Any]
    records: int
    digests: Sequence[str]
    output: int
    errors: int = 0
    failed: int = 0
    finished: bool = False

    def save(self, path: Path) -> None:
        new = path.with_name(path.name + ".new")
        try:
            with new.open("w", encoding="utf-8") as stream:
                json.dump({"kind": _KIND, **asdict(self)}, stream, indent=2)
                stream.flush()
                os.fsync(stream.fileno())
            new.replace(path)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    @classmethod
    def load(cls, path: Path) -> State:
        try:
            fields = json.loads(path.read_text("utf-8"))
            if fields.pop("kind") != _KIND:
                raise ValueError
            return cls(**fields)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise OutputError(
                f"{path} does not say how far a run has come: remove it, and the run starts anew."
            ) from error

    def difference(self, settings: Mapping[str, Any]) -> str:
        """Which settings differ from those of the state, in words; an empty string if none does."""
        names = dict.fromkeys([*self.settings, *settings])
        changed = [name for name in names if self.settings.get(name) != settings.get(name)]
        return "; ".join(
            f"{name} was {_told(self.settings.get(name))} and is now {_told(settings.get(name))}"
            for name in changed
        )


class Digests:
    """Of the lines of each input file so far; how lines end and how files are compressed does not count."""

    def __init__(self, files: int) -> None:
        self._hashes = [hashlib.blake2b(digest_size=16) for _ in range(files)]

    def add(self, records: Iterable[Record]) -> None:
        sides = [record.lines for record in records]
        for place, digest in enumerate(self._hashes):
            digest.update(b"".join(lines[place] + b"\n" for lines in sides))

    def __call__(self) -> list[str]:
        return [digest.hexdigest() for digest in self._hashes]


def _told(value: Any) -> str:
    if isinstance(value, Mapping):  # signatures, by method
        return " and ".join(map(_told, value.values()))
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
