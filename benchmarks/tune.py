"""What `wordalign tune` gains from few gold sentences, for a new language, for a domain; and how fast it is.

    python benchmarks/tune.py --data DATA --older OLDER [--jobs 6] [--device cuda] [--only gold new …]
    python benchmarks/tune.py --get-older OLDER [--model tiny]   # version 2, from the repository's history

DATA holds `gold`, `gold-dev`, `gold-train`, `gold-annotated` (folders `a-b.name` of sets), `text` and
`text-more` (`eng-<language>.tsv.xz`). The parent of all runs but those that are timed is version 2 of `base`,
which has seen neither gold links nor `text-more`. Each run is a process of its own.

    gold      the first 50, 100 and all sentences of a training set -> the test set of the same language
    new       a language that the parent has never seen, 5,000 and 20,000 pairs, beside eflomal on the same
              text: Thai (judged by links that a language model made), and Bulgarian in the letters of another
              script (judged by hand-made links)
    domain    20,000 pairs of technical text -> held-out pairs of it, judged by the links that version 3,
              which was taught with gold links, is certain of
    time      20,000 pairs and 100 gold sentences on two cores, with the defaults and today's `base`

`--rates` tries several rates for each run: those of the package were chosen by the development sets (Swedish,
Japanese, Bulgarian), never by the test sets. Results are added to benchmarks/results/tune.json.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from machine import describe

from wordalign import Aligner
from wordalign.aligners.statistical import StatisticalAligner
from wordalign.evaluate import evaluate
from wordalign.io import tokenized
from wordalign.io.gold import read_gold
from wordalign.text import split_words
from wordalign.text.segmenters import find_segmenter
from wordalign.types import GoldAlignment, Pair, Sentence

HERE = Path(__file__).parent
RESULTS = HERE / "results/tune.json"
OLDER = "4d14d8d"  # the commit with version 2
# Cyrillic letters as letters of a script that no model of ours has seen: Glagolitic.
OTHER_LETTERS = {chr(0x430 + number): chr(0x2C30 + number) for number in range(32)}
OTHER_LETTERS |= {letter.upper(): other for letter, other in OTHER_LETTERS.items()}
# Sets on which forgetting is measured, with gold links: the first 200 sentences of each.
OTHERS = ("gold/eng-ces", "gold/eng-deu", "gold/eng-fra", "gold/eng-hin", "gold/eng-ron")
XLWA = ("spa", "ita", "nld", "por", "bul", "dan", "rus", "hun", "est", "slv")
OTHERS += tuple(f"gold-dev/eng-{code}.xlwa-dev" for code in XLWA)
OTHERS += ("gold-dev/eng-zho.denero", "gold-dev/eng-jpn.kftt", "gold-dev/eng-swe.ges")

GOLD_RUNS = {  # training set, sizes, test set
    "ron": ("gold-train/eng-ron.wpt2003", (50, 100, 248), "gold/eng-ron"),
    "deu": ("gold-train/eng-deu.europarl2000", (50, 100, 124), "gold/eng-deu"),
    "swe": ("gold-train/eng-swe.ges", (100,), "gold-dev/eng-swe.ges"),
    "jpn": ("gold-train/eng-jpn.kftt", (100,), "gold-dev/eng-jpn.kftt"),
}
NEW_RUNS = {"tha": "gold-annotated/eng-tha", "bul": "gold-dev/eng-bul.xlwa-dev"}
SIZES = (5_000, 20_000)
DOMAIN = ("hun", ("dynamics365-docs", "libreoffice-help"))


def read_set(folder: Path, most: int | None = None) -> tuple[list[Pair], list[GoldAlignment]]:
    """Pairs and gold links of a set."""
    first, second = folder.name.partition(".")[0].split("-")
    lines = [(folder / f"{name}.txt").read_text("utf-8").splitlines() for name in (first, second)]
    pairs = [Pair(*(Sentence.from_words(line.split()) for line in both)) for both in zip(*lines, strict=True)]
    gold = list(read_gold(folder / "gold.txt", report=lambda note: None))
    return pairs[:most], gold[:most]


def read_text(data: Path, language: str, sources: tuple[str, ...] = ()) -> list[Pair]:
    """Pairs of text, split into words."""
    found = []
    for folder in ("text", "text-more"):
        # Thai words are found beforehand where PyThaiNLP is not at hand.
        words = data / folder / f"eng-{language}.words.tsv.xz"
        path = words if words.exists() else data / folder / f"eng-{language}.tsv.xz"
        if path.exists():
            segmenter = find_segmenter("pythainlp") if language == "tha" and path != words else None
            with lzma.open(path, "rt", encoding="utf-8") as file:
                for line in file:
                    english, other, source = line.rstrip("\n").split("\t")
                    if path == words:
                        found.append(Pair(tokenized(english), tokenized(other)))
                    elif not sources or source in sources:
                        found.append(Pair(split_words(english), split_words(other, segmenter)))
    return found


def in_other_letters(pair: Pair) -> Pair:
    words = ("".join(OTHER_LETTERS.get(letter, letter) for letter in word) for word in pair.target.words)
    return Pair(pair.source, Sentence.from_words(words))


def scores(aligner: Aligner, pairs: list[Pair], gold: list[GoldAlignment]) -> dict[str, float]:
    found = evaluate(gold, [set(one.links) for one in aligner.align_batch(pairs)])
    return {name: round(value, 4) for name, value in found.scores._asdict().items()}


def score_others(aligner: Aligner, data: Path) -> dict[str, dict[str, float]]:
    return {name: scores(aligner, *read_set(data / name, 200)) for name in OTHERS}


def run_tune(options: argparse.Namespace, output: Path, **given: Any) -> dict[str, Any]:
    """Tune and say what it says."""
    from wordalign.tuning.run import TuneSettings, tune

    rates = {"text_rate": options.rate, "gold_rate": options.rate} if options.rate else {}
    if options.hurry:
        rates |= {"text_tokens": 2_000 * options.hurry, "gold_steps": options.hurry}
    settings = TuneSettings(device=options.device, **rates)
    begun, used = time.time(), _processor_seconds()
    report = tune(
        output=output,
        settings=settings,
        progress=lambda checked: print(checked, flush=True),
        report=lambda sentence: print(sentence, flush=True),
        **given,
    )
    return {
        **report.facts(),
        "seconds": round(time.time() - begun, 1),
        "processor_seconds": round(_processor_seconds() - used, 1),
        "load": round(os.getloadavg()[0], 1),
        "thresholds": report.thresholds,
    }


def _processor_seconds() -> float:
    """Of this process and those that it has started."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(found.ru_utime + found.ru_stime for found in map(resource.getrusage, kinds))


