"""Rows of an earlier result that are kept (`--keep`): what takes hours or gigabytes need not be made again.

Kept are rows of what is not given now (static vectors, the model of our own, the programs of statistical
aligners), and of statistical aligners that are not trained here if they had as much text as is asked for
now. Each says that it was kept, and what it is of: by its signature, or by its settings and amount of text.
"""

from __future__ import annotations

import re
from typing import Any

# What may differ between a row that was not run and the same row when it was: a label names the layer that
# was read, and how much text there was is seen from the signature.
MAY_DIFFER = {"label", "not_run", "text_pairs", "pairs", "curves", "layers"}
# A gold set's own sentences are trained on, too.
LARGEST_SET = 3_000


def keep_rows(new: Any, old: Any) -> Any:
    """The new result, with rows that were not run now as they are in the old one.

    >>> row = {"system": "fasttext", "language": "deu"}
    >>> old = {"cells": [row | {"scores": {"f1": 0.6}}]}
    >>> keep_rows({"cells": [row | {"not_run": "no mapped vectors given"}], "maps": {}}, old)
    {'cells': [{'system': 'fasttext', 'language': 'deu', 'scores': {'f1': 0.6}, 'kept': True}], 'maps': {}}
    """
    if isinstance(new, dict) and isinstance(old, dict):
        if "not_run" in new and "not_run" not in old and _fits(new, old):
            return old | {"kept": True}
        found = {name: keep_rows(value, old.get(name)) for name, value in new.items()}
        # How the vectors were mapped belongs to them.
        if old.get("maps") and "maps" in new:
            found["maps"] = dict(sorted((old["maps"] | new["maps"]).items()))
        return found
    if isinstance(new, list) and isinstance(old, list):
        return [_kept(row, old) if isinstance(row, dict) and "not_run" in row else row for row in new]
    return new


def _kept(row: dict[str, Any], old: list[Any]) -> dict[str, Any]:
    for known in old:
        if isinstance(known, dict) and "not_run" not in known and _same(row, known) and _fits(row, known):
            return known | {"kept": True}
    return row


def _same(row: dict[str, Any], known: dict[str, Any]) -> bool:
    """Are both of the same thing? Times are of the machine that they were measured on, and never kept."""
    facts = (name for name in row if name not in MAY_DIFFER)
    return "seconds" not in known and all(known.get(name) == row[name] for name in facts)


def _fits(row: dict[str, Any], known: dict[str, Any]) -> bool:
    """Is the old row one of something that is not given now, or of a training of the size asked for?"""
    if row["not_run"].startswith("no program"):
        return bool(row.get("pairs") == known.get("pairs"))
    if row["not_run"].startswith(("no mapped vectors", "no model given")):
        return True
    asked = re.match(r"not trained here on ([\d,]+) pairs", row["not_run"])
    if asked is None:
        return False
    if "pairs" in row and "pairs" in known:
        return bool(row["pairs"] == known["pairs"])
    trained = re.search(r"trained on (\d+) pairs", known.get("signature", ""))
    more = int(trained[1]) - int(asked[1].replace(",", "")) if trained else -1
    return 0 <= more <= LARGEST_SET
