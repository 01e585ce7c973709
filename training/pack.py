"""Stage 4, pack: pairs, labels and vocabulary -> compact files for the training machine.

    python -m training.pack --work WORK [--part-mib 55]

Reads `WORK/prepared`, `WORK/labels` and `WORK/vocabulary`. Writes to `WORK/packed`:

    eng.pack          tokens (tokens,) uint32, lengths (sentences,) uint8: every English sentence once
    <language>.pack   tokens, lengths: the other sides; english (pairs,) uint32: which English sentence each
                      belongs to; counts (pairs,) uint8, links (links, 2) uint8, sure (links,) uint8: the
                      labels;
                      entry (pairs,) uint8: whether the pair comes from a word list

so that sentences with the same English side can be joined. `WORK/data.json` holds the amounts for the model
card. With `--part-mib` the files are also distributed over folders `WORK/packed/part<n>` no larger than that,
for machines that take only so much at a time. Finished files are skipped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training.label import load, read_prepared
from training.recipe import load_recipe
from training.shards import write_arrays

# Filled before the worker processes are forked, which then share them.
_english: dict[str, int] = {}
_segmenters: dict[Path, Segmenter] = {}


class Segmenter:
    """Words -> ids, each distinct word segmented once. A word that is not one run of pieces has none."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.starts = starting_pieces(tokenizer)
        self.known: dict[str, list[int]] = {}

    def learn(self, words: set[str]) -> None:
        new = list(words - self.known.keys())
        encodings = self.tokenizer.encode_batch(
            [[word] for word in new], is_pretokenized=True, add_special_tokens=False
        )
        for encoding, word in zip(encodings, new, strict=True):
            ids = encoding.ids
            whole = bool(ids) and bool(self.starts[ids[0]]) and not self.starts[ids[1:]].any()
            self.known[word] = ids if whole else []

    def sentence(self, words: list[str], most: int) -> list[int]:
        """The ids of a sentence; none where a word has none, or where there are more than `most`."""
        ids: list[int] = []
        for word in words:
            pieces = self.known[word]
            if not pieces:
                return []
            ids += pieces
        return ids if len(ids) <= most else []


def starting_pieces(tokenizer: Tokenizer) -> np.ndarray:
    """Which pieces begin a word, shape (vocabulary,) bool."""
    return np.array([tokenizer.id_to_token(i).startswith("▁") for i in range(tokenizer.get_vocab_size())])


def segmenter_of(path: Path) -> Segmenter:
    if path not in _segmenters:
        _segmenters[path] = Segmenter(Tokenizer.from_file(str(path)))
    return _segmenters[path]


def pack_english(work: Path, languages: list[str], options: dict[str, Any]) -> None:
    """Number the English sentences of all languages, and write those that are not there yet."""
    sentences: dict[str, None] = {}
    for language in languages:
        with (work / "prepared" / f"{language}.tsv").open(encoding="utf-8", newline="\n") as file:
            sentences.update(dict.fromkeys(line.partition("\t")[0] for line in file))
    segmenter = segmenter_of(work / "vocabulary" / "tokenizer.json")
    split = [sentence.split(" ") for sentence in sentences]
    segmenter.learn({word for words in split for word in words})
    tokens: list[np.ndarray] = []
    lengths = []
    for sentence, words in zip(sentences, split, strict=True):
        ids = segmenter.sentence(words, options["max_tokens"])
        if ids:
            _english[sentence] = len(lengths)
            lengths.append(len(ids))
            tokens.append(np.array(ids, dtype=np.uint32))
    target = work / "packed" / "eng.pack"
    if not target.exists():
        size = write_arrays(
            target, {"tokens": np.concatenate(tokens), "lengths": np.array(lengths, dtype=np.uint8)}
        )
        print(f"packed eng: {len(lengths)} sentences, {size / 2**20:.1f} MiB", flush=True)


