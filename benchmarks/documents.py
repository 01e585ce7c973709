"""How well `wordalign documents` aligns texts: words, sentences, time and memory.

    git clone https://github.com/thompsonb/vecalign
    python benchmarks/documents.py words gold/           gold links, a folder for each pair, or one of these
    python benchmarks/documents.py sentences vecalign/bleualign_data --hunalign PROGRAM --dictionary null.dic
    python benchmarks/documents.py scale eng-deu.tsv.xz --model tiny --sizes 1000 10000 100000
    git clone https://github.com/fyvo/TransReadAlignments
    git clone https://github.com/bfsujason/mac
    python benchmarks/documents.py novels TransReadAlignments/dat/novels --mac mac
    python benchmarks/documents.py choose vecalign/bleualign_data gold-dev/

`words` joins n gold sentences to one text, throws the borders away, and compares the links of the whole with
the gold links; AER at n = 1, 5, 10, 50 stands beside that of the sentences alone. Words that the splitter
cuts otherwise than the annotators are compared by their characters. `sentences` reports strict and lax F1 on
Text+Berg (Alpine articles in German and French; Sennrich and Volk 2010), 1957 for choosing and 1989 for
reporting, beside hunalign's where the program is given. `novels` does so for TransRead's novels in English
and French, Greek and Spanish (Xu and Yvon 2016), and for MAC's Chinese ones in English (Liu and Zhu 2023);
what was used for choosing is kept apart. `scale` joins pairs of a corpus to texts of many
sizes, measures each in a process of its own, and reports how time grows. `choose` tries settings beside the
present ones on development sets, and stores nothing. Results go to benchmarks/results/documents.json.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise, product
from pathlib import Path
from typing import Any

from documents_data import (
    Bead,
    Grouped,
    Linked,
    bleualign_set,
    disturbed,
    linked_set,
    mac_sets,
    strict_and_lax,
    text_of_lines,
    transread_set,
)
from machine import describe

from wordalign import Aligner, align_documents
from wordalign.documents import Text, stream_groups
from wordalign.documents.groups import COSTS, Costs
from wordalign.evaluate.counts import Counts, count, score
from wordalign.io.lines import read_lines
from wordalign.types import GoldAlignment, Link

RESULTS = Path(__file__).parent / "results" / "documents.json"
SIZES = (1, 5, 10, 50)
DEVELOPMENT = ("eng-ita.xlwa-dev", "eng-jpn.kftt", "eng-zho.denero", "eng-hun.xlwa-dev", "eng-swe.ges")

# Novels of TransRead on which the costs of groups were chosen.
CHOSEN_ON = ("Emma", "JaneEyre", "LaFauteDeLAbbeMouret", "LesConfessions")

# What the settings are multiplied with by `choose`, one after the other.
NEAR = {
    "usual": (0.6, 1.4), "middle": (0.75, 1.25), "width": (0.7, 1.3), "chance": (0.6, 1.4),
    "share": (0.85, 1.15), "more": (0.7, 1.3), "both": (0.0, 2.0), "length": (0.6, 1.4), "alone": (0.5, 1.5),
}  # fmt: skip


def keep(key: str, found: Any) -> None:
    stored = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    stored[key] = {"machine": describe(), **found}
    RESULTS.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps(found, indent=1, ensure_ascii=False))


def joined(sentences: Sequence[Sequence[str]], lines: bool) -> tuple[str, list[int]]:
    """One text of all words, and for each character the number of its word; -1 for what is between them."""
    words = [word for sentence in sentences for word in sentence]
    owner = [number for k, word in enumerate(words) for number in (*([k] * len(word)), -1)]
    return ("\n" if lines else " ").join(map(" ".join, sentences)), owner


def links_in_document(data: Linked, numbers: range, aligner: Aligner, lines: bool) -> set[Link]:
    """Links between the words of some sentences whose borders were thrown away, counted from the first.

    With `lines`, each sentence is a line.
    """
    source, of_source = joined([data.source[k] for k in numbers if data.source[k]], lines)
    target, of_target = joined([data.target[k] for k in numbers if data.target[k]], lines)
    links = set()
    for (start, end), (begin, stop), _ in align_documents(source, target, aligner).links:
        found = product(set(of_source[start:end]), set(of_target[begin:stop]))
        links |= {(i, j) for i, j in found if min(i, j) >= 0}
    return links


def gold_of_document(data: Linked, numbers: range) -> GoldAlignment:
    sure: set[Link] = set()
    possible: set[Link] = set()
    i = j = 0
    for k in numbers:
        sure |= {(i + a, j + b) for a, b in data.gold[k].sure}
        possible |= {(i + a, j + b) for a, b in data.gold[k].possible}
        i, j = i + len(data.source[k]), j + len(data.target[k])
    return GoldAlignment(frozenset(sure), frozenset(possible))


def words(arguments: argparse.Namespace) -> None:
    aligner = Aligner(arguments.model)
    key = "words in lines" if arguments.lines else "words"
    # Sets that are measured one by one stand side by side, as long as the model is the same.
    stored = json.loads(RESULTS.read_text("utf-8")).get(key, {}) if RESULTS.exists() else {}
    found: dict[str, Any] = stored["AER"] if stored.get("signature") == aligner.signature() else {}
    single = (arguments.data / "gold.txt").exists()
    folders = [arguments.data] if single else [path for path in arguments.data.iterdir() if path.is_dir()]
    for folder in sorted(folders):
        data = linked_set(folder)
        pairs = zip(data.source, data.target, strict=True)
        alone = [count(gold, one.links) for gold, one in zip(data.gold, aligner.stream(pairs), strict=True)]
        scores = {"sentences": len(data.gold), "alone": round(score(add(alone)).aer, 4)}
        for n in SIZES:
            documents = [range(k, min(k + n, len(data.gold))) for k in range(0, len(data.gold), n)]
            counts = [
                count(
                    gold_of_document(data, numbers),
                    links_in_document(data, numbers, aligner, arguments.lines),
                )
                for numbers in documents
                if any(data.source[k] for k in numbers) and any(data.target[k] for k in numbers)
            ]
            scores[str(n)] = round(score(add(counts)).aer, 4)
        found[folder.name] = scores
        print(folder.name, scores, flush=True)
    keep(key, {"signature": aligner.signature(), "AER": dict(sorted(found.items()))})


def add(counts: Sequence[Counts]) -> Counts:
    return Counts(*map(sum, zip(*counts, strict=True)))


def found_groups(data: Grouped, aligner: Aligner, costs: Costs = COSTS) -> list[Bead]:
    groups = stream_groups(data.source, data.target, aligner, costs=costs)
    return [(tuple(range(*g.source)), tuple(range(*g.target))) for g in groups if not g.moved]


def sentences(arguments: argparse.Namespace) -> None:
    parts = {"1957": ["dev"], "1989": [f"test{k}" for k in range(7)]}
    sets = {year: [bleualign_set(arguments.data, name) for name in names] for year, names in parts.items()}
    # What another program finds does not change with ours: it stays where that program is not given.
    stored = json.loads(RESULTS.read_text("utf-8")).get("sentences", {}) if RESULTS.exists() else {}
    found: dict[str, Any] = {k: v for k, v in stored.get("F1", {}).items() if k.startswith("hunalign")}
    found |= scored(sets, arguments, " ")
    keep("sentences", {"F1": found})


def scored(
    sets: dict[str, list[Grouped]], arguments: argparse.Namespace, between: str
) -> dict[str, dict[str, float]]:
    """Strict and lax F1 of both models, and of hunalign where it is given, on each set."""
    aligners = {model: Aligner(model) for model in ("base", "tiny")}
    works = {model: partial(found_groups, aligner=aligner) for model, aligner in aligners.items()}
    if arguments.hunalign is not None:
        works["hunalign"] = partial(hunalign_groups, arguments=arguments)
    return {
        f"{name}{between}{kind}": strict_and_lax([one.gold for one in documents], list(map(work, documents)))
        for name, work in works.items()
        for kind, documents in sets.items()
    }


def novels(arguments: argparse.Namespace) -> None:
    folders = sorted(path for path in arguments.data.iterdir() if path.is_dir())
    sets: dict[str, list[Grouped]] = {"TransRead, for choosing": []}
    for folder in folders:
        title, pair = folder.name.split("_")
        kind = "for choosing" if title in CHOSEN_ON else pair.lower()
        sets.setdefault(f"TransRead, {kind}", []).append(transread_set(folder))
    if arguments.mac is not None:
        sets |= {"MAC-Dev, for choosing": mac_sets(arguments.mac / "dev")}
        sets |= {"MAC-Test": mac_sets(arguments.mac / "test")}
    keep("novels", {"F1": scored(sets, arguments, " | ")})


def hunalign_groups(data: Grouped, arguments: argparse.Namespace) -> list[Bead]:
    """What hunalign finds, without a dictionary of its own: it learns one from the texts in a second pass."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, text in (("source", data.source), ("target", data.target)):
            files.append(Path(folder) / name)
            files[-1].write_text(text.text + "\n", "utf-8")
        command = [arguments.hunalign.absolute(), "-realign", arguments.dictionary.absolute(), *files]
        # It leaves a file of what it has learned in the folder where it runs.
        done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=True)
    rungs = [tuple(map(int, line.split("\t")[:2])) for line in done.stdout.splitlines() if line.strip()]
    beads: list[Bead] = []
    for (i, j), (k, m) in pairwise(rungs):
        if i < k and j < m:
            beads.append((tuple(range(i, k)), tuple(range(j, m))))
        else:
            beads += [((s,), ()) for s in range(i, k)] + [((), (t,)) for t in range(j, m)]
    return beads


