from __future__ import annotations

import importlib.util
import random

import pytest

ENGINES = ("eflomal", "eflomal_gpl", "fast_align", "ibm1", "ibm2", "hmm", "ibm3", "ibm4")
SOURCE = ["the", "old", "dog", "sees", "a", "small", "cat", "and", "her", "house", "is", "red"]
TARGET = [f"{word[::-1]}en" for word in SOURCE]

WordPair = tuple[list[str], list[str]]


def skip_without(engine: str) -> None:
    if importlib.util.find_spec("eflomal" if engine == "eflomal_gpl" else "thot") is None:
        pytest.skip(f"{engine} is not installed")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    skip_without(request.param)
    return request.param


@pytest.fixture(scope="session")
def toy() -> list[tuple[WordPair, set[tuple[int, int]]]]:
    """A language made of reversed words, two neighbours of which sometimes change places, and its links."""
    chance = random.Random(5)
    made = []
    for _ in range(60):
        numbers = chance.sample(range(len(SOURCE)), chance.randint(2, 5))
        order = list(range(len(numbers)))
        if chance.random() < 0.3:
            order[0], order[1] = order[1], order[0]
        source = [SOURCE[number] for number in numbers]
        target = [TARGET[numbers[place]] for place in order]
        made.append(((source, target), {(place, j) for j, place in enumerate(order)}))
    return made
