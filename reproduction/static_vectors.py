"""Static vectors for the paper's fastText rows: text -> vectors -> maps to English -> a folder a language.

    python -m reproduction.static_vectors text       --text DIR --work DIR
    python -m reproduction.static_vectors train      --work DIR
    python -m reproduction.static_vectors heads      --work DIR
    python -m reproduction.static_vectors learn      --work DIR [--device cuda]
    python -m reproduction.static_vectors apply      --work DIR
    python -m reproduction.static_vectors dictionary --work DIR [--root /]
    python -m reproduction.static_vectors score      --work DIR

Each stage leaves out what is finished, so that a stopped one is just started again. `--text` is a folder of
`eng-<language>.tsv.xz` (English, TAB, other language). The two sides are used as if they were monolingual:
split, stripped of duplicates and shuffled each on its own, so that nothing tells which sentences belong
together. Every language has an English of its own, the other side of its file: spaces from text about the
same things have shapes more alike (docs/static.md).

`learn` needs nothing but numpy, torch for a GPU, and the small files of `heads` (the most frequent words, a
byte a number); it writes a small file a language. So it can run on another machine: take WORK/heads there,
bring WORK/maps back. A map that failed is kept and says so; take it away to try again with other options.

`dictionary` reads FreeDict (Debian's dict-freedict-eng-deu, -fra, -ces, -hin) and, for languages that it does
not have, names of things, countries and languages in CLDR (Debian's unicode-cldr-core). They are used to
measure the precision of word translation, for nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from reproduction.lab.files import write_whole
from wordalign.encoders.static.space import SpaceMap
from wordalign.links.similarity import unit_rows
from wordalign.vectors.map import Mapped, MapSettings, Quality, map_spaces
from wordalign.vectors.map.start import by_identical_strings

LANGUAGES = ("deu", "fra", "ces", "ron", "hin", "fas")
LEVELS = ("word", "subword")
SEED = 1
CLDR = {"deu": "de", "fra": "fr", "ces": "cs", "ron": "ro", "hin": "hi", "fas": "fa"}


def sides(folder: Path, languages: Iterable[str], ending: str) -> Iterator[Path]:
    """FOLDER/eng-deu/eng.txt, FOLDER/eng-deu/deu.txt and so on."""
    for language in languages:
        for side in ("eng", language):
            yield folder / f"eng-{language}" / f"{side}{ending}"


def text_stage(options: argparse.Namespace) -> None:
    """WORK/text/eng-<language>/: tokenised, in lower case, no line twice, shuffled."""
    from wordalign.text import split_words

    for path in sides(options.work / "text", options.languages, ".txt"):
        if path.exists():
            continue
        with lzma.open(
            options.text / f"{path.parent.name}.tsv.xz", "rt", encoding="utf-8", newline="\n"
        ) as stream:
            column = 0 if path.stem == "eng" else 1
            plain = [line.split("\t")[column] for line in islice(stream, options.sentences)]
        shuffled = sorted({" ".join(" ".join(split_words(line).words).split()).lower() for line in plain})
        random.Random(SEED + column).shuffle(shuffled)
        write_whole(path, "".join(f"{line}\n" for line in shuffled).encode())
        say(f"{path}: {len(shuffled):,} lines, {sum(line.count(' ') + 1 for line in shuffled):,} words")


def train_stage(options: argparse.Namespace) -> None:
    """WORK/vectors/<level>/eng-<language>/: .bin, with n-grams, and .npy with .words."""
    from wordalign.encoders.resolve import bundled_tokenizer
    from wordalign.encoders.subwords import subword_cutter
    from wordalign.machine import available_cores
    from wordalign.vectors.train import Training, train, training_lines

    training = Training(
        dimensions=options.dimensions,
        epochs=options.epochs,
        shortest=options.ngrams[0],
        longest=options.ngrams[1],
        buckets=options.buckets,
        threads=options.threads or available_cores(),
        seed=SEED,
    )
    for level in options.levels:
        for path in sides(options.work / "vectors" / level, options.languages, ".bin"):
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = options.work / "text" / path.parent.name / f"{path.stem}.txt"
            text = lines.read_text("utf-8").split("\n")[:-1]
            cut = subword_cutter(bundled_tokenizer()) if level == "subword" else None
            start = time.perf_counter()
            trained = train(training_lines((line.split(" ") for line in text), cut=cut), training)
            trained.save(path.with_suffix(".npy"))
            facts = {"lines": len(text), "words": sum(line.count(" ") + 1 for line in text)}
            facts |= {"vocabulary": len(trained.vectors.words), **asdict(training)}
            write_whole(path.with_suffix(".json"), json.dumps(facts, indent=1) + "\n")
            trained.save(path)
            say(f"{path}: {len(trained.vectors.words):,} {level}s, {time.perf_counter() - start:.0f} s")


def heads_stage(options: argparse.Namespace) -> None:
    """WORK/heads/<level>/eng-<language>/: the frequent words, each row scaled to a byte a number."""
    from wordalign.vectors.read import read_vectors

    for level in options.levels:
        for path in sides(options.work / "heads" / level, options.languages, ".npy"):
            if path.exists():
                continue
            full = options.work / "vectors" / level / path.parent.name / path.name
            vectors = read_vectors(full, options.cutoff)
            largest = np.abs(vectors.matrix).max(axis=1, keepdims=True)
            rows = vectors.matrix / np.where(largest > 0, largest, 1)
            write_whole(path.with_suffix(".words"), "".join(f"{word}\n" for word in vectors.words).encode())
            np.save(path, np.rint(rows * 127).astype(np.int8))
            say(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def learn_stage(options: argparse.Namespace) -> None:
    """WORK/maps/<level>/eng-<language>.npz from the heads alone."""
    settings = MapSettings(
        cutoff=options.cutoff,
        random_cutoff=min(options.random_cutoff, options.cutoff),
        first_keep=1.0 if options.identical else MapSettings().first_keep,
        patience=options.patience,
        seed=options.seed,
    )
    for level in options.levels:
        for language in options.languages:
            path = options.work / "maps" / level / f"eng-{language}.npz"
            if path.exists():
                continue
            heads = list(sides(options.work / "heads" / level, [language], ".npy"))
            eng, other = (np.load(head).astype(np.float32) for head in heads)
            words = (head.with_suffix(".words").read_text("utf-8").split("\n")[:-1] for head in heads)
            dictionary = by_identical_strings(*words) if options.identical else None
            mapped = map_spaces(eng, other, settings, dictionary=dictionary, device=options.device)
            path.parent.mkdir(parents=True, exist_ok=True)
            start = "identical strings" if options.identical else "distributions"
            save_maps(path, mapped, {**asdict(settings), "start": start})
            quality = mapped.quality
            verdict = " FAILED:" if quality.hopeless else "" if quality.good else " doubtful:"
            seconds = sum(mapped.seconds.values())
            say(f"{path}:{verdict} {mapped.iterations} iterations, {seconds:.0f} s; {mapped.quality}")


def save_maps(path: Path, mapped: Mapped, settings: dict[str, object]) -> None:
    facts = {
        "quality": asdict(mapped.quality),
        "iterations": mapped.iterations,
        "converged": mapped.converged,
        "device": mapped.device,
        "seconds": mapped.seconds,
        "settings": settings,
    }
    partial = path.with_suffix(".partial.npz")
    np.savez(
        partial,
        source=np.vstack([mapped.source.centre, mapped.source.matrix]),
        target=np.vstack([mapped.target.centre, mapped.target.matrix]),
        facts=np.array(json.dumps(facts)),
    )
    partial.replace(path)


def load_maps(path: Path) -> tuple[Mapped, dict[str, object]]:
    with np.load(path, allow_pickle=False) as stored:
        facts = json.loads(str(stored["facts"]))
        source, target = (SpaceMap(stored[side][0], stored[side][1:]) for side in ("source", "target"))
    settings = facts.pop("settings")
    return Mapped(source, target, Quality(**facts.pop("quality")), **facts), settings


def apply_stage(options: argparse.Namespace) -> None:
    """WORK/mapped/<level>/eng-<language>/, which `Aligner` takes; all words, and n-grams for unseen ones."""
    from wordalign.encoders.resolve import bundled_tokenizer
    from wordalign.encoders.static.folder import MANIFEST
    from wordalign.vectors.folder import write_folder
    from wordalign.vectors.read import read_vectors

    for level in options.levels:
        for language in options.languages:
            folder = options.work / "mapped" / level / f"eng-{language}"
            maps = options.work / "maps" / level / f"{folder.name}.npz"
            if (folder / MANIFEST).exists() or not maps.exists():
                continue
            folder.parent.mkdir(parents=True, exist_ok=True)
            mapped, settings = load_maps(maps)
            eng, other = map(read_vectors, sides(options.work / "vectors" / level, [language], ".bin"))
            write_folder(
                folder,
                ("eng", eng),
                (language, other),
                mapped,
                settings=settings,
                tokenizer=bundled_tokenizer() if level == "subword" else None,
                dtype="float16",
            )
            say(f"{folder}: {mapped.quality}")


def dictionary_stage(options: argparse.Namespace) -> None:
    """WORK/dictionaries/<language>.tsv: an English word, TAB, a translation, single words only."""
    for language in options.languages:
        freedict = options.root / "usr/share/dictd" / f"freedict-eng-{language}.index"
        cldr = options.root / "usr/share/unicode/cldr/common"
        if freedict.exists():
            pairs, origin = set(freedict_pairs(freedict)), "FreeDict"
        elif cldr.is_dir():
            pairs, origin = set(cldr_pairs(cldr, CLDR[language])), "CLDR"
        else:
            say(f"{language}: no dictionary in {options.root}")
            continue
        path = options.work / "dictionaries" / f"{language}.tsv"
        write_whole(path, "".join(f"{one}\t{two}\t{origin}\n" for one, two in sorted(pairs)).encode())
        say(f"{path}: {len(pairs):,} pairs of {origin}")


def freedict_pairs(index: Path) -> Iterator[tuple[str, str]]:
    """An entry is its headword's line and lines of translations; examples and notes are indented."""
    import regex

    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    with gzip.open(index.with_suffix(".dict.dz")) as stream:
        content = stream.read()
    for line in index.read_text("utf-8").split("\n"):
        fields = line.split("\t")
        if len(fields) != 3:
            continue
        start, length = (sum(digits.index(d) * 64**n for n, d in enumerate(reversed(f))) for f in fields[1:])
        first, *rest = content[start : start + length].decode("utf-8", "replace").split("\n")
        head = regex.sub(r"/.*|<.*|\[.*|\(.*", "", first).strip().lower()
        for translations in rest:
            if not head or " " in head or regex.match(r"\s{2,}|\s*see:|\s*Synonyms?:|\s*Note:", translations):
                continue
            plain = regex.sub(r"<[^>]*>|\[[^]]*\]|\([^)]*\)|/[^/]*/|^\s*\d+\.", "", translations)
            for word in (part.strip().lower() for part in regex.split("[,;]", plain)):
                if regex.fullmatch(r"[\p{L}\p{M}'’\u200c-]+", word):
                    yield head, word


