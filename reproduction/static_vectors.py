"""Static vectors for the paper's fastText rows: text -> vectors -> maps to English -> a folder a language.

    python -m reproduction.static_vectors text       --text DIR --work DIR
    python -m reproduction.static_vectors train      --work DIR
    python -m reproduction.static_vectors heads      --work DIR
    python -m reproduction.static_vectors learn      --work DIR [--device cuda]
    python -m reproduction.static_vectors apply      --work DIR
    python -m reproduction.static_vectors dictionary --work DIR [--root /]
    python -m reproduction.static_vectors score      --work DIR

Each stage leaves out what is finished, so that a stopped one is just started again. `--text` is a folder of
`eng-<language>.tsv.xz` (English, TAB, other language) and `mono-<language>.txt.xz`. The two sides are used as
if they were monolingual: split, stripped of duplicates and shuffled each on its own, so that nothing tells
which sentences belong together.

`learn` needs nothing but numpy, torch for a GPU, and the small files of `heads` (the most frequent words, a
byte a number); it writes a small file a language. So it can run on another machine: take WORK/heads there,
bring WORK/maps back.

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
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from reproduction.lab.files import write_whole
from wordalign.similarity import unit_rows
from wordalign.static.map import Mapped, Quality, Settings, Side, map_spaces

LANGUAGES = ("deu", "fra", "ces", "ron", "hin", "fas")
LEVELS = ("word", "subword")
SEED = 1
CLDR = {"deu": "de", "fra": "fr", "ces": "cs", "ron": "ro", "hin": "hi", "fas": "fa"}


def text_stage(options: argparse.Namespace) -> None:
    """WORK/text/<language>.txt: tokenised, in lower case, no line twice, shuffled."""
    from wordalign.text import split_words

    wanted = {language: options.work / "text" / f"{language}.txt" for language in ("eng", *options.languages)}
    for number, (language, path) in enumerate(wanted.items()):
        if path.exists():
            continue
        lines = {
            " ".join(" ".join(split_words(line).words).split()).lower(): None
            for line in plain_lines(options, language)
        }
        shuffled = sorted(lines)
        random.Random(SEED + number).shuffle(shuffled)
        write_whole(path, "".join(f"{line}\n" for line in shuffled).encode())
        say(f"{path}: {len(shuffled):,} lines, {sum(line.count(' ') + 1 for line in shuffled):,} words")


def plain_lines(options: argparse.Namespace, language: str) -> Iterator[str]:
    """Of English from all the files, of another language from its own and from monolingual text."""
    pairs = options.languages if language == "eng" else (language,)
    for other in pairs:
        lines = xz_lines(options.text / f"eng-{other}.tsv.xz", options.sentences)
        yield from (line.split("\t")[0 if language == "eng" else 1] for line in lines)
    yield from xz_lines(options.text / f"mono-{language}.txt.xz", options.sentences)


def xz_lines(path: Path, most: int | None) -> Iterator[str]:
    if not path.exists():
        return
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(stream):
            if number == most:
                return
            yield line.rstrip("\n")


def train_stage(options: argparse.Namespace) -> None:
    """WORK/vectors/<level>/<language>.bin, with n-grams, and .npy with .words."""
    from wordalign.static.corpus import bundled_tokenizer, subword_cutter, training_lines
    from wordalign.static.train import Training, cores, train

    training = Training(
        dimensions=options.dimensions,
        epochs=options.epochs,
        buckets=options.buckets,
        threads=options.threads or cores(),
        seed=SEED,
    )
    for level in options.levels:
        for language in ("eng", *options.languages):
            path = options.work / "vectors" / level / f"{language}.bin"
            if path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (options.work / "text" / f"{language}.txt").read_text("utf-8").split("\n")[:-1]
            cut = subword_cutter(bundled_tokenizer()) if level == "subword" else None
            start = time.perf_counter()
            trained = train(training_lines((line.split(" ") for line in text), cut=cut), training)
            trained.save(path.with_suffix(".npy"))
            trained.save(path)
            say(f"{path}: {len(trained.vectors.words):,} {level}s, {time.perf_counter() - start:.0f} s")


def heads_stage(options: argparse.Namespace) -> None:
    """WORK/heads/<level>/<language>.npy: the frequent words, each row scaled to a byte a number."""
    from wordalign.static.read import read_vectors

    for level in options.levels:
        for language in ("eng", *options.languages):
            path = options.work / "heads" / level / f"{language}.npy"
            if path.exists():
                continue
            rows = read_vectors(options.work / "vectors" / level / f"{language}.npy", options.cutoff).matrix
            largest = np.abs(rows).max(axis=1, keepdims=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, np.rint(rows / np.where(largest > 0, largest, 1) * 127).astype(np.int8))
            say(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def learn_stage(options: argparse.Namespace) -> None:
    """WORK/maps/<level>/<language>.npz from the heads alone."""
    settings = Settings(
        cutoff=options.cutoff,
        random_cutoff=min(options.random_cutoff, options.cutoff),
        patience=options.patience,
        seed=options.seed,
    )
    for level in options.levels:
        for language in options.languages:
            path = options.work / "maps" / level / f"{language}.npz"
            if path.exists():
                continue
            heads = options.work / "heads" / level
            eng, other = (np.load(heads / f"{name}.npy").astype(np.float32) for name in ("eng", language))
            mapped = map_spaces(eng, other, settings, device=options.device)
            path.parent.mkdir(parents=True, exist_ok=True)
            save_maps(path, mapped, settings)
            good = "" if mapped.quality.good else " FAILED:"
            seconds = sum(mapped.seconds.values())
            say(f"{path}:{good} {mapped.iterations} iterations, {seconds:.0f} s; {mapped.quality}")


def save_maps(path: Path, mapped: Mapped, settings: Settings) -> None:
    facts = {
        "quality": asdict(mapped.quality),
        "iterations": mapped.iterations,
        "converged": mapped.converged,
        "device": mapped.device,
        "seconds": mapped.seconds,
        "settings": asdict(settings),
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
        source, target = (Side(stored[side][0], stored[side][1:]) for side in ("source", "target"))
    settings = facts.pop("settings")
    return Mapped(source, target, Quality(**facts.pop("quality")), **facts), settings


def apply_stage(options: argparse.Namespace) -> None:
    """WORK/mapped/<level>/eng-<language>/, which `Aligner` takes; all words, and n-grams for unseen ones."""
    from wordalign.static.corpus import bundled_tokenizer
    from wordalign.static.folder import MANIFEST, write_folder
    from wordalign.static.read import read_vectors

    for level in options.levels:
        vectors = options.work / "vectors" / level
        for language in options.languages:
            folder = options.work / "mapped" / level / f"eng-{language}"
            maps = options.work / "maps" / level / f"{language}.npz"
            if (folder / MANIFEST).exists() or not maps.exists():
                continue
            folder.parent.mkdir(parents=True, exist_ok=True)
            mapped, settings = load_maps(maps)
            write_folder(
                folder,
                ("eng", read_vectors(vectors / "eng.bin")),
                (language, read_vectors(vectors / f"{language}.bin")),
                mapped,
                settings={**settings, "start": "distributions"},
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
    """WORK/precision.json: how often the nearest word, by cosine and by CSLS, is in the dictionary."""
    from wordalign.static.folder import read_folder

    results = {}
    for level in options.levels:
        for language in options.languages:
            folder = options.work / "mapped" / level / f"eng-{language}"
            path = options.work / "dictionaries" / f"{language}.tsv"
            if level != "word" or not folder.exists() or not path.exists():
                continue
            found = read_folder(folder)
            results[language] = {
                **translation_precision(found, path, options.cutoff),
                **found.manifest["mapping"],
                "signature": found.signature,
            }
            say(f"{language}: {results[language]}")
    write_whole(options.work / "precision.json", (json.dumps(results, indent=2) + "\n").encode())


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
    parser.add_argument("--buckets", type=int, default=200_000)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cutoff", type=int, default=20_000)
    parser.add_argument("--random-cutoff", type=int, default=5_000)
    parser.add_argument("--patience", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="of the mapping")
    parser.add_argument("--device")
    parser.add_argument("--root", type=Path, default=Path("/"), help="where Debian's packages are unpacked")
    options = parser.parse_args(argv)
    if "text" in options.stages and options.text is None:
        parser.error("the stage text needs --text")
    for stage in options.stages:
        STAGES[stage](options)


if __name__ == "__main__":
    main()