def gold_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    train, _, test = GOLD_RUNS[options.language]
    pairs, gold = read_set(options.data / train, options.size)
    report = run_tune(options, output, gold=list(zip(pairs, gold, strict=True)), model=str(options.older))
    return {"train": train, "test": test, "report": report, **_before_after(options, output, test)}


def new_text(options: argparse.Namespace) -> tuple[list[Pair], list[Pair], list[GoldAlignment]]:
    """Text of a new language, and pairs with gold links that are not in the text, to judge by."""
    pairs, gold = read_set(options.data / NEW_RUNS[options.language])
    judged = {tuple(pair.source.words) for pair in pairs}
    text = [
        pair for pair in read_text(options.data, options.language) if tuple(pair.source.words) not in judged
    ]
    text = text[: options.size]
    if options.language == "bul":
        text, pairs = ([in_other_letters(pair) for pair in part] for part in (text, pairs))
    return text, pairs, gold


def new_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    text, pairs, gold = new_text(options)
    report = run_tune(options, output, pairs=text, model=str(options.older))
    parent, tuned = Aligner(str(options.older)), Aligner(str(output))
    return {
        "test": NEW_RUNS[options.language],
        "pairs": len(text),
        "report": report,
        "before": scores(parent, pairs, gold),
        "after": scores(tuned, pairs, gold),
        "others": score_others(tuned, options.data),
    }