def scale(arguments: argparse.Namespace) -> None:
    runs = []
    for size in arguments.sizes:
        command = [
            sys.executable,
            __file__,
            "one",
            str(arguments.data),
            "--model",
            arguments.model,
            "--size",
            str(size),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
        print(runs[-1], flush=True)
    growth = [
        round(
            math.log(after["seconds"] / before["seconds"])
            / math.log(after["sentences"] / before["sentences"]),
            2,
        )
        for before, after in pairwise(runs)
    ]
    keep("scale", {"model": arguments.model, "runs": runs, "exponents": growth})


def one(arguments: argparse.Namespace) -> None:
    """Align one text of so many sentences; a tenth of them is missing on one side, and a page of fifty."""
    sides: tuple[list[str], list[str]] = [], []
    gold: set[tuple[int, int]] = set()
    pairs = (line.split("\t")[:2] for line in read_lines(arguments.data))
    gap = arguments.size // 2
    for number, (source, target) in enumerate(islice((p for p in pairs if all(p)), arguments.size)):
        missing = 1 if gap <= number < gap + 50 else {3: 0, 11: 1}.get(number % 20)
        if missing is None:
            gold.add((len(sides[0]), len(sides[1])))
        for side, text in enumerate((source, target)):
            if missing != side:
                sides[side].append(text)
    texts: list[Text] = [text_of_lines(side) for side in sides]
    aligner = Aligner(arguments.model)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    right = links = 0
    for group in stream_groups(texts[0], texts[1], aligner):
        links += len(group.alignment.links)
        right += group.source[1] - group.source[0] == group.target[1] - group.target[0] == 1 and (
            group.source[0], group.target[0]
        ) in gold  # fmt: skip
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "sentences": arguments.size,
                "seconds": round(seconds, 1),
                "more_mib": round((peak - before) / 1024),
                "links": links,
                "pairs_found": round(right / len(gold), 4),
            }
        )
    )


