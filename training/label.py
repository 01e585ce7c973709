"""Stage 2, label: tokenised pairs -> soft word links, by eflomal in both directions.

    python -m training.label --work WORK

Reads `WORK/prepared/<language>.tsv`, writes `WORK/labels/<language>.npz` with the arrays `rows` (pairs,)
int32, the lines that were labelled: the first sentences and all entries of word lists; `counts` (pairs,)
uint16,
`english` and `other` (links,) uint8, `weight` (links,) uint8, in 255ths.
In one view of the text (`WORK/views`) a link of both directions weighs 1, one that only
grow-diag-final-and adds weighs less; a link's weight is its mean over the views. Views are ways to spell
the same words for eflomal: `stems` cuts rare words to a prefix; `pieces` cuts words into subwords, so that
the parts of German compounds find their translations. Punctuation is never linked to words. Finished
languages and views are skipped.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from training.normalise import normalise
from training.recipe import load_recipe
from wordalign.links.symmetrize import grow_diag_final_and
from wordalign.text.characters import is_punctuation
from wordalign.tuning.labels import cut_rare_words
from wordalign.types import Link

_is_punctuation = lru_cache(1 << 20)(is_punctuation)

Sentences = list[list[str]]
Links = set[Link]
# Which word each unit belongs to; None where every unit is a word.
Words = list[list[int]] | None


def normal_spelling(sentences: Sentences) -> Sentences:
    """Normalised words, none of them empty or with a space."""
    return [[normalise(word).replace(" ", "") or "_" for word in sentence] for sentence in sentences]


def stems(sentences: Sentences, options: dict[str, Any]) -> tuple[Sentences, Words]:
    """All but the frequent words, whose own counts say too little, cut to a prefix."""
    return cut_rare_words(normal_spelling(sentences), options["prefix"], options["rare_below"]), None


def pieces(sentences: Sentences, options: dict[str, Any]) -> tuple[Sentences, Words]:
    """Subwords of a small vocabulary of this text's own, and the word each belongs to."""
    import sentencepiece

    normal = normal_spelling(sentences)
    counts = Counter(word for sentence in normal for word in sentence)
    with tempfile.TemporaryDirectory() as folder:
        words = Path(folder) / "words.tsv"
        frequent = [(word, count) for word, count in counts.items() if count > 1]
        words.write_text("".join(f"{word}\t{count}\n" for word, count in frequent), encoding="utf-8")
        sentencepiece.SentencePieceTrainer.train(
            input=str(words),
            input_format="tsv",
            model_prefix=str(Path(folder) / "pieces"),
            vocab_size=options["pieces"],
            hard_vocab_limit=False,
            normalization_rule_name="identity",
            num_threads=1,
            minloglevel=2,
        )
        model = sentencepiece.SentencePieceProcessor(model_file=str(Path(folder) / "pieces.model"))
    known = list(counts)
    cut = dict(zip(known, model.encode(known, out_type=str), strict=True))
    split = [[cut[word] for word in sentence] for sentence in normal]
    return (
        [[piece for word in sentence for piece in word] for sentence in split],
        [[number for number, word in enumerate(sentence) for _ in word] for sentence in split],
    )


VIEWS = {"stems": stems, "pieces": pieces}


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


def label_arrays(
    english: Sentences, other: Sentences, directed: Iterator[tuple[Links, Links]], possible: float
) -> dict[str, np.ndarray]:
    """Directed links of many pairs -> the arrays of a label file."""
    counts, links, certain = [], [], []
    for ours, theirs, (there, back) in zip(english, other, directed, strict=True):
        marks = [[_is_punctuation(word) for word in sentence] for sentence in (ours, theirs)]
        found = [(i, j) for i, j in grow_diag_final_and(there, back) if marks[0][i] == marks[1][j]]
        counts.append(len(found))
        for link in sorted(found):
            links.append(link)
            certain.append(link in there and link in back)
    flat = np.array(links, dtype=np.uint8).reshape(-1, 2)
    return {
        "counts": np.array(counts, dtype=np.uint16),
        "english": flat[:, 0].copy(),
        "other": flat[:, 1].copy(),
        "weight": np.where(certain, 255, round(255 * possible)).astype(np.uint8),
    }


def word_links(lines: tuple[list[str], list[str]], words: list[Words]) -> Iterator[tuple[Links, Links]]:
    """Lines of links between units -> both directions' links between words, pair after pair."""
    for number, pair in enumerate(zip(*lines, strict=True)):
        sides = [side[number] if side else None for side in words]
        there, back = (
            {(sides[0][i] if sides[0] else i, sides[1][j] if sides[1] else j) for i, j in parse_links(line)}
            for line in pair
        )
        yield there, back