def eflomal_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    """eflomal on the text of a new language and the sentences that it is judged by, together."""
    text, pairs, gold = new_text(options)
    found = {}
    for level in ("word", "subword"):
        linked = StatisticalAligner("eflomal", lowercase=level == "word", level=level).align_corpus(
            pairs, text
        )
        scored = evaluate(gold, [set(one.links) for one in linked]).scores._asdict()
        found[level] = {name: round(value, 4) for name, value in scored.items()}
    return {"pairs": len(text), **found}


def domain_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    language, sources = DOMAIN
    text = read_text(options.data, language, sources)
    judged, text = text[:400], text[400:20_400]
    known = {tuple(pair.source.words) for pair in judged}
    text = [pair for pair in text if tuple(pair.source.words) not in known]
    report = run_tune(options, output, pairs=text, model=str(options.older))
    gold = []
    for one in Aligner("base", method="calibrated:always=0.1,mutual=0.1").align_batch(judged):
        certain = frozenset(
            link for link, score in zip(one.links, one.scores or (), strict=True) if score > 0.9
        )
        gold.append(GoldAlignment(certain, frozenset(one.links)))
    parent, tuned = Aligner(str(options.older)), Aligner(str(output))
    return {
        "language": language,
        "sources": sources,
        "pairs": len(text),
        "judged": len(judged),
        "report": report,
        "before": scores(parent, judged, gold),
        "after": scores(tuned, judged, gold),
        "others": score_others(tuned, options.data),
    }


def time_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    """With the defaults, from today's base, on the processor."""
    options.rate, options.device = None, "cpu"
    if options.language == "text":
        language, sources = DOMAIN
        text = list(islice(read_text(options.data, language, sources), 20_000))
        report = run_tune(options, output, pairs=text)
    else:
        pairs, gold = read_set(options.data / GOLD_RUNS["ron"][0], 100)
        report = run_tune(options, output, gold=list(zip(pairs, gold, strict=True)))
    return {"report": report, "seconds": report["seconds"]}


def parent_run(options: argparse.Namespace, output: Path) -> dict[str, Any]:
    parent = Aligner(str(options.older))
    return {"parent": parent.encoder.signature, "others": score_others(parent, options.data)}


RUNS = {
    "gold": gold_run,
    "new": new_run,
    "eflomal": eflomal_run,
    "domain": domain_run,
    "time": time_run,
    "parent": parent_run,
}


def _before_after(options: argparse.Namespace, output: Path, test: str) -> dict[str, Any]:
    pairs, gold = read_set(options.data / test)
    tuned = Aligner(str(output))
    return {
        "before": scores(Aligner(str(options.older)), pairs, gold),
        "after": scores(tuned, pairs, gold),
        "others": score_others(tuned, options.data),
    }


def all_runs(
    only: list[str], languages: list[str], rates: list[float | None]
) -> list[tuple[str, str, int, float | None]]:
    """Kind, language, size and rate of every run; the ones that take longest first."""
    runs: list[tuple[str, str, int, float | None]] = [("time", "text", 0, None)]
    runs += [("new", language, size, rate) for rate in rates for size in SIZES[::-1] for language in NEW_RUNS]
    runs += [("eflomal", language, size, None) for size in SIZES[::-1] for language in NEW_RUNS]
    runs += [("domain", DOMAIN[0], 0, rate) for rate in rates]
    for rate in rates:
        for language, (_, sizes, _) in GOLD_RUNS.items():
            runs += [("gold", language, size, rate) for size in sizes]
    runs += [("parent", "", 0, None), ("time", "gold", 0, None)]
    runs = [run for run in runs if not only or run[0] in only]
    return [run for run in runs if not languages or run[1] in languages]