def pack_language(language: str, work: Path, recipe: dict[str, Any]) -> dict[str, int]:
    """Write the pairs of one language that are fit for training; returns pairs and bytes."""
    summary = work / "packed" / f"{language}.json"
    if summary.exists():
        return json.loads(summary.read_text())
    options, word_lists = recipe["pack"], set(recipe["label"]["word_lists"])
    segmenter = segmenter_of(work / "vocabulary" / "tokenizer.json")
    english, other, sources = read_prepared(work / "prepared" / f"{language}.tsv")
    segmenter.learn({word for words in other for word in words})
    labels = load(work / "labels" / f"{language}.npz")
    ends = np.cumsum(labels["counts"], dtype=np.int64)
    both = np.stack((labels["english"], labels["other"]), axis=1)
    tokens, lengths, owners, counts, chosen, entries = [], [], [], [], [], []
    kept: Counter[bool] = Counter()
    for place, row in enumerate(labels["rows"].tolist()):
        entry = sources[row] in word_lists
        count = int(labels["counts"][place])
        owner = _english.get(" ".join(english[row]))
        ids = segmenter.sentence(other[row], options["max_tokens"])
        linked = 2 * count >= options["least_linked"] * (len(english[row]) + len(other[row]))
        limit = (
            options["max_entries"] if entry else options["max_pairs_for"].get(language, options["max_pairs"])
        )
        if owner is None or not ids or not linked or count > 255 or kept[entry] >= limit:
            continue
        kept[entry] += 1
        owners.append(owner)
        tokens.append(np.array(ids, dtype=np.uint32))
        lengths.append(len(ids))
        counts.append(count)
        chosen.append(np.arange(ends[place] - count, ends[place]))
        entries.append(entry)
    links = np.concatenate(chosen)
    arrays = {
        "tokens": np.concatenate(tokens),
        "lengths": np.array(lengths, dtype=np.uint8),
        "english": np.array(owners, dtype=np.uint32),
        "counts": np.array(counts, dtype=np.uint8),
        "links": both[links],
        "sure": (labels["weight"][links] > 200).astype(np.uint8),
        "entry": np.array(entries, dtype=np.uint8),
    }
    size = write_arrays(work / "packed" / f"{language}.pack", arrays)
    total = {"pairs": len(lengths), "entries": kept[True], "bytes": size}
    summary.write_text(json.dumps(total))
    print(f"packed {language}: {total}", flush=True)
    return total


def distribute(folder: Path, part_bytes: int) -> int:
    """Sort the files into folders `part1`, `part2` … by first fit; returns their number."""
    sizes: list[int] = []
    for file in sorted(folder.glob("*.pack"), key=lambda file: -file.stat().st_size):
        size = file.stat().st_size
        part = next((i for i, used in enumerate(sizes) if used + size <= part_bytes), len(sizes))
        sizes[part:] = sizes[part:] or [0]
        sizes[part] += size
        target = folder / f"part{part + 1}" / file.name
        target.parent.mkdir(exist_ok=True)
        target.unlink(missing_ok=True)
        target.hardlink_to(file)
    return len(sizes)


def count_data(work: Path, languages: list[str]) -> dict[str, Any]:
    """What the model card says of the data: pairs by language and by source."""
    sources: Counter[str] = Counter()
    amounts = {}
    for language in languages:
        prepared = json.loads((work / "prepared" / f"{language}.json").read_text())
        packed = json.loads((work / "packed" / f"{language}.json").read_text())
        sources.update(prepared)
        amounts[language] = {"prepared": sum(prepared.values()), "packed": packed["pairs"]}
    return {"languages": amounts, "sources": dict(sources.most_common())}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part-mib", type=float, help="also distribute over folders of at most this size")
    arguments = parser.parse_args()
    recipe = load_recipe(arguments.recipe)
    (arguments.work / "packed").mkdir(exist_ok=True)
    languages = sorted(file.stem for file in (arguments.work / "labels").glob("*.npz"))
    pack_english(arguments.work, languages, recipe["pack"])
    job = partial(pack_language, work=arguments.work, recipe=recipe)
    with multiprocessing.get_context("fork").Pool(arguments.jobs) as pool:
        totals = pool.map(job, languages, chunksize=1)
    print({name: sum(total[name] for total in totals) for name in totals[0]})
    amounts = count_data(arguments.work, languages)
    (arguments.work / "data.json").write_text(json.dumps(amounts, indent=1))
    if arguments.part_mib:
        print(f"{distribute(arguments.work / 'packed', int(arguments.part_mib * 2**20))} parts")


if __name__ == "__main__":
    main()
