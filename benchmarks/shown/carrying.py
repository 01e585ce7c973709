"""What carrying labels, markup and doubts across links reaches."""

from __future__ import annotations

from shown.results import load


def check() -> str:
    result = load("benchmarks/results/check.json")
    names = ("score", "in a text", "length ratio", "dictionary")
    mean = result["base"]["auc"]
    error = result["base"]["calibration"]["expected_calibration_error"]
    return "\n".join(
        [
            "How often a good pair scores above a faulty one (AUC), on sentences that the model was not",
            "trained on (`benchmarks/check.py`; the mean of ces, deu, fra, hin and ron, model `base`):",
            "",
            f"| | {' | '.join(names)} |",
            "|---" * (len(names) + 1) + "|",
            *(
                f"| {kind} | {' | '.join(f'{row[name]:.3f}'.removeprefix('0') for name in names)} |"
                for kind, row in mean.items()
            ),
            "",
            "The pairs of the row `wrong language` are an exception: they come from the text that the models",
            "learned from. `in a text` has learned languages and lengths from good pairs alone; a text with",
            "many faults teaches less. How the score measures lengths was changed after a first look at",
            "these figures, so those of `cut` and `added` may be somewhat too good. The weights come from",
            "text that the models know, and scores of new text are too low rather than too high.",
            "",
            f"Where half of the pairs are good, the score is off by {error:.3f} on the average (expected",
            "calibration error).",
        ]
    )


def projection() -> str:
    result = load("benchmarks/results/project.json")
    languages = {"de": "German", "es": "Spanish", "it": "Italian", "all": "all"}
    rows = [
        f"| {name} | {' | '.join(format(scores[language]['f1'], '.3f') for language in languages)} |"
        for name, scores in result["systems"].items()
    ]
    sure, ratio = result["with probability 0.8 or more"], result["throughput"]["project / align"]
    return "\n".join(
        [
            f"Entity F1 of {result['entities in English']} English entities in {result['sentences']} "
            f"sentences of Europarl that `{result['model']}` was not taught with, carried",
            "to three languages, against the annotations of people in those languages "
            "(`benchmarks/project.py`).",
            "",
            f"| | {' | '.join(languages.values())} |",
            "|---" * 5 + "|",
            *rows,
            "",
            f"{result['verdict'][:1].upper()}{result['verdict'][1:]}",
            "",
            f"With `--min-probability 0.8` precision is {sure['precision']:.3f} and recall "
            f"{sure['recall']:.3f}. The command takes {ratio:.2f} times the processor time",
            "of `wordalign align` on the same text.",
        ]
    )


def markup() -> str:
    result = load("benchmarks/results/transfer.json")
    found, speed, fuzzed = result["quality"], result["speed"], result["fuzzed"]
    groups = ("de", "fi", "fr", "ja", "nl", "ru", "zh", "all", "odd numbers")
    names = {
        "transfer": "`wordalign transfer`",
        "argmax links": "the same with argmax links",
        "argmax, first to last": "argmax links, first to last",
        "relative position": "relative position",
    }
    rows = []
    for name, shown in names.items():
        system = found["systems"][name]
        exact = " | ".join(f"{system[group]['exact']:.3f}" for group in groups)
        rows.append(f"| {shown} | {exact} | {system['all']['structure']:.3f} |")
    every = found["systems"]["transfer"]["all"]
    ahead = found["ahead_of"]["argmax links"]["odd numbers"]
    low, high = ahead["interval"]
    return "\n".join(
        [
            f"{every['elements']:,} elements in {every['segments']:,} segments of software documentation "
            "from English (Salesforce localization XML MT,",
            "development part), with the tags of the translation taken out and put in again by `base`. The "
            "share of elements whose two tags stand",
            "exactly where professional translators put them, and of segments with the same tree of elements "
            "(`benchmarks/transfer.py`).",
            "",
            f"| | {' | '.join(groups[:-1])} | odd numbers | same tree |",
            "|---" * 11 + "|",
            *rows,
            "",
            "Rules were made on segments with even numbers. On the others the links of the "
            "model are ahead of argmax links by",
            f"{ahead['exact']:.3f} (95 % interval {low:.3f} to {high:.3f}).",
            f"Of {fuzzed['carried'] + fuzzed['refused']:,} random strings of markup with random links "
            f"{fuzzed['carried']:,} were carried, each tag once, and {fuzzed['refused']:,} refused in words.",
            f"It takes {speed['transfer / align']:.2f} times the processor time of `align` on the same text.",
        ]
    )


def doubts() -> str:
    result = load("benchmarks/results/active.json")
    rows = [
        "| | pairs | AER | errors found | at random | places that were wrong | at random | AER after |",
        "|---" * 8 + "|",
    ]
    for sets in result["sets"].values():
        for name, found in sets.items():
            tenth = found["looked_at"]["0.1"]
            cells = [
                name.split(".")[0],
                str(found["pairs"]),
                f"{found['aer']:.3f}"[1:],
                f"{tenth['found']:.0%}",
                f"{tenth['at_random']:.0%}",
                f"{tenth['wrong']:.0%}",
                f"{tenth['wrong_at_random']:.0%}",
                f"{tenth['aer_after']:.3f}"[1:],
            ]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)
