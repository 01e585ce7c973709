"""Stage 1, prepare: parallel text and word lists -> tokenised pairs, without the sources that must not ship.

    python -m training.prepare --text TEXT [TEXT …] --work WORK

Reads `eng-<language>.tsv.xz` and `dict-<language>.tsv.xz` (English, TAB, other language, TAB, source) of
every
folder of text. Writes `WORK/prepared/<language>.tsv`: English words, TAB, other words, TAB, source; words
joined by a space; sentences first, then the entries of word lists. Finished languages are skipped.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from training.recipe import load_recipe
from training.tokenise import draw_style, tokenise

Row = tuple[str, str, str]


def read_rows(path: Path) -> list[Row]:
    """The lines of one file: English, other language, source."""
    if not path.exists():
        return []
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [tuple(line.rstrip("\n").split("\t")) for line in file]  # type: ignore[misc]


def choose_rows(rows: list[Row], language: str, recipe: dict[str, Any]) -> list[Row]:
    """The rows that may be used, shuffled; of machine-translated sources only a share where there is other
    text."""
    options = recipe["prepare"]
    dropped = set(options["dropped_sources"])
    dropped |= {source for source, languages in options["dropped_for"].items() if language in languages}
    by_machine = set(options["machine_translated"])
    chance = random.Random(f"{recipe['seed']} {language}")
    rows = [row for row in rows if row[2] not in dropped]
    if sum(row[2] not in by_machine for row in rows) >= options["enough_by_people"]:
        share = options["machine_share"]
        rows = [row for row in rows if row[2] not in by_machine or chance.random() < share]
    chance.shuffle(rows)
    return rows


def tokenised(rows: list[Row], language: str, recipe: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Pairs of words joined by spaces; empty and very long ones are left out."""
    most, styles, seed = recipe["prepare"]["max_words"], recipe["prepare"]["styles"], recipe["seed"]
    for english, other, source in rows:
        ours = tokenise(english, "eng", draw_style(english, "eng", styles, seed))
        theirs = tokenise(other, language, draw_style(other, language, styles, seed))
        if 0 < len(ours) <= most and 0 < len(theirs) <= most:
            yield " ".join(ours), " ".join(theirs), source


def prepare_language(
    language: str, folders: list[Path], work: Path, recipe: dict[str, Any]
) -> dict[str, int]:
    """Write one language's pairs; returns the number kept of each source."""
    target = work / "prepared" / f"{language}.tsv"
    summary = target.with_suffix(".json")
    if summary.exists():
        return json.loads(summary.read_text())
    options = recipe["prepare"]
    limit = options["max_pairs_for"].get(language, options["max_pairs"])
    text = [row for folder in folders for row in read_rows(folder / f"eng-{language}.tsv.xz")]
    entries = [row for folder in folders for row in read_rows(folder / f"dict-{language}.tsv.xz")]
    kept: Counter[str] = Counter()
    with target.open("w", encoding="utf-8") as file:
        for rows, most in ((text, limit), (entries, options["max_entries"])):
            chosen = choose_rows(rows, language, recipe)[:most]
            for ours, theirs, source in tokenised(chosen, language, recipe):
                file.write(f"{ours}\t{theirs}\t{source}\n")
                kept[source] += 1
    summary.write_text(json.dumps(dict(kept.most_common()), indent=1))
    print(f"prepared {language}: {sum(kept.values())} pairs", flush=True)
    return dict(kept)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--text", type=Path, nargs="+", required=True, help="folders of eng-<language>.tsv.xz"
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    recipe = load_recipe(arguments.recipe)
    (arguments.work / "prepared").mkdir(parents=True, exist_ok=True)
    sizes: Counter[str] = Counter()
    for folder in arguments.text:
        for file in folder.glob("eng-*.tsv.xz"):
            sizes[file.name.removeprefix("eng-").removesuffix(".tsv.xz")] += file.stat().st_size
    # The small ones first: later stages can begin with them.
    languages = [language for language, _ in reversed(sizes.most_common())]
    job = partial(prepare_language, folders=arguments.text, work=arguments.work, recipe=recipe)
    with multiprocessing.Pool(arguments.jobs) as pool:
        counts = dict(zip(languages, pool.imap(job, languages, chunksize=1), strict=True))
    total = sum(sum(count.values()) for count in counts.values())
    print(f"{total} pairs in {len(counts)} languages")


if __name__ == "__main__":
    main()