def run_apart(run: tuple[str, str, int, float | None], options: argparse.Namespace) -> dict[str, Any] | None:
    """One run in a process of its own; timed runs have the first two cores for themselves."""
    kind, language, size, rate = run
    name = f"{kind}-{language}-{size}-{rate or 'default'}"
    target = options.parts / f"{name}.json"
    command = [sys.executable, __file__, "--data", options.data, "--older", options.older, "--run", kind]
    command += ["--language", language or "-", "--size", size, "--target", target]
    command += ["--device", options.device] if options.device else []
    command += ["--rate", rate] if rate else []
    command += ["--hurry", options.hurry] if options.hurry else []
    cores = os.cpu_count() or 2
    pinned = ["taskset", "-c", "0,1" if kind == "time" or cores < 4 else f"2-{cores - 1}"]
    if shutil.which("taskset") is None:
        pinned = []
    with (options.parts / f"{name}.log").open("w") as log:
        done = subprocess.run(
            [*pinned, *map(str, command)],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "2"},
            check=False,
        )
    print(f"{name}: {'done' if done.returncode == 0 else 'failed, see its log'}", flush=True)
    return json.loads(target.read_text()) if done.returncode == 0 else None


def _key(found: dict[str, Any]) -> tuple[Any, ...]:
    """What makes a result a result of its own: a later one with the same key replaces it."""
    parent = found.get("parent") or found.get("report", {}).get("parent")
    return (*(found[name] for name in ("run", "language", "size", "rate")), parent)


def get_older(folder: Path, model: str) -> None:
    """Version 2 of a model from the history, with its calibration written as it is written today."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("model.onnx", "tokenizer.json", "model.json"):
        path = f"{OLDER}:src/wordalign/models/{model}/{name}"
        done = subprocess.run(["git", "show", path], cwd=HERE, capture_output=True, check=True)
        (folder / name).write_bytes(done.stdout)
    facts = json.loads((folder / "model.json").read_text())
    scale, bias, curve = facts.pop("scale"), facts.pop("bias"), facts["calibration"]
    facts["calibration"] = {
        "scale": scale,
        "bias": bias,
        "sharpness": scale,
        "larger": 0.0,
        "smaller": 0.0,
        "scores": [round(scale * cosine + bias, 4) for cosine in curve["cosine"]],
        "log_odds": curve["log_odds"],
    }
    (folder / "model.json").write_text(json.dumps(facts, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--older", type=Path, help="folder of version 2 of base")
    parser.add_argument("--get-older", type=Path, metavar="FOLDER")
    parser.add_argument("--model", default="base", choices=["base", "tiny"], help="for --get-older")
    parser.add_argument("--only", nargs="+", choices=list(RUNS), default=[])
    parser.add_argument("--languages", nargs="+", default=[], metavar="CODE", help="only runs of these")
    parser.add_argument("--rates", nargs="+", type=float, help="try these instead of the defaults")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time, beside the timed ones")
    parser.add_argument("--device")
    parser.add_argument("--hurry", type=int, metavar="STEPS", help="few steps, to see whether all of it runs")
    parser.add_argument("--parts", type=Path, help="folder for the results of single runs")
    parser.add_argument("--results", type=Path, default=RESULTS)
    for name, kind in (("run", str), ("language", str), ("size", int), ("rate", float), ("target", Path)):
        parser.add_argument(f"--{name}", type=kind, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.get_older:
        get_older(options.get_older, options.model)
    elif options.run:
        with tempfile.TemporaryDirectory() as folder:
            found = RUNS[options.run](options, Path(folder) / "tuned")
        keys = ("run", "language", "size", "rate")
        found = {**{key: getattr(options, key) for key in keys}, **found}
        options.target.write_text(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        options.parts = options.parts or Path(tempfile.mkdtemp())
        options.parts.mkdir(parents=True, exist_ok=True)
        runs = all_runs(options.only, options.languages, options.rates or [None])
        timed = [run for run in runs if run[0] == "time"]
        others = [run for run in runs if run[0] != "time"]
        with ThreadPoolExecutor(1) as alone, ThreadPoolExecutor(options.jobs) as pool:
            started = [alone.submit(run_apart, run, options) for run in timed]
            started += [pool.submit(run_apart, run, options) for run in others]
        found = [one for future in started if (one := future.result())]
        kept = json.loads(options.results.read_text())["runs"] if options.results.exists() else []
        fresh = set(map(_key, found))
        kept = [one for one in kept if _key(one) not in fresh]
        result = {"machine": describe(), "runs": [*kept, *found]}
        options.results.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