def mean_of_views(views: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Label files of the same pairs -> one, each link with its mean weight."""
    pairs = len(views[0]["counts"])
    keys = [
        (np.repeat(np.arange(pairs), view["counts"]) << 16)
        + (view["english"].astype(int) << 8)
        + view["other"]
        for view in views
    ]
    key, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(place, np.concatenate([view["weight"] for view in views]), minlength=len(key))
    return {
        "rows": views[0]["rows"],
        "counts": np.bincount(key >> 16, minlength=pairs).astype(np.uint16),
        "english": ((key >> 8) & 255).astype(np.uint8),
        "other": (key & 255).astype(np.uint8),
        "weight": np.rint(total / len(views)).astype(np.uint8),
    }


def read_prepared(path: Path) -> tuple[Sentences, Sentences, list[str]]:
    """The two sides of a prepared file, and the source of each pair."""
    english, other, sources = [], [], []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            ours, theirs, source = line.rstrip("\n").split("\t")
            english.append(ours.split(" "))
            other.append(theirs.split(" "))
            sources.append(source)
    return english, other, sources


def rows_to_label(sources: list[str], most: int, word_lists: set[str]) -> np.ndarray:
    """The first `most` sentences and all entries of word lists, as line numbers (rows,)."""
    entries = [row for row, source in enumerate(sources) if source in word_lists]
    sentences = [row for row, source in enumerate(sources) if source not in word_lists]
    return np.array(sentences[:most] + entries, dtype=np.int32)


def save(target: Path, arrays: dict[str, np.ndarray]) -> None:
    part = target.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(file, **arrays)
    part.rename(target)


def label_view(job: tuple[list[str], str], work: Path, options: dict[str, Any]) -> None:
    """Label related languages together, in one view."""
    languages, view = job
    targets = [work / "views" / f"{language}-{view}.npz" for language in languages]
    if all(target.exists() for target in targets):
        return
    start = time.time()
    sides, rows = [], []
    for language in languages:
        english, other, sources = read_prepared(work / "prepared" / f"{language}.tsv")
        most = options["max_pairs_for"].get(language, options["max_pairs"])
        rows.append(rows_to_label(sources, most, set(options["word_lists"])))
        sides.append(([english[row] for row in rows[-1]], [other[row] for row in rows[-1]]))
    spelled, words = zip(
        *(
            VIEWS[view]([sentence for side in sides for sentence in side[number]], options)
            for number in (0, 1)
        ),
        strict=True,
    )
    samplers = max(options["samplers_for"].get(language, options["samplers"]) for language in languages)
    lines = run_eflomal(*spelled, samplers, options["length"])
    middle = time.time()
    directed = word_links(lines, list(words))
    for target, (ours, theirs), labelled in zip(targets, sides, rows, strict=True):
        arrays = label_arrays(ours, theirs, islice(directed, len(ours)), options["possible"])
        save(target, {"rows": labelled, **arrays})
    print(
        f"labelled {' '.join(languages)} by {view}: {sum(len(side[0]) for side in sides)} pairs, "
        f"eflomal {middle - start:.0f} s, symmetrised {time.time() - middle:.0f} s",
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
    for folder in ("views", "labels"):
        (arguments.work / folder).mkdir(exist_ok=True)
    files = sorted((arguments.work / "prepared").glob("*.tsv"), key=lambda file: file.stat().st_size)
    languages = [file.stem for file in files if file.with_suffix(".json").exists()]
    group_of = {language: group for group in options["groups"] for language in group}
    jobs: list[tuple[list[str], str]] = []
    for language in languages:
        group = [member for member in group_of.get(language, [language]) if member in languages]
        if arguments.languages and not set(group) & set(arguments.languages):
            continue
        for view in views_of(language, options):
            if (group, view) not in jobs:
                jobs.append((group, view))
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=1) as pool:
        for _ in pool.imap_unordered(
            partial(label_view, work=arguments.work, options=options), jobs, chunksize=1
        ):
            pass
    for language in {language for group, _ in jobs for language in group}:
        target = arguments.work / "labels" / f"{language}.npz"
        if not target.exists():
            views = [
                arguments.work / "views" / f"{language}-{view}.npz" for view in views_of(language, options)
            ]
            save(target, mean_of_views([load(view) for view in views]))


def views_of(language: str, options: dict[str, Any]) -> list[str]:
    return options["views_for"].get(language, options["views"])


def load(path: Path) -> dict[str, np.ndarray]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


if __name__ == "__main__":
    main()
