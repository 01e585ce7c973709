"""The paper's numbers, from `paper.toml`."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("ces", "deu", "fas", "fra", "hin", "ron")
METRICS = ("precision", "recall", "f1", "aer")
# What the paper calls the systems of `paper.toml`.
LABELS = {
    "fast_align": "fast-align/IBM2",
    "ibm4": "Giza++/IBM4",
    "eflomal": "eflomal",
    "fasttext": "fastText",
    "mbert": "mBERT[8]",
    "xlmr": "XLM-R[8]",
    "own": "own mBERT[8]",  # reproduction/mlm: not the paper's, but what the paper is about
}


@cache
def read_paper() -> dict[str, Any]:
    with (Path(__file__).parent.parent / "paper.toml").open("rb") as file:
        return tomllib.load(file)


def paper_scores(table: str, section: str, row: str, language: str) -> dict[str, float] | None:
    """What a table says in a row: `{"f1": .77, "aer": .23}`, or None where it says nothing."""
    found = read_paper()[table].get(section, {}).get(row, {}).get(language)
    if found is None:
        return None
    values = found if isinstance(found, list) else [found]
    named = zip(read_paper()[table]["columns"], values, strict=True)
    return {name: value for name, value in named if not math.isnan(value)}
