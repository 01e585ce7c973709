"""What `wordalign tune` gains."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shown.results import load


def tuning() -> str:
    return tuning_tables(load("benchmarks/results/tune.json")["runs"])


def tuning_tables(runs: list[dict[str, Any]]) -> str:
    """Only the kinds of runs that are there get a table; runs that tried other rates are no results."""
    runs = [run for run in runs if run["rate"] is None]
    parents = {run["parent"]: run["others"] for run in runs if run["run"] == "parent"}
    words = {(run["language"], run["size"]): run["word"]["f1"] for run in runs if run["run"] == "eflomal"}
    names = {
        "ron": "Romanian",
        "deu": "German",
        "swe": "Swedish",
        "jpn": "Japanese",
        "hun": "Hungarian",
        "tha": "Thai",
        "bul": "Bulgarian in Glagolitic letters",
    }

    def others(run: dict[str, Any]) -> str:
        """How F1 changed on the sets of other languages: the mean, and the lowest."""
        known = parents.get(run["report"]["parent"])
        if known is None:
            return "– | –"
        changes = [
            found["f1"] - known[name]["f1"]
            for name, found in run["others"].items()
            if f"eng-{run['language']}" not in name
        ]
        return f"{sum(changes) / len(changes):+.3f} | {min(changes):+.3f}"

    def of_kind(kind: str) -> list[dict[str, Any]]:
        found = [run for run in runs if run["run"] == kind]
        return sorted(found, key=lambda run: (run["language"], run["size"]))

    gold, new, domain = [], [], []
    for run in of_kind("gold"):
        steps = run["report"]["settings"]["gold_steps"]
        gold.append(
            f"| {names[run['language']]} | {run['size']} | {run['report']['parent']} | {steps} | "
            f"{run['before']['aer']:.3f} | {run['after']['aer']:.3f} | {others(run)} |"
        )
    for run in of_kind("new"):
        tokens = run["report"]["settings"]["text_tokens"]
        eflomal = words.get((run["language"], run["size"]))
        new.append(
            f"| {names[run['language']]} | {run['pairs']:,} | {run['report']['parent']} | "
            f"{f'{tokens:,}' if tokens else 'default'} | {f'{eflomal:.3f}' if eflomal else '–'} | "
            f"{run['before']['f1']:.3f} | {run['after']['f1']:.3f} | {others(run)} |"
        )
    for run in of_kind("domain"):
        domain.append(
            f"| {names[run['language']]} | {run['pairs']:,} | {run['report']['parent']} | "
            f"{run['before']['aer']:.3f} | {run['after']['aer']:.3f} | {others(run)} |"
        )
    blocks = []
    if gold:
        blocks += [
            "Few gold sentences, from a model that has not seen them: AER on the test set of the language, "
            "and how F1 changed on the sets of\n"
            "other languages, the mean and the lowest. A fifth of the gold sentences was held out.",
            _table("language | gold sentences | parent | steps | AER before | after", gold),
        ]
    if new:
        blocks += [
            "A language that the parent has never seen, from text alone, beside eflomal on the same text: "
            "F1. The subwords are those that were\nlearned from in all.",
            _table("language | pairs | parent | subwords | eflomal | before | after", new),
            "The Thai sentences were linked by a language model that read written guidelines, not by people; "
            "the Bulgarian ones (XL-WA) by people.",
        ]
    if domain:
        blocks += [
            "Technical text in a language that the parent knows: AER on held-out pairs of it, judged by the "
            "links that version 3 is certain of.",
            _table("language | pairs | parent | AER before | after", domain),
        ]
    times = [
        f"{what} {min(found):,.0f} to {max(found):,.0f} s"
        for what, kinds in {"gold sentences": ("gold",), "text": ("new", "domain")}.items()
        if (found := _seconds(run for kind in kinds for run in of_kind(kind)))
    ]
    if times:
        blocks.append(
            f"By the clock, on two cores that did other work too, a tuning took, on {', on '.join(times)}."
        )
    said = {"text": "20,000 pairs of text", "gold": "100 gold sentences"}
    for run in of_kind("time"):
        blocks.append(
            f"{said[run['language']]}, with the defaults on two cores of their own: {run['seconds']:,.0f} s."
        )
    return "\n\n".join(blocks)


def _seconds(runs: Iterable[dict[str, Any]]) -> list[float]:
    return [run["report"]["seconds"] for run in runs if run["report"]["parent"] == "base@2"]


def _table(header: str, rows: list[str]) -> str:
    columns = f"| {header} | others, mean | lowest |"
    return "\n".join([columns, "|---" * (columns.count("|") - 1) + "|", *rows])