def cldr_pairs(common: Path, language: str) -> Iterator[tuple[str, str]]:
    """Names of emoji, countries and languages that are one word in both languages."""
    names: list[dict[str, str]] = []
    for code in ("en", language):
        found: dict[str, str] = {}
        for element in ElementTree.parse(common / "annotations" / f"{code}.xml").iter("annotation"):
            if element.get("type") == "tts" and element.text:
                found[f"emoji {element.get('cp')}"] = element.text
        main = ElementTree.parse(common / "main" / f"{code}.xml")
        for kind in ("territory", "language"):
            for element in main.iter(kind):
                if element.text and element.get("type") and not element.get("alt"):
                    found[f"{kind} {element.get('type')}"] = element.text
        names.append({key: name.lower().strip() for key, name in found.items()})
    for key, one in names[0].items():
        two = names[1].get(key, "")
        if one.isalpha() and two and " " not in two and one != two:
            yield one, two


def score_stage(options: argparse.Namespace) -> None:
    """WORK/mapped/facts.json: what each folder was made from, and the precision of word translation."""
    from wordalign.encoders.static.folder import read_folder

    path = options.work / "mapped/facts.json"
    facts = json.loads(path.read_text("utf-8")) if path.exists() else {}
    for folder in sorted((options.work / "mapped").glob("*/eng-*")):
        name = f"{folder.parent.name}/{folder.name}"
        found = read_folder(folder)
        made = list((options.work / "vectors" / name).glob("*.json"))
        facts[name] = {"made": {side.stem: json.loads(side.read_text("utf-8")) for side in made}}
        dictionary = options.work / "dictionaries" / f"{folder.name.removeprefix('eng-')}.tsv"
        if folder.parent.name == "word" and dictionary.exists():
            facts[name]["translation"] = translation_precision(found, dictionary, options.cutoff)
        say(f"{name}: {facts[name]}")
    write_whole(path, json.dumps(facts, indent=1) + "\n")


