"""Logs of `train` -> a table of their last scores on the development sets.

    python -m training.ablations training/results/ablations

Each log is one run; calibrated and argmax are means over the development sets (F1, or the share right for
the silver sets), with the thresholds that the training itself uses.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def last_scores(log: str) -> dict[str, float]:
    """The last line `dev SET SCORE SET:argmax SCORE …` of a log."""
    line = [line for line in log.splitlines() if line.startswith("dev ")][-1].split()[1:]
    return {name: float(score) for name, score in zip(line[::2], line[1::2], strict=True)}


def mean(scores: dict[str, float], argmax: bool) -> float:
    found = [score for name, score in scores.items() if name.endswith(":argmax") == argmax]
    return sum(found) / len(found)


def table(logs: dict[str, str]) -> str:
    """One row a log, in the order given."""
    rows = ["| run | calibrated | argmax |", "|---|---|---|"]
    for name, log in logs.items():
        scores = last_scores(log)
        rows.append(f"| {name} | {mean(scores, False):.3f} | {mean(scores, True):.3f} |".replace(" 0.", " ."))
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", type=Path, help="folder of logs")
    files = sorted(parser.parse_args().logs.glob("*.log"), key=lambda file: file.stem != "reference")
    print(table({file.stem.replace("-", " "): file.read_text() for file in files}))


if __name__ == "__main__":
    main()
