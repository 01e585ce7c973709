"""Getting a set: download, verify, convert, verify again, and only then put it in its place.

Downloads go to a temporary folder of the system. Nothing of a download is looked at before its checksum is
verified. If the process dies on the way, no set appears.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from wordalign import __version__
from wordalign.data.archive import Members
from wordalign.data.convert import Aligned, SetSize, convert, count, patterns
from wordalign.data.download import Progress, fetch
from wordalign.data.gold import GOLD_FILE
from wordalign.data.places import places, where
from wordalign.data.sets import DataSet, lookup
from wordalign.errors import DownloadError, InputError, OutputError
from wordalign.io.whole import refuse_foreign_folder, whole_folder

ORIGIN_FILE = "origin.json"


@dataclass(frozen=True, slots=True)
class Installed:
    """Where a set is, and what happened to it; `counts` is None where it was there before."""

    folder: Path
    counts: SetSize | None = None
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
        raise DownloadError(f"{name}: {data_set.how_to_get(root)}")
    final = there if there is not None and root in there.parents else root / name
    made_files = partial(_made_files, data_set)
    _prepare(root)
    refuse_foreign_folder(final, made_files)
    with tempfile.TemporaryDirectory(prefix="wordalign-") as scratch:
        paths = [Path(scratch) / f"download-{number}" for number, _ in enumerate(addresses)]
        sums = [
            fetch(address, path, timeout=timeout, progress=progress(address) if progress else None)
            for address, path in zip(addresses, paths, strict=True)
        ]
        if not accept_changes:
            _check_sums(data_set, addresses, sums, final)
        members = Members()
        for address, path in zip(addresses, paths, strict=True):
            members.add(path, _file_name(address), patterns(data_set))
    pairs, notes = convert(members, data_set)
    counts = count(pairs)
    if not accept_changes:
        _check_counts(data_set, counts)
    with whole_folder(final, made_files) as folder:
        _write(folder, data_set, pairs, _origin(data_set, addresses, sums, counts, notes))
    return Installed(final, counts, tuple(sums), tuple(notes))


def _file_name(address: str) -> str:
    if "://" not in address:
        return Path(address).name
    return unquote(address.partition("?")[0].rpartition("/")[2]) or "download"


def _check_sums(data_set: DataSet, addresses: Sequence[str], sums: Sequence[str], final: Path) -> None:
    """Compare checksums with those of the registry, or else with those of the first download."""
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


def _check_counts(data_set: DataSet, counts: SetSize) -> None:
    for what, found in counts._asdict().items():
        known: tuple[int, ...] = getattr(data_set, what)
        if known and found not in known:
            unit = what if what == "sentences" else f"{what} links"
            raise InputError(
                f"{data_set.name} has {found:,} {unit}, where {' or '.join(f'{n:,}' for n in known)} were "
                "expected. Nothing was kept. If its publisher has changed it, take it with --accept-changes."
            )


def _origin(
    data_set: DataSet, addresses: Sequence[str], sums: Sequence[str], counts: SetSize, notes: Sequence[str]
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


def _made_files(data_set: DataSet, folder: Path) -> set[str]:
    """The files of a set that this module has put into a folder."""
    if not (folder / ORIGIN_FILE).is_file():
        return set()
    return {*(f"{language}.txt" for language in data_set.languages), GOLD_FILE, ORIGIN_FILE}


def _prepare(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"Cannot write to the data folder {root}: {error.strerror}. Choose another with --data DIR."
        ) from error
