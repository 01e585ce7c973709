"""What was wrong with single lines of input, as JSON Lines: `{"line": 3, "reason": "…"}`."""

from __future__ import annotations

import json

from wordalign.io.records import LineError


def error_line(error: LineError) -> str:
    """
    >>> error_line(LineError(3, "pairs.tsv, line 3: expected source, TAB, target; found no TAB."))
    '{"line": 3, "reason": "pairs.tsv, line 3: expected source, TAB, target; found no TAB."}'
    """
    return json.dumps({"line": error.number, "reason": error.reason}, ensure_ascii=False)
