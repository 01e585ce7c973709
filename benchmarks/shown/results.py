"""Where the results are that the tables show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def load(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))
