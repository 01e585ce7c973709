"""Stage 2, label: tokenised pairs -> soft word links, by eflomal in both directions.

    python -m training.label --work WORK

Reads `WORK/prepared/<language>.tsv`, writes `WORK/labels/<language>.npz` with the arrays
`counts` (pairs,) uint16, `english` and `other` (links,) uint8, `possible` (links,) bool:
links of both directions are certain, those that only grow-diag-final-and adds are possible.
Punctuation is never linked to words. Finished languages are skipped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from training.normalise import normalise
from training.recipe import load_recipe
from training.symmetrise import Links, grow_diag_final_and
from wordalign.text.punctuation import is_punctuation

Sentences = list[list[str]]


def eflomal_spelling(sentences: Sentences, rare_below: int, prefix: int) -> Sentences:
    """Normalise the words and cut all but the frequent ones, whose own counts say too little, to a prefix."""
    normal = [[normalise(word).replace(" ", "") or "_" for word in sentence] for sentence in sentences]
    counts = Counter(word for sentence in normal for word in sentence)
    spelling = {word: word[:prefix] if count < rare_below else word for word, count in counts.items()}
    return [[spelling[word] for word in sentence] for sentence in normal]


def run_eflomal(
    english: Sentences, other: Sentences, samplers: int, length: float
) -> tuple[list[str], list[str]]:
    """Align both ways; returns two lists of lines of `i-j` links, English first."""
    import eflomal

    aligner = eflomal.Aligner(n_samplers=samplers, rel_iterations=length)
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder) / name) for name in ("forward", "backward")]
        aligner.align(
            [" ".join(sentence) + "\n" for sentence in english],
            [" ".join(sentence) + "\n" for sentence in other],
            links_filename_fwd=names[0],
            links_filename_rev=names[1],
        )
        forward, backward = (Path(name).read_text().splitlines() for name in names)
    return forward, backward


def parse_links(line: str) -> Links:
    """`"0-0 1-2"` -> `{(0, 0), (1, 2)}`."""
    return {(int(i), int(j)) for i, _, j in (link.partition("-") for link in line.split())}


def symmetrised(
    english: Sentences, other: Sentences, forward: list[str], backward: list[str]
) -> dict[str, np.ndarray]:
    """Directed links of many pairs -> the arrays of a label file."""
    counts, links = [], []
    for ours, theirs, there, back in zip(english, other, forward, backward, strict=True):
        certain, possible = grow_diag_final_and(parse_links(there), parse_links(back))
        found = [(i, j, 0) for i, j in certain] + [(i, j, 1) for i, j in possible]
        found = [link for link in found if is_punctuation(ours[link[0]]) == is_punctuation(theirs[link[1]])]
        counts.append(len(found))
        links.extend(sorted(found))
    flat = np.array(links, dtype=np.uint8).reshape(-1, 3)
    return {
        "counts": np.array(counts, dtype=np.uint16),
        "english": flat[:, 0].copy(),
        "other": flat[:, 1].copy(),
        "possible": flat[:, 2] == 1,
    }


def read_prepared(path: Path) -> tuple[Sentences, Sentences]:
    """The two sides of a prepared file."""
    english, other = [], []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            ours, theirs, _ = line.split("\t")
            english.append(ours.split(" "))
            other.append(theirs.split(" "))
    return english, other


def label_group(languages: list[str], work: Path, options: dict[str, Any]) -> None:
    """Label related languages together in one run."""
    targets = [work / "labels" / f"{language}.npz" for language in languages]
    if all(target.exists() for target in targets):
        return
    start = time.time()
    sides = [read_prepared(work / "prepared" / f"{language}.tsv") for language in languages]
    english = [sentence for side in sides for sentence in side[0]]
    other = [sentence for side in sides for sentence in side[1]]
    spelled = [eflomal_spelling(side, options["rare_below"], options["prefix"]) for side in (english, other)]
    samplers = max(options["samplers_for"].get(language, options["samplers"]) for language in languages)
    forward, backward = run_eflomal(*spelled, samplers, options["length"])
    middle = time.time()
    first = 0
    for target, (ours, theirs) in zip(targets, sides, strict=True):
        last = first + len(ours)
        arrays = symmetrised(ours, theirs, forward[first:last], backward[first:last])
        part = target.with_suffix(".part.npz")
        np.savez(part, **arrays)
        part.rename(target)
        first = last
    print(
        f"labelled {' '.join(languages)}: {len(english)} pairs, eflomal {middle - start:.0f} s, "
        f"symmetrised {time.time() - middle:.0f} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--languages", nargs="*", help="only these (with their groups)")
    arguments = parser.parse_args()
    options = load_recipe(arguments.recipe)["label"]
    os.environ["OMP_NUM_THREADS"] = "1"  # the jobs are parallel already
    (arguments.work / "labels").mkdir(exist_ok=True)
    files = sorted((arguments.work / "prepared").glob("*.tsv"), key=lambda file: -file.stat().st_size)
    languages = [file.stem for file in files if file.with_suffix(".json").exists()]
    group_of = {language: group for group in options["groups"] for language in group}
    jobs: list[list[str]] = []
    for language in languages:
        group = [member for member in group_of.get(language, [language]) if member in languages]
        if group not in jobs and (not arguments.languages or set(group) & set(arguments.languages)):
            jobs.append(group)
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=1) as pool:
        for _ in pool.imap_unordered(
            partial(label_group, work=arguments.work, options=options), jobs, chunksize=1
        ):
            pass


if __name__ == "__main__":
    main()