def choose(arguments: argparse.Namespace) -> None:
    """Strict F1 on Text+Berg 1957, and the mean on disturbed development sets, for settings near ours."""
    aligner = Aligner(arguments.model)
    data = [bleualign_set(arguments.data, "dev")]
    for name in DEVELOPMENT:
        linked = linked_set(arguments.development / name)
        pairs = zip(map(" ".join, linked.source[:100]), map(" ".join, linked.target[:100]), strict=True)
        data.append(disturbed(pairs, seed=1))
    tried = [COSTS]
    for name, factors in NEAR.items():
        tried += [replace(COSTS, **{name: getattr(COSTS, name) * factor}) for factor in factors]
    for costs in tried:
        scores = [
            strict_and_lax([one.gold], [found_groups(one, aligner, costs)])["strict F1"] for one in data
        ]
        print(f"{scores[0]:.3f} {sum(scores[1:]) / len(scores[1:]):.3f} {costs}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    work = {
        "words": words, "sentences": sentences, "novels": novels,
        "scale": scale, "one": one, "choose": choose,
    }  # fmt: skip
    parser.add_argument("what", choices=work)
    parser.add_argument("data", type=Path)
    parser.add_argument("development", type=Path, nargs="?")
    parser.add_argument("--model", default="base")
    parser.add_argument("--lines", action="store_true", help="with words: each sentence is a line")
    parser.add_argument("--mac", type=Path, help="with novels: the folder of MAC")
    parser.add_argument("--hunalign", type=Path)
    parser.add_argument("--dictionary", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 3000, 10_000])
    parser.add_argument("--size", type=int)
    arguments = parser.parse_args()
    work[arguments.what](arguments)


if __name__ == "__main__":
    main()
