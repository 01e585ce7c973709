"""Two directions into one."""

from __future__ import annotations

import random

from training.symmetrise import grow_diag_final_and


def test_agreement_is_certain() -> None:
    certain, possible = grow_diag_final_and({(0, 0), (1, 1)}, {(0, 0), (1, 1)})
    assert certain == {(0, 0), (1, 1)}
    assert possible == set()


def test_neighbours_of_certain_links_grow() -> None:
    certain, possible = grow_diag_final_and({(0, 0), (1, 1)}, {(0, 0), (1, 2)})
    assert certain == {(0, 0)}
    # (1, 1) touches (0, 0); (1, 2) then touches (1, 1) and column 2 is still free.
    assert possible == {(1, 1), (1, 2)}


def test_final_and_takes_only_links_of_two_free_words() -> None:
    certain, possible = grow_diag_final_and({(0, 0), (5, 5)}, {(0, 0), (0, 7)})
    assert certain == {(0, 0)}
    assert possible == {(5, 5)}


def test_bounds_on_random_links() -> None:
    generator = random.Random(3)
    for _ in range(200):
        forward = {(generator.randrange(6), j) for j in range(6) if generator.random() < 0.8}
        backward = {(i, generator.randrange(6)) for i in range(6) if generator.random() < 0.8}
        certain, possible = grow_diag_final_and(forward, backward)
        assert certain == forward & backward
        assert not certain & possible
        assert certain | possible <= forward | backward
