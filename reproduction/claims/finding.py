"""A claim and what became of it. Its numbers are computed, and a reason is given only where the numbers
that it explains are there, so that a sentence cannot become false unnoticed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reproduction.lab.cells import Cell
from reproduction.lab.experiment import Result

AGREES, PARTLY, DIFFERS, NOT_RUN = "agrees", "agrees in part", "does not agree", "not run"
ENGINES = ("fast_align", "ibm4", "eflomal")
LEVELS = ("word", "subword")

Results = dict[str, Result]


@dataclass(frozen=True)
class Finding:
    """`claim` is the paper's, `found` ours; `reason` why they may differ."""

    verdict: str
    claim: str
    found: str = ""
    reason: str = ""

    def line(self) -> str:
        return " ".join(filter(None, (f"- **{self.claim}**", self.found, self.reason)))


def judged(hits: int, cases: int, claim: str, found: str, reason: str = "") -> Finding:
    """Agrees where every case does, in part where most do; without a case there is nothing to say."""
    if not cases:
        return Finding(NOT_RUN, claim)
    kind = AGREES if hits == cases else PARTLY if 2 * hits > cases else DIFFERS
    return Finding(kind, claim, found, reason)


def cells_of(results: Results, name: str, key: str = "cells") -> list[Cell]:
    """The cells of a result that were run."""
    return [cell for cell in results.get(name, {}).get(key, []) if "scores" in cell]


def each(cells: Iterable[Cell], key: str) -> list[str]:
    """The systems, languages … of cells, in order."""
    return list(dict.fromkeys(cell[key] for cell in cells))


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def shown(label: str) -> str:
    """A system's name in running text."""
    return f"`{label}`" if label in ("base", "tiny") else label


def own_label(cells: Iterable[Cell]) -> str | None:
    """What the model of our own is called in these rows, with its layer; None where it was not run."""
    return next((cell["label"] for cell in cells if cell["system"] == "own"), None)
