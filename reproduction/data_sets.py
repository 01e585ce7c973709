"""Table 1: the gold sets as they are here, and the training text, beside the paper's.

python -m reproduction.data_sets --data DIR
"""

from __future__ import annotations

from reproduction.lab.experiment import Experiment, Result, main
from reproduction.lab.lab import Lab
from reproduction.lab.paper import LANGUAGES, read_paper
from reproduction.lab.tables import table

COLUMNS = ("sentences", "sure", "possible")


def run(lab: Lab) -> Result:
    table1 = read_paper()["table1"]
    sets = []
    for language in LANGUAGES:
        paper = dict(zip(table1["columns"], table1["sets"][language], strict=True))
        row = {"language": language, "paper": paper}
        if language in lab.languages:
            sets.append(row | {"ours": lab.gold(language).counts()})
        else:
            sets.append(row | {"not_run": "gold not available"})
    return {"sets": sets}


def show(result: Result) -> str:
    rows = []
    for row in result["sets"]:
        ours, paper = row.get("ours"), row["paper"]
        numbers = [
            f"{ours[column]:,} ({paper[column]:,})" if ours else f"– ({paper[column]:,})"
            for column in COLUMNS
        ]
        note = "" if ours else f"not run: {row['not_run']}"
        rows.append([f"ENG-{row['language'].upper()}", *numbers, f"{paper['parallel']:,}", note])
    return "\n\n".join(
        [
            "In brackets the paper's counts; |P∖S| are the links that are possible but not sure. The last "
            "number is how many pairs of parallel text the paper's statistical aligners had.",
            table(["", "sentences", "|S|", "|P∖S|", "the paper's parallel text", ""], rows),
        ]
    )


EXPERIMENT = Experiment(name="data_sets", title="Gold sets", paper="Table 1", uses=(), run=run, show=show)

if __name__ == "__main__":
    main(EXPERIMENT)
