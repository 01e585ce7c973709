"""`wordalign data`: the gold sets that have a name, and getting them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from wordalign.data.download import Progress


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser("data", help="list the public gold sets, and get them")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="the sets by name, with size, licence and where they are")
    add_data_option(listing)
    listing.add_argument("--json", action="store_true", help="everything that is known of each")
    listing.set_defaults(run=run_list)

    getting = commands.add_parser(
        "get",
        help="download a set and convert it",
        description="Download a gold set, verify it, and convert it to eng.txt, the other language's file "
        "and gold.txt in a folder of its name.",
    )
    getting.add_argument("name", metavar="NAME", help="of `wordalign data list`")
    add_data_option(getting)
    getting.add_argument(
        "--url",
        action="append",
        default=[],
        metavar="URL",
        help="another address to take it from, or a local file; once for each file of the set",
    )
    getting.add_argument("--force", action="store_true", help="get it again where it is there already")
    getting.add_argument(
        "--accept-changes",
        action="store_true",
        help="take it even where its checksum or counts are not the expected ones",
    )
    getting.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="to wait for a silent server (default: %(default)g)",
    )
    getting.set_defaults(run=run_get)


def add_data_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="DIR",
        help="the folder of the gold sets (default: WORDALIGN_DATA, then the user's cache)",
    )


def run_list(arguments: argparse.Namespace) -> None:
    from wordalign.data import places

    chosen = places(arguments.data)[0]
    if (arguments.data or "WORDALIGN_DATA" in os.environ) and not chosen.is_dir():
        print(f"wordalign: there is no folder {chosen} yet.", file=sys.stderr)
    rows = list(_rows(arguments.data))
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    table = [("name", "languages", "sentences", "use", "licence", "state")]
    table += [
        (
            row["name"],
            "-".join(row["languages"]),
            f"{row['sentences'][0]:,}" if row["sentences"] else "?",
            row["use"] or "",
            row["licence"] or "",
            row["state"],
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for name, languages, sentences, use, licence, state in table:
        cells = (name, languages, sentences.rjust(widths[2]), use, licence, state)
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


def run_get(arguments: argparse.Namespace) -> None:
    from wordalign.data import get, lookup

    with _bars() as progress:
        done = get(
            arguments.name,
            data=arguments.data,
            urls=arguments.url,
            force=arguments.force,
            accept_changes=arguments.accept_changes,
            timeout=arguments.timeout,
            progress=progress,
        )
    if done.counts is None:
        print(f"{arguments.name} is in {done.folder} already (--force gets it again).")
        return
    for note in done.notes:
        print(f"wordalign: {note}", file=sys.stderr)
    known = lookup(arguments.name)
    counts = done.counts
    print(
        f"{known.name}: {counts.sentences:,} sentences, {counts.sure:,} sure links, {counts.possible:,} more "
        f"possible, in {done.folder}"
    )
    print(f"licence: {known.licence}")
    print(f"please cite: {known.citation}")
    if not known.sha256:
        print("sha256 (recorded, nothing to compare with yet): " + " ".join(done.sha256))


def _rows(data: str | None) -> Iterator[dict[str, Any]]:
    from wordalign.data import known_sets, where
    from wordalign.data.places import cache_folder, local_names
    from wordalign.io import count_lines

    own = [name for name in dict.fromkeys(local_names(data)) if name not in known_sets()]
    for name in [*known_sets(), *own]:
        known = known_sets().get(name)
        folder = where(name, data)
        if folder is None:
            state = "not downloaded" if known is not None and known.urls else "on request"
        else:
            state = "in cache" if cache_folder() in folder.parents else "local"
        row: dict[str, Any] = _unregistered(name) if known is None else asdict(known)
        row["languages"] = name.partition(".")[0].split("-")
        row["verified"] = known is not None and known.verified
        lines = None if folder is None else count_lines(folder / "gold.txt")
        if lines is not None and lines not in row["sentences"]:
            if row["sentences"]:
                state += f" ({lines:,} sentences)"
            else:
                row["sentences"] = [lines]
        yield {**row, "state": state, "folder": None if folder is None else str(folder)}


def _unregistered(name: str) -> dict[str, Any]:
    return {"name": name, "use": None, "licence": None, "sentences": []}


@contextmanager
def _bars() -> Iterator[Callable[[str], Progress] | None]:
    """A progress bar for each download on a terminal, and nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from contextlib import ExitStack

    from tqdm import tqdm

    with ExitStack() as stack:

        def start(address: str) -> Progress:
            bar = stack.enter_context(tqdm(desc=address.rpartition("/")[2], unit="B", unit_scale=True))

            def advance(received: int, total: int | None) -> None:
                bar.total = total
                bar.update(received - bar.n)

            return advance

        yield start
