"""Where gold sets lie on this machine, and finding one by name.

A folder of data holds a folder for each set, directly (as `wordalign data get` makes them) or under
`gold/` and `gold-dev/`. Looked through in this order, or one alone where it is named in the call:

    WORDALIGN_DATA       a folder of one's own
    the cache            $XDG_CACHE_HOME/wordalign/data, or the platform's cache folder
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from wordalign.data.gold import GOLD_FILE, GoldSet
from wordalign.data.sets import known_sets, lookup
from wordalign.errors import InputError, UnknownNameError

SHELVES = ("", "gold", "gold-dev")


def cache_folder() -> Path:
    """The platform's cache folder for data, whether or not it exists."""
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "wordalign" / "data"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "wordalign" / "Cache" / "data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "wordalign" / "data"
    return Path.home() / ".cache" / "wordalign" / "data"


def places(data: str | Path | None = None) -> list[Path]:
    """The folders to look through, the one to download into first."""
    if data is not None:
        return [Path(data)]
    given = os.environ.get("WORDALIGN_DATA")
    return [Path(given), cache_folder()] if given else [cache_folder()]


def where(name: str, data: str | Path | None = None) -> Path | None:
    """The folder of a set, if it is on this machine."""
    folders = (place / shelf / name for place in places(data) for shelf in SHELVES)
    return next((folder for folder in folders if (folder / GOLD_FILE).is_file()), None)


def local_names(data: str | Path | None = None) -> Iterator[str]:
    """The names of all sets on this machine, registered or not."""
    for place in places(data):
        for shelf in SHELVES:
            if (place / shelf).is_dir():
                for folder in sorted((place / shelf).iterdir()):
                    if not folder.name.startswith(".") and (folder / GOLD_FILE).is_file():
                        yield folder.name


def find(name: str | Path, data: str | Path | None = None) -> GoldSet:
    """A set by its name, or by the path of its folder; nothing is downloaded.

    `data` is the folder to look in; by default `WORDALIGN_DATA`, then the cache.
    """
    if isinstance(name, Path) or os.sep in name or "/" in name:
        return GoldSet.open(Path(name))
    if not name or name in SHELVES or name.startswith("."):
        raise UnknownNameError("data set", name, known_sets())
    folder = where(name, data)
    if folder is not None:
        return GoldSet.open(folder)
    looked = " and ".join(map(str, places(data)))
    if name in known_sets():
        raise InputError(
            f"The gold set {name} is not on this machine (looked in {looked}). "
            f"{lookup(name).how_to_get(places(data)[0])} If a folder has it already, point --data or "
            "WORDALIGN_DATA at it."
        )
    raise UnknownNameError("data set", name, {*known_sets(), *local_names(data)}, f"Looked in {looked}.")
