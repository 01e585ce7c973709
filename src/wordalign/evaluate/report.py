"""An evaluation as a table for people, or as JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from wordalign import __version__
from wordalign.evaluate.counts import Counts, score
from wordalign.evaluate.significance import Comparison

_HEADINGS = ("precision", "recall", "F1", "AER", "predicted", "right", "sure right", "sure")


@dataclass(frozen=True, slots=True)
class System:
    """One file of links, judged. `slices` are the counts by frequency or part of speech, if asked for."""

    file: str
    signature: str | None
    counts: Counts
    slices: Mapping[str, Counts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """`comparisons` are of the first system with each other one, in their order."""

    gold: str
    sentences: int
    systems: Sequence[System]
    sliced_by: str | None = None
    comparisons: Sequence[Comparison] = ()
    notes: Sequence[str] = ()

    def text(self) -> str:
        rows = [(system.file, system.counts) for system in self.systems]
        parts = [_table("", rows)]
        parts += [
            _table(system.file, list(system.slices.items())) for system in self.systems if self.sliced_by
        ]
        if self.comparisons:
            parts.append("\n".join(self._verdicts()))
        parts.append("\n".join([*map(_made_by, self.systems), self._scored_by()]))
        return "\n\n".join(parts)

    def as_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {
            "gold": self.gold,
            "sentences": self.sentences,
            "wordalign": __version__,
            "systems": [self._system(system) for system in self.systems],
        }
        if self.comparisons:
            first, *others = self.systems
            record["comparisons"] = [
                {"first": first.file, "second": other.file, **asdict(found), "verdict": verdict}
                for other, found, verdict in zip(others, self.comparisons, self._verdicts(), strict=True)
            ]
        return {**record, "notes": list(self.notes)}

    def _system(self, system: System) -> dict[str, Any]:
        record = {"file": system.file, "signature": system.signature, **_figures(system.counts)}
        if self.sliced_by:
            record[f"by_{self.sliced_by}"] = {
                name: _figures(counts) for name, counts in system.slices.items()
            }
        return record

    def _verdicts(self) -> list[str]:
        first, *others = self.systems
        return [
            found.verdict(first.file, other.file)
            for other, found in zip(others, self.comparisons, strict=True)
        ]

    def _scored_by(self) -> str:
        return f"scored against {self.gold}, {self.sentences:,} sentences, by wordalign {__version__}"


def _figures(counts: Counts) -> dict[str, Any]:
    return {**score(counts)._asdict(), "counts": counts._asdict()}


def _made_by(system: System) -> str:
    return f"{system.file}: {system.signature or 'no signature (JSONL carries one, --signature states one)'}"


def _table(title: str, rows: Sequence[tuple[str, Counts]]) -> str:
    width = max([len(title), *(len(name) for name, _ in rows)])
    lines = [" ".join([title.ljust(width), *(f"{heading:>10}" for heading in _HEADINGS)])]
    for name, counts in rows:
        scores = [f"{value:10.4f}" for value in score(counts)] if any(counts) else [f"{'-':>10}"] * 4
        cells = scores + [f"{number:10,}" for number in counts]
        lines.append(" ".join([name.ljust(width), *cells]))
    return "\n".join(lines)
