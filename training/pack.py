"""Stage 4, pack: pairs, labels and vocabulary -> compact shards for the training machine.

    python -m training.pack --work WORK [--part-mib 55]

Reads `WORK/prepared`, `WORK/labels` and `WORK/vocabulary`; writes `WORK/packed/<language>-<n>.shard`,
`WORK/data.json` with the amounts for the model card and, when `--part-mib` is given, distributes the
shards over folders `WORK/packed/part<n>` no larger than that, for machines that take only so much at a
time. Finished shards are skipped.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from training.label import Sentences, load, read_prepared
from training.recipe import load_recipe
from training.shards import Shard, write_shard


class Segmenter:
    """Words -> ids, each distinct word segmented once. A word that is not one run of pieces has none."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.starts = starting_pieces(tokenizer)
        self.known: dict[str, list[int]] = {}

    def learn(self, sentences: Sentences) -> None:
        new = list({word for sentence in sentences for word in sentence} - self.known.keys())
        for encoding, word in zip(
            self.tokenizer.encode_batch(
                [[word] for word in new], is_pretokenized=True, add_special_tokens=False
            ),
            new,
            strict=True,
        ):
            ids = encoding.ids
            whole = bool(ids) and bool(self.starts[ids[0]]) and not self.starts[ids[1:]].any()
            self.known[word] = ids if whole else []


def starting_pieces(tokenizer: Tokenizer) -> np.ndarray:
    """Which pieces begin a word, shape (vocabulary,) bool."""
    return np.array([tokenizer.id_to_token(i).startswith("▁") for i in range(tokenizer.get_vocab_size())])


def pack_pairs(
    english: Sentences,
    other: Sentences,
    labels: dict[str, np.ndarray],
    segmenter: Segmenter,
    options: dict[str, Any],
) -> Shard:
    """Segment the pairs and keep those that are fit for training."""
    segmenter.learn(english)
    segmenter.learn(other)
    ends = np.cumsum(labels["counts"], dtype=np.int64)
    links = np.stack((labels["english"], labels["other"]), axis=1)
    tokens: list[int] = []
    lengths, counts, kept = [], [], []
    for number, (ours, theirs) in enumerate(zip(english, other, strict=True)):
        count = int(labels["counts"][number])
        if 2 * count < options["least_linked"] * (len(ours) + len(theirs)) or count > 255:
            continue
        sides = [[segmenter.known[word] for word in sentence] for sentence in (ours, theirs)]
        if not all(map(all, sides)):
            continue
        pair = [sum(map(len, side)) for side in sides]
        if max(pair) > options["max_tokens"]:
            continue
        for side in sides:
            for word in side:
                tokens.extend(word)
        lengths.append(pair)
        counts.append(count)
        kept.append(np.arange(ends[number] - count, ends[number]))
    chosen = np.concatenate(kept) if kept else np.zeros(0, np.int64)
    return Shard(
        tokens=np.array(tokens, dtype=np.uint16),
        lengths=np.array(lengths, dtype=np.uint8).reshape(-1, 2),
        counts=np.array(counts, dtype=np.uint8),
        links=links[chosen],
        weight=labels["weight"][chosen],
    )


@cache
def shared_segmenter(path: Path) -> Segmenter:
    """One for all languages of a process: they share the English words."""
    return Segmenter(Tokenizer.from_file(str(path)))


def pack_language(language: str, work: Path, options: dict[str, Any]) -> dict[str, int]:
    """Write the shards of one language; returns pairs, tokens and bytes."""
    summary = work / "packed" / f"{language}.json"
    if summary.exists():
        return json.loads(summary.read_text())
    segmenter = shared_segmenter(work / "vocabulary" / "tokenizer.json")
    english, other = read_prepared(work / "prepared" / f"{language}.tsv")
    labels = load(work / "labels" / f"{language}.npz")
    ends = np.concatenate(([0], np.cumsum(labels["counts"], dtype=np.int64)))
    most = min(options["max_pairs_for"].get(language, options["max_pairs"]), len(english))
    size = -(-most // max(1, round(most / options["pairs_a_shard"])))
    total = {"pairs": 0, "tokens": 0, "bytes": 0, "links": 0}
    for number, first in enumerate(range(0, most, size)):
        last = min(most, first + size)
        part = {name: labels[name][ends[first] : ends[last]] for name in ("english", "other", "weight")}
        part["counts"] = labels["counts"][first:last]
        shard = pack_pairs(english[first:last], other[first:last], part, segmenter, options)
        total["bytes"] += write_shard(work / "packed" / f"{language}-{number}.shard", shard)
        total["pairs"] += len(shard)
        total["tokens"] += len(shard.tokens)
        total["links"] += len(shard.links)
    summary.write_text(json.dumps(total))
    print(f"packed {language}: {total}", flush=True)
    return total


def distribute(folder: Path, part_bytes: int) -> int:
    """Sort the shards into folders `part1`, `part2` … by first fit; returns their number."""
    sizes: list[int] = []
    for shard in sorted(folder.glob("*.shard"), key=lambda file: -file.stat().st_size):
        size = shard.stat().st_size
        part = next((i for i, used in enumerate(sizes) if used + size <= part_bytes), len(sizes))
        sizes[part:] = sizes[part:] or [0]
        sizes[part] += size
        target = folder / f"part{part + 1}" / shard.name
        target.parent.mkdir(exist_ok=True)
        target.unlink(missing_ok=True)
        target.hardlink_to(shard)
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
    parser.add_argument("--languages", nargs="*", help="only these")
    parser.add_argument("--part-mib", type=float, help="also distribute over folders of at most this size")
    arguments = parser.parse_args()
    options = load_recipe(arguments.recipe)["pack"]
    (arguments.work / "packed").mkdir(exist_ok=True)
    files = sorted((arguments.work / "labels").glob("*.npz"), key=lambda file: -file.stat().st_size)
    languages = arguments.languages or [file.stem for file in files]
    job = partial(pack_language, work=arguments.work, options=options)
    with multiprocessing.Pool(arguments.jobs) as pool:
        totals = pool.map(job, languages, chunksize=1)
    print({name: sum(total[name] for total in totals) for name in totals[0]})
    amounts = count_data(arguments.work, sorted(languages))
    (arguments.work / "data.json").write_text(json.dumps(amounts, indent=1))
    if arguments.part_mib:
        print(f"{distribute(arguments.work / 'packed', int(arguments.part_mib * 2**20))} parts")


if __name__ == "__main__":
    main()
