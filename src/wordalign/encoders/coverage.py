"""The languages a bundled model was trained on, and how well it aligns each: from its `model.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wordalign.errors import ModelError


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a model knows of one language; `code` is that of ISO 639-3.

    `pairs` is the number of sentence pairs it was trained on. `measured` has the figures (`f1`, `aer`) on the
    gold set `gold`; it is empty where no gold set was at hand.
    """

    code: str
    name: str = ""
    script: str = ""
    pairs: int | None = None
    gold: str = ""
    measured: Mapping[str, float] = field(default_factory=dict)


def read_coverage(folder: Path) -> list[Coverage]:
    """The languages of the model in that folder; of a model without such a list, the bare codes."""
    file = folder / "model.json"
    try:
        about = json.loads(file.read_text("utf-8"))
        if "coverage" not in about:
            return [Coverage(code) for code in about["languages"]]
        return [
            Coverage(
                code=entry["language"],
                name=entry.get("name", ""),
                script=entry.get("script", ""),
                pairs=entry.get("pairs"),
                gold=measured.get("set", ""),
                measured={key: float(measured[key]) for key in ("f1", "aer") if key in measured},
            )
            for entry in about["coverage"]
            for measured in [entry.get("measured") or {}]
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(
            f"{file} does not say which languages the model knows ({type(error).__name__}: {error})."
        ) from error
