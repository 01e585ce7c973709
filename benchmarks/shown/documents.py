"""What `wordalign documents` reaches."""

from __future__ import annotations

from shown.results import load


def documents() -> str:
    result = load("benchmarks/results/documents.json")
    aer, sizes = result["words"]["AER"], ("1", "5", "10", "50")
    lined = result["words in lines"]["AER"]["eng-hin"]
    rows = [
        f"| {name} | {scores['alone']:.3f} | {' | '.join(format(scores[n], '.3f') for n in sizes)} |"
        for name, scores in aer.items()
    ]
    return "\n".join(
        [
            "AER of `base` where n sentences of a gold set are one text without borders between them, and "
            "where the sentences are given",
            "(`benchmarks/documents.py words`):",
            "",
            "| | sentences given | n = 1 | n = 5 | n = 10 | n = 50 |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "The Hindi set is the exception: half of its English sentences are headings and notes without a "
            "full stop, which run into each",
            "other. Where each sentence is a line, as headings are in files, AER is "
            f"{lined['50']:.3f} at n = 50.",
            "",
            "Settings were chosen on other sets. That long groups are cut, and long quotations, was added "
            "after a first measurement on these",
            "sets had shown losses at n = 50; it was worked out on development sets.",
        ]
    )


def sentence_groups() -> str:
    found = load("benchmarks/results/documents.json")["sentences"]["F1"]
    named = {
        "base": "`wordalign documents`",
        "tiny": "the same with `tiny`",
        "hunalign": "hunalign, run here",
    }
    rows = [
        f"| {shown} | {found[f'{name} 1957']['strict F1']:.3f} ({found[f'{name} 1957']['lax F1']:.3f}) "
        f"| {found[f'{name} 1989']['strict F1']:.3f} ({found[f'{name} 1989']['lax F1']:.3f}) |"
        for name, shown in named.items()
        if f"{name} 1989" in found
    ]
    return "\n".join(
        [
            "Strict (lax) F1 of groups of sentences on Text+Berg, Alpine articles in German and French "
            "(`benchmarks/documents.py sentences`).",
            "The year 1957 was used to choose settings; 1989 was not.",
            "",
            "| | 1957 | 1989 |",
            "|---|---|---|",
            *rows,
            "| Vecalign with LASER ([its page](https://github.com/thompsonb/vecalign)) | | .902 (.986) |",
            "| Bertalign with LaBSE ([its page](https://github.com/bfsujason/bertalign)) | | .936 (.989) |",
        ]
    )


def novel_groups() -> str:
    found = load("benchmarks/results/documents.json")["novels"]["F1"]
    names = [name.split(" | ")[1] for name in found if name.startswith("base")]
    rows = []
    for name in names:
        base, tiny = (_strict_and_lax(found[f"{model} | {name}"]) for model in ("base", "tiny"))
        rows.append(f"| {name} | {base} | {tiny} |")
    return "\n".join(
        [
            "The same for novels that were aligned by hand, TransRead's and MAC's "
            "(`benchmarks/documents.py novels`):",
            "",
            "| | `base` | `tiny` |",
            "|---|---|---|",
            *rows,
        ]
    )


def _strict_and_lax(scores: dict[str, float]) -> str:
    return f"{scores['strict F1']:.3f} ({scores['lax F1']:.3f})"


def document_scale() -> str:
    result = load("benchmarks/results/documents.json")["scale"]
    machine = result["machine"]
    rows = [
        f"| {run['sentences']:,} | {run['seconds']:,.0f} | {run['more_mib']:,} | {run['pairs_found']:.1%} |"
        for run in result["runs"]
    ]
    exponents = ", ".join(format(one, ".2f") for one in result["exponents"])
    return "\n".join(
        [
            f"Texts of so many pairs of sentences, aligned by `{result['model']}` on {machine['cores']} "
            f"cores ({machine['processor']}), a tenth of the",
            "sentences and a page of fifty missing on one side (`benchmarks/documents.py scale`):",
            "",
            "| sentences a side | seconds | more memory, MiB | pairs found |",
            "|---|---|---|---|",
            *rows,
            "",
            f"From row to row, time grows with the number of sentences to the power of {exponents}. Other "
            "work ran on the machine at times,",
            "so that these are rough figures.",
        ]
    )
