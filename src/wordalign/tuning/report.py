"""What a tuning has done, as a value, and in words: the model card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from wordalign import __version__
from wordalign.evaluate import METRICS, Comparison
from wordalign.tuning.shipped import FORGOTTEN


@dataclass(frozen=True, slots=True)
class TuneReport:
    """What a tuning has done.

    `output`      the folder that was written
    `parent`      the signature of the model that it began with
    `better`      whether the tuned model is better on the held-out pairs; if not, the folder holds the parent
    `gold`        whether these have gold links, or only those of the statistical aligner
    `before`      precision, recall, F1 and AER of the parent on the held-out pairs
    `after`       the same of the tuned model, with thresholds that were chosen on other held-out pairs
    `comparison`  whether the difference is more than chance
    `agreement`   F1 of the links of the written model against those of the parent, by languages, on
                  sentences that the package carries
    `known`       the part of the statistical aligner's sure links that the parent has too; None without text
    `pieces`      pieces that were added to the vocabulary
    `data`        how much was learned from, and what was left out
    `stopped`     whether Ctrl-C ended the learning early
    `seconds`     how long all of it took
    """

    output: str
    parent: str
    better: bool
    gold: bool
    before: Mapping[str, float]
    after: Mapping[str, float]
    comparison: Comparison
    agreement: Mapping[str, float]
    known: float | None
    pieces: int
    data: Mapping[str, Any]
    settings: Mapping[str, Any]
    thresholds: Mapping[str, float]
    stopped: bool
    seconds: float

    def verdict(self) -> str:
        """The result in a sentence or two."""
        found = self.comparison.verdict("the tuned model", self.parent, metric="aer")
        if self.better:
            return found[0].upper() + found[1:]
        return (
            f"The tuned model is not better than {self.parent} on the held-out pairs (AER "
            f"{self.after['aer']:.4f} against {self.before['aer']:.4f}), so {self.output} holds "
            f"{self.parent} as it was."
        )

    def forgotten(self) -> list[str]:
        """The languages on which the written model differs much from the parent."""
        return [name for name, value in self.agreement.items() if value < FORGOTTEN]

    def facts(self) -> dict[str, Any]:
        """What `model.json` keeps of it."""
        return {
            "parent": self.parent,
            "better": self.better,
            "gold": self.gold,
            "before": dict(self.before),
            "after": dict(self.after),
            "difference": asdict(self.comparison.differences["aer"]),
            "agreement": dict(self.agreement),
            "known": self.known,
            "pieces": self.pieces,
            "data": dict(self.data),
            "settings": dict(self.settings),
        }


def model_card(name: str, report: TuneReport) -> str:
    """The text of MODEL_CARD.md."""
    data, settings = report.data, report.settings
    lines = [
        f"# Model card: {name}",
        "",
        f"{report.parent}, tuned by `wordalign tune` (wordalign {__version__}). `--model` takes its folder.",
        "",
        report.verdict(),
        "",
        "## Scores before and after",
        "",
        f"On {data['held_out']:,} pairs that were not learned from, with "
        + (
            "gold links."
            if report.gold
            else f"links by {settings['aligner']}, for want of gold links: what agrees with them more is not "
            "certainly better."
        ),
        "",
        f"| | {' | '.join(METRICS)} |",
        f"|---|{'---|' * len(METRICS)}",
        *(
            f"| {kind} | {' | '.join(f'{scores[metric]:.4f}' for metric in METRICS)} |"
            for kind, scores in (("before", report.before), ("after", report.after))
        ),
        "",
        "The thresholds of each held-out pair were chosen on the others. Which of the weights on the way are "
        "the best was chosen on all of them, so that the score after is a little flattering: what counts is "
        "a test set that took no part (`wordalign evaluate`).",
        "",
        "## Data",
        "",
        f"- {data['text']:,} pairs without links"
        + (f", linked by {settings['aligner']} and the parent" if data["text"] else ""),
        f"- {data['gold']:,} pairs with gold links",
        f"- {data['entries']:,} entries of a dictionary",
        *(f"- {note}" for note in data["notes"]),
    ]
    if report.known is not None:
        lines.append(
            f"- The parent has {report.known:.0%} of the links that both directions of {settings['aligner']} "
            "agree on."
        )
    if report.pieces:
        lines.append(f"- {report.pieces:,} pieces were added to the vocabulary.")
    lines += [
        "",
        "## Other languages",
        "",
        "Agreement (F1) with the links of the parent, on sentences that wordalign carries. Gold links were "
        "not at hand for them: a difference is a change, for better or worse.",
        "",
        "| languages | agreement |",
        "|---|---|",
        *(f"| {languages} | {value:.3f} |" for languages, value in report.agreement.items()),
        "",
        "## Settings",
        "",
        *(f"- {key}: {value}" for key, value in settings.items()),
        *(f"- threshold {key}: {value}" for key, value in report.thresholds.items()),
    ]
    return "\n".join(lines) + "\n"
