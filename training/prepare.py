"""Stage 1, prepare: parallel text -> tokenised pairs, without the sources that must not ship.

    python -m training.prepare --text TEXT --work WORK

Reads `TEXT/eng-<language>.tsv.xz` (English, TAB, other language, TAB, source). Writes
`WORK/prepared/<language>.tsv`: English words, TAB, other words, TAB, source; words joined by a space.
Finished languages are skipped, so a stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import lzma
import multiprocessing
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from training.recipe import load_recipe
from training.tokenise import draw_style, tokenise

Pair = tuple[list[str], list[str], str]


def read_pairs(path: Path, language: str, recipe: dict[str, Any]) -> Iterator[Pair]:
    """The usable pairs of one file, tokenised."""
    options = recipe["prepare"]
    dropped = set(options["dropped_sources"])
    dropped |= {source for source, languages in options["dropped_for"].items() if language in languages}
    most, styles, seed = options["max_words"], options["styles"], recipe["seed"]
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for line in file:
            english, other, source = line.rstrip("\n").split("\t")
            if source in dropped:
                continue
            ours = tokenise(english, "eng", draw_style(english, "eng", styles, seed))
            theirs = tokenise(other, language, draw_style(other, language, styles, seed))
            if 0 < len(ours) <= most and 0 < len(theirs) <= most:
                yield ours, theirs, source


def prepare_language(language: str, text: Path, work: Path, recipe: dict[str, Any]) -> dict[str, int]:
    """Write one language's pairs; returns the number kept of each source."""
    target = work / "prepared" / f"{language}.tsv"
    summary = target.with_suffix(".json")
    if summary.exists():
        return json.loads(summary.read_text())
    options = recipe["prepare"]
    limit = options["max_pairs_for"].get(language, options["max_pairs"])
    kept: Counter[str] = Counter()
    with target.open("w", encoding="utf-8") as file:
        for ours, theirs, source in read_pairs(text / f"eng-{language}.tsv.xz", language, recipe):
            file.write(f"{' '.join(ours)}\t{' '.join(theirs)}\t{source}\n")
            kept[source] += 1
            if sum(kept.values()) >= limit:
                break
    summary.write_text(json.dumps(dict(kept.most_common()), indent=1))
    print(f"prepared {language}: {sum(kept.values())} pairs", flush=True)
    return dict(kept)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--text", type=Path, required=True, help="folder of eng-<language>.tsv.xz")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    recipe = load_recipe(arguments.recipe)
    (arguments.work / "prepared").mkdir(parents=True, exist_ok=True)
    files = sorted(arguments.text.glob("eng-*.tsv.xz"), key=lambda file: -file.stat().st_size)
    languages = [file.name.removeprefix("eng-").removesuffix(".tsv.xz") for file in files]
    job = partial(prepare_language, text=arguments.text, work=arguments.work, recipe=recipe)
    with multiprocessing.Pool(arguments.jobs) as pool:
        counts = dict(zip(languages, pool.imap(job, languages, chunksize=1), strict=True))
    total = sum(sum(count.values()) for count in counts.values())
    print(f"{total} pairs in {len(counts)} languages")


if __name__ == "__main__":
    main()
