"""The recipe's constants, read from `configs/recipe.toml` or a file given instead."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

DEFAULT = Path(__file__).parent / "configs" / "recipe.toml"


def load_recipe(path: str | Path | None = None) -> dict[str, Any]:
    """Read a recipe; without a path, the one the bundled encoder was made with."""
    with Path(path or DEFAULT).open("rb") as file:
        return tomllib.load(file)
