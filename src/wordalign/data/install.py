"""Getting a set: download, verify, convert, verify again, and only then put it in its place.

All work happens in a hidden folder beside the sets, which takes its place by a rename at the very end. If
the process dies on the way, no set is there, and the next `get` removes what was left behind.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from wordalign import __version__
from wordalign.data.archive import Members
from wordalign.data.convert import Aligned, Counts, convert, count, patterns
from wordalign.data.download import Progress, fetch
from wordalign.data.gold import GOLD_FILE
from wordalign.data.places import places, where
from wordalign.data.sets import DataSet, lookup
from wordalign.errors import DownloadError, InputError, OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ORIGIN_FILE = "origin.json"
_WORKSHOP = ".get-"
_ABANDONED = 24 * 3600.0  # seconds, where the system has no locks to tell


@dataclass(frozen=True, slots=True)
class Installed:
    """Where a set is, and what happened to it; `counts` is None where it was there before."""

    folder: Path
    counts: Counts | None = None
    sha256: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def get(
    name: str,
    *,
    data: str | Path | None = None,
    urls: Sequence[str] = (),
    force: bool = False,
    accept_changes: bool = False,
    timeout: float = 60.0,
    progress: Callable[[str], Progress] | None = None,
) -> Installed:
    """Put a registered set into the data folder, unless it is there.

    `urls` are other addresses, or local files, to take it from. `force` gets it again;
    `accept_changes` takes it even where its checksum or its counts are not the expected ones.
    """
    data_set = lookup(name)
    root, there = places(data)[0], where(name, data)
    if there is not None and not force:
        return Installed(there)
    addresses = tuple(urls) or data_set.urls
    if not addresses:
        raise DownloadError(_on_request(data_set, root))
    final = there if there is not None and root in there.parents else root / name
    if final.exists() and not (final / ORIGIN_FILE).exists():
        raise OutputError(f"{final} was not made by `wordalign data get`: move it away first, to keep it.")
    with _workshop(root) as workshop:
        members, sums = Members(), []
        for number, address in enumerate(addresses):
            path = workshop / f"download-{number}"
            sums.append(
                fetch(address, path, timeout=timeout, progress=progress(address) if progress else None)
            )
            members.add(path, _file_name(address), patterns(data_set))
        if not accept_changes:
            _check_sums(data_set, addresses, sums, final)
        pairs, notes = convert(members, data_set)
        counts = count(pairs)
        if not accept_changes:
            _check_counts(data_set, counts)
        made = workshop / "set"
        _write(made, data_set, pairs, _origin(data_set, addresses, sums, counts, notes))
        _put_in_place(made, final, workshop)
    return Installed(final, counts, tuple(sums), tuple(notes))


def _on_request(data_set: DataSet, root: Path) -> str:
    files = ", ".join([*(f"{language}.txt" for language in data_set.languages), GOLD_FILE])
    what = f"{data_set.name} cannot be downloaded by a program. {data_set.request} Page: {data_set.origin}."
    if data_set.layout != "folder":
        what += f" With the file: wordalign data get {data_set.name} --url FILE."
    return f"{what} Or put {files} into {root / data_set.name} (docs/data.md says in what form)."


def _file_name(address: str) -> str:
    if "://" not in address:
        return Path(address).name
    return unquote(address.partition("?")[0].rpartition("/")[2]) or "download"


def _check_sums(data_set: DataSet, addresses: Sequence[str], sums: Sequence[str], final: Path) -> None:
    """Against the registry, or else against what the first download left."""
    recorded = _read_origin(final).get("sha256", [])
    expected = data_set.sha256 or tuple(recorded)
    if len(expected) != len(sums):  # nothing known, or another packing of the same set
        return
    since = "the registry names" if data_set.sha256 else "the first download had"
    for address, wanted, found in zip(addresses, expected, sums, strict=True):
        if wanted != found:
            raise DownloadError(
                f"{address} is not the expected file: its SHA-256 is {found}, {since} {wanted}. "
                "Nothing was kept. If its publisher has changed it, take it with --accept-changes."
            )


def _check_counts(data_set: DataSet, counts: Counts) -> None:
    for what, found in counts._asdict().items():
        known: tuple[int, ...] = getattr(data_set, what)
        if known and found not in known:
            unit = what if what == "sentences" else f"{what} links"
            raise InputError(
                f"{data_set.name} has {found:,} {unit}, where {' or '.join(f'{n:,}' for n in known)} were "
                "expected. Nothing was kept. If its publisher has changed it, take it with --accept-changes."
            )


def _origin(
    data_set: DataSet, addresses: Sequence[str], sums: Sequence[str], counts: Counts, notes: Sequence[str]
) -> dict[str, Any]:
    return {
        "name": data_set.name,
        "title": data_set.title,
        "origin": data_set.origin,
        "licence": data_set.licence,
        "citation": data_set.citation,
        "addresses": list(addresses),
        "sha256": list(sums),
        "downloaded": datetime.now(UTC).isoformat(timespec="seconds"),
        **counts._asdict(),
        "notes": list(notes),
        "wordalign": __version__,
    }


def _read_origin(folder: Path) -> dict[str, Any]:
    try:
        origin = json.loads((folder / ORIGIN_FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return origin if isinstance(origin, dict) else {}


def _write(folder: Path, data_set: DataSet, pairs: Sequence[Aligned], origin: dict[str, Any]) -> None:
    folder.mkdir()
    source, target = data_set.languages
    lines = {
        f"{source}.txt": [" ".join(pair.source) for pair in pairs],
        f"{target}.txt": [" ".join(pair.target) for pair in pairs],
        GOLD_FILE: [pair.gold_line() for pair in pairs],
        ORIGIN_FILE: [json.dumps(origin, ensure_ascii=False, indent=2)],
    }
    for name, content in lines.items():
        with (folder / name).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in content)
            stream.flush()
            os.fsync(stream.fileno())


def _put_in_place(made: Path, final: Path, workshop: Path) -> None:
    """Renames only: whoever looks sees the old set, none, or the new one."""
    old = workshop / "old"
    if final.exists():
        final.rename(old)
    try:
        made.rename(final)
    except OSError:
        if old.exists():
            old.rename(final)
        raise


@contextmanager
def _workshop(root: Path) -> Iterator[Path]:
    """A hidden folder in the data folder, removed at the end whatever happens, and locked until then."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        _sweep(root)
        workshop = Path(tempfile.mkdtemp(prefix=_WORKSHOP, dir=root))
    except OSError as error:
        raise OutputError(
            f"Cannot write to the data folder {root}: {error.strerror}. Choose another with --data DIR."
        ) from error
    try:
        with (workshop / "lock").open("w") as lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield workshop
    except OSError as error:
        raise OutputError(f"Cannot write to the data folder {root}: {error.strerror}.") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _sweep(root: Path) -> None:
    """Remove the hidden folders of processes that were killed."""
    for workshop in root.glob(f"{_WORKSHOP}*"):
        if _abandoned(workshop):
            shutil.rmtree(workshop, ignore_errors=True)


def _abandoned(workshop: Path) -> bool:
    try:
        if fcntl is None or not (workshop / "lock").exists():
            return time.time() - workshop.stat().st_mtime > _ABANDONED
        with (workshop / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except OSError:  # another process works there, or has just cleaned it up
        return False
