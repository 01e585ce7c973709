"""How well entities are carried from English: entity F1 on parallel annotations, beside SimAlign's way.

    git clone https://github.com/ixa-ehu/ner-evaluation-corpus-europarl data
    python benchmarks/project.py data --leave-out gold-{train,annotated,dev}/*/*.txt \\
        text/*.tsv.xz text-more/eng-*.tsv.xz

The data are 799 sentences of Europarl with entities that people marked in English, German, Spanish and
Italian (Agerri et al. 2018). The English entities are carried to the other three languages, and are right
if place and type are those of the annotators. Their annotations differ between languages (a name in one is
an adjective in another), which bounds what can be reached. Sentences that the model was taught with, in any
of the languages, are left out: some of its gold links are of the same debates. So are those of the
development sets, on which its probabilities were fitted.

Two kinds of links (the model's own method, and argmax as in SimAlign, on the same vectors) are crossed with
two ways to carry a span: `Alignment.project`, and from the first to the last linked word. A paired test
compares the first with the last; its unit is an English sentence with its three translations, which are not
independent. Then `wordalign project` is timed beside `wordalign align` on the same text, in turn. Results
go to benchmarks/results/project.json.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from machine import describe

from wordalign import Aligner, Alignment
from wordalign.evaluate import Evaluation, compare
from wordalign.evaluate.counts import Counts
from wordalign.io.lines import read_lines
from wordalign.project.conll import read_conll
from wordalign.types import Span

HERE = Path(__file__).parent
LANGUAGES = ("de", "es", "it")
SHORTEST = 25  # letters: shorter sentences are alike by chance
BINS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


Sentences = list[tuple[tuple[str, ...], list[tuple[Span, str]]]]


def entities_of(folder: Path, language: str) -> Sentences:
    """The words and the entities of each sentence."""
    texts = read_conll(folder / f"{language}-europarl.test.conll02")
    return [(text.source.words, list(zip(text.spans, text.labels, strict=True))) for text in texts]  # type: ignore[union-attr]


def letters(text: str) -> str:
    """What is compared: however a text is tokenised."""
    return "".join(character for character in text.lower() if character.isalnum())


def known_sentences(files: Iterable[Path], data: dict[str, Sentences]) -> set[int]:
    """The numbers of the sentences that stand in these files in some language."""
    numbers: dict[str, set[int]] = {}
    for sentences in data.values():
        for number, (words, _) in enumerate(sentences):
            if len(found := letters("".join(words))) > SHORTEST:
                numbers.setdefault(found, set()).add(number)
    known: set[int] = set()
    for file in files:
        for line in read_lines(file):
            for text in line.split("\t"):
                known |= numbers.get(letters(text), set())
    return known


def by_mass(alignment: Alignment, spans: Iterable[Span]) -> list[Span | None]:
    return [found.target for found in alignment.project(spans)]


def first_to_last(alignment: Alignment, spans: Iterable[Span]) -> list[Span | None]:
    """What people write who need it once."""
    found: list[Span | None] = []
    for start, end in spans:
        linked = [j for i, j in alignment.links if start <= i < end]
        found.append((min(linked), max(linked) + 1) if linked else None)
    return found


def counts(carried: set[Any], gold: set[Any]) -> Counts:
    right = len(carried & gold)
    return Counts(len(carried), right, right, len(gold))


def together(found: list[Counts]) -> list[Counts]:
    """The counts of each English sentence in all languages."""
    number = len(found) // len(LANGUAGES)
    return [Counts(*map(sum, zip(*found[start::number], strict=True))) for start in range(number)]


def measure(folder: Path, model: str, leave_out: Iterable[Path]) -> dict[str, Any]:
    whole = {language: entities_of(folder, language) for language in ("en", *LANGUAGES)}
    known = known_sentences(leave_out, whole)
    data = {
        language: [sentence for number, sentence in enumerate(sentences) if number not in known]
        for language, sentences in whole.items()
    }
    english = data["en"]
    ways: dict[str, Callable[..., list[Span | None]]] = {"by mass": by_mass, "first to last": first_to_last}
    pooled: dict[str, list[Counts]] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    sure: list[Counts] = []
    places: list[tuple[float, bool]] = []
    signatures = {}
    for name, aligner in (("own", Aligner(model)), ("argmax", Aligner(model, method="argmax"))):
        signatures[name] = aligner.signature()
        for language in LANGUAGES:
            other = data[language]
            pairs = [(one[0], two[0]) for one, two in zip(english, other, strict=True)]
            alignments = aligner.align_batch(pairs)
            for way, carry in ways.items():
                found = []
                for alignment, (_, entities), (_, wanted) in zip(alignments, english, other, strict=True):
                    spans = carry(alignment, [span for span, _ in entities])
                    carried = {
                        (span, label) for span, (_, label) in zip(spans, entities, strict=True) if span
                    }
                    found.append(counts(carried, set(wanted)))
                system = f"{name} links, {way}"
                pooled.setdefault(system, []).extend(found)
                scores.setdefault(system, {})[language] = rounded(Evaluation.of(found))
            if name == "own":
                for alignment, (_, entities), (_, wanted) in zip(alignments, english, other, strict=True):
                    results = alignment.project([span for span, _ in entities])
                    gold_places = {span for span, _ in wanted}
                    places += [(one.probability, one.target in gold_places) for one in results if one.target]
                    carried = {
                        (one.target, label)
                        for one, (_, label) in zip(results, entities, strict=True)
                        if one.target and one.probability >= 0.8
                    }
                    sure.append(counts(carried, set(wanted)))
    systems = {name: Evaluation.of(found) for name, found in pooled.items()}
    first, last = next(iter(systems)), list(systems)[-1]
    test = compare(*(Evaluation.of(together(pooled[name])) for name in (first, last)), resamples=10_000)
    return {
        "model": model,
        "signatures": signatures,
        "sentences": len(english),
        "sentences left out": len(known),
        "entities in English": sum(len(entities) for _, entities in english),
        "systems": {name: {**scores[name], "all": rounded(found)} for name, found in systems.items()},
        "with probability 0.8 or more": rounded(Evaluation.of(sure)),
        "places": reliability(places),
        "paired test": {"systems": [first, last], "f1": asdict(test.differences["f1"])},
        "verdict": test.verdict(first, last),
    }


def rounded(evaluation: Evaluation) -> dict[str, float]:
    found = evaluation.scores
    return {name: round(getattr(found, name), 4) for name in ("precision", "recall", "f1")}


def reliability(places: list[tuple[float, bool]]) -> list[dict[str, float]]:
    """How many places are right among those of about the same probability."""
    rows = []
    for low, high in pairwise(BINS):
        inside = [(probability, right) for probability, right in places if low <= probability < high]
        if inside:
            rows.append(
                {
                    "from": low,
                    "places": len(inside),
                    "probability": round(statistics.mean(probability for probability, _ in inside), 3),
                    "right": round(statistics.mean(right for _, right in inside), 3),
                }
            )
    return rows


def throughput(folder: Path, model: str, times: int, rounds: int) -> dict[str, float]:
    """Processor seconds of both commands on the same text; medians of rounds in turn."""
    english, german = entities_of(folder, "en"), entities_of(folder, "de")
    annotated = (folder / "en-europarl.test.conll02").read_text("utf-8").strip() + "\n\n"
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "en.conll").write_text(annotated * times, "utf-8")
        for language, sentences in (("en", english), ("de", german)):
            lines = "".join(" ".join(words) + "\n" for words, _ in sentences)
            (work / f"{language}.txt").write_text(lines * times, "utf-8")
        shared = ["--model", model, "--workers", "1"]
        commands = {
            "align": ["align", "en.txt", "de.txt", *shared, "-o", "links.txt"],
            "project": ["project", "en.conll", "de.txt", *shared, "-o", "de.conll"],
        }
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                pid = subprocess.Popen([sys.executable, "-m", "wordalign", *command], cwd=work).pid
                _, status, used = os.wait4(pid, 0)
                if status:
                    raise SystemExit(f"{command} failed.")
                seconds[name].append(used.ru_utime + used.ru_stime)
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    return {
        "sentences": len(english) * times,
        **{f"{name}, processor seconds": round(found, 2) for name, found in medians.items()},
        "project / align": round(medians["project"] / medians["align"], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="base")
    parser.add_argument(
        "--leave-out",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="text that the model was taught with",
    )
    parser.add_argument("--times", type=int, default=5, help="how often the text is repeated for the timing")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "project.json")
    arguments = parser.parse_args()
    results = {
        "machine": describe(),
        **measure(arguments.folder, arguments.model, arguments.leave_out),
        "throughput": throughput(
            arguments.folder.resolve(), arguments.model, arguments.times, arguments.rounds
        ),
    }
    arguments.output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(results["verdict"])


if __name__ == "__main__":
    main()
