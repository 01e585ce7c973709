from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wordalign.types import Alignment, GoldAlignment, Sentence

sys.path.insert(0, str(Path(__file__).parent))  # helper modules


@pytest.fixture
def museum() -> Alignment:
    return Alignment(
        ((0, 0), (1, 1), (2, 2), (3, 4), (5, 3), (6, 5)),
        (0.9, 0.99, 0.98, 0.95, 0.8, 1.0),
        Sentence.from_words(["The", "museum", "is", "closed", "on", "Mondays", "."]),
        Sentence.from_words(["Das", "Museum", "ist", "montags", "geschlossen", "."]),
    )


@pytest.fixture
def other(museum) -> Alignment:
    """Another alignment of the same pair: 5-3 is missing, 4-3 is new."""
    links = ((0, 0), (1, 1), (2, 2), (3, 4), (4, 3), (6, 5))
    return Alignment(links, (1.0,) * 6, museum.source, museum.target)


@pytest.fixture
def gold() -> GoldAlignment:
    return GoldAlignment(
        sure=frozenset({(0, 0), (1, 1), (2, 2), (3, 4), (6, 5), (2, 4)}), possible=frozenset({(5, 3), (4, 3)})
    )