def translation_precision(folder, dictionary: Path, cutoff: int) -> dict[str, object]:
    """For the English words up to the cut-off that have a translation with a vector."""
    source, target = folder.source.vectors, folder.target.vectors
    sides = [{word: n for n, word in reversed(list(enumerate(side.words)))} for side in (source, target)]
    truth: dict[int, set[int]] = {}
    origin = set()
    for line in dictionary.read_text("utf-8").split("\n")[:-1]:
        one, two, *rest = line.split("\t")
        origin.update(rest)
        if one in sides[0] and two in sides[1] and sides[0][one] < cutoff:
            truth.setdefault(sides[0][one], set()).add(sides[1][two])
    queries = np.array(sorted(truth), dtype=np.intp)
    x, z = (unit_rows(np.asarray(side.matrix, dtype=np.float32)) for side in (source, target))
    near = neighbourhood(z, x[:cutoff])
    hits = {"cosine": 0, "csls": 0}
    for part in np.array_split(queries, max(1, len(queries) // 500)):
        similarity = x[part] @ z.T
        for name, matrix in (("cosine", similarity), ("csls", similarity - near / 2)):
            hits[name] += sum(
                int(best) in truth[query] for query, best in zip(part, matrix.argmax(1), strict=True)
            )
    return {
        "dictionary": ", ".join(sorted(origin)),
        "test_words": len(queries),
        **{f"precision_at_1_{name}": round(count / max(len(queries), 1), 4) for name, count in hits.items()},
    }


def neighbourhood(rows: np.ndarray, others: np.ndarray, k: int = 10) -> np.ndarray:
    """The mean cosine of each row to its k nearest others."""
    means = [
        np.partition(rows[start : start + 1000] @ others.T, -k, axis=1)[:, -k:].mean(axis=1)
        for start in range(0, len(rows), 1000)
    ]
    return np.concatenate(means)


STAGES = {
    "text": text_stage,
    "train": train_stage,
    "heads": heads_stage,
    "learn": learn_stage,
    "apply": apply_stage,
    "dictionary": dictionary_stage,
    "score": score_stage,
}


def say(words: str) -> None:
    sys.stderr.write(f"{words}\n")


def main(argv: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m reproduction.static_vectors",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stages", nargs="+", choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--work", type=Path, required=True, help="where everything is kept")
    parser.add_argument("--text", type=Path, help="for text")
    parser.add_argument("--sentences", type=int, help="of each file, for a small run")
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=LEVELS)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--ngrams", type=int, nargs=2, default=(3, 6), metavar="N", help="of characters")
    parser.add_argument("--buckets", type=int, default=200_000)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cutoff", type=int, default=20_000)
    parser.add_argument("--random-cutoff", type=int, default=5_000)
    parser.add_argument("--patience", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the mapping")
    parser.add_argument("--identical", action="store_true", help="start the mapping from identical strings")
    parser.add_argument("--device")
    parser.add_argument("--root", type=Path, default=Path("/"), help="where Debian's packages are unpacked")
    options = parser.parse_args(argv)
    if "text" in options.stages and options.text is None:
        parser.error("the stage text needs --text")
    for stage in options.stages:
        STAGES[stage](options)


if __name__ == "__main__":
    main()
