"""Two directed alignments -> one.

A directed alignment gives each word of one side at most one partner. `forward` holds the links found for
the target's words, `backward` those found for the source's words, both as `(source, target)`.

    forward {(0, 0), (1, 1)}   backward {(0, 0), (1, 2)}
    intersection {(0, 0)}      union and grow-diag {(0, 0), (1, 1), (1, 2)}

`grow-diag` starts from the intersection and adds links of the union that touch a link, also diagonally,
while one of their two words is still free; `-final` then adds the links of either direction with a free
word, `-final-and` those with two (Koehn et al. 2003, 2005). `och` is the refined method of Och and Ney
(2003). The order in which links are looked at matters and is that of Koehn's pseudo-code: rows from top to
bottom, each from left to right, forward links before backward ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Set
from typing import TypeAlias

from wordalign.registry import Registry
from wordalign.types import Link

Links: TypeAlias = Set[Link]
Heuristic: TypeAlias = Callable[[Links, Links], set[Link]]

HEURISTICS: Registry[Heuristic] = Registry(
    "symmetrisation",
    {
        "intersection": "wordalign.links.symmetrize:intersection",
        "union": "wordalign.links.symmetrize:union",
        "grow-diag": "wordalign.links.symmetrize:grow_diag",
        "grow-diag-final": "wordalign.links.symmetrize:grow_diag_final",
        "grow-diag-final-and": "wordalign.links.symmetrize:grow_diag_final_and",
        "och": "wordalign.links.symmetrize:och",
        "forward": "wordalign.links.symmetrize:forward_only",
        "reverse": "wordalign.links.symmetrize:backward_only",
    },
    entry_points="wordalign.symmetrizations",
)

_STRAIGHT = ((-1, 0), (0, -1), (1, 0), (0, 1))
_NEIGHBOURS = (*_STRAIGHT, (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrize(forward: Links, backward: Links, heuristic: str = "grow-diag-final-and") -> set[Link]:
    """The links of two directions as one alignment, by a name of `HEURISTICS`.

    >>> sorted(symmetrize({(0, 0), (1, 1)}, {(0, 0), (1, 2)}, "intersection"))
    [(0, 0)]
    """
    return HEURISTICS.get(heuristic)(forward, backward)


def invert(links: Links) -> set[Link]:
    """The same links with source and target exchanged."""
    return {(j, i) for i, j in links}


def intersection(forward: Links, backward: Links) -> set[Link]:
    """The links of both directions: few, and mostly right."""
    return set(forward & backward)


def union(forward: Links, backward: Links) -> set[Link]:
    """The links of either direction: many, and often wrong."""
    return set(forward | backward)


def grow_diag(forward: Links, backward: Links) -> set[Link]:
    """The intersection, grown along its neighbours in the union."""
    return _grown(forward, backward)[0]


def grow_diag_final(forward: Links, backward: Links) -> set[Link]:
    """`grow_diag`, and then every link with a free word."""
    return _final(forward, backward, free=1)


def grow_diag_final_and(forward: Links, backward: Links) -> set[Link]:
    """`grow_diag`, and then every link of two free words; the paper's choice."""
    return _final(forward, backward, free=2)


def och(forward: Links, backward: Links) -> set[Link]:
    """The intersection and, until none is left, links of the union of two free words, or beside a link.

    Beside means horizontally or vertically; and no link, old or new, may have both kinds of neighbours. Where
    one of the intersection has them already, only links of two free words are added.
    """
    links = set(forward & backward)
    crossed = any({(i - 1, j), (i + 1, j)} & links and {(i, j - 1), (i, j + 1)} & links for i, j in links)
    rows, columns = _words(links)
    left = (forward | backward) - links
    # What is refused stays refused until it gets a straight neighbour: only then is it looked at again, in
    # this round if its turn is still to come.
    turns = sorted(left)
    while turns:
        later: list[Link] = []
        while turns:
            i, j = link = heapq.heappop(turns)
            free = i not in rows and j not in columns
            if link in links or not (free or (not crossed and _extends_a_line(links, i, j))):
                continue
            links.add(link)
            rows.add(i)
            columns.add(j)
            for down, right in _STRAIGHT:
                near = (i + down, j + right)
                if near in left and near not in links:
                    heapq.heappush(turns if near > link else later, near)
        turns = later
    return links


def forward_only(forward: Links, backward: Links) -> set[Link]:
    """The links found for the target's words, without those of the other direction."""
    return set(forward)


def backward_only(forward: Links, backward: Links) -> set[Link]:
    """The links found for the source's words, without those of the other direction."""
    return set(backward)


def _words(links: Links) -> tuple[set[int], set[int]]:
    return {i for i, _ in links}, {j for _, j in links}


def _grown(forward: Links, backward: Links) -> tuple[set[Link], set[int], set[int]]:
    """The links of grow-diag, and their source and target words.

    The literal algorithm scans all links again and again. But a refused neighbour stays refused, so only
    the places where a link touches a candidate need a visit, each once, in the order of the scan; places
    beside a link that was added behind the scan wait for the next one. The work grows with the number of
    links, whatever they are.

    Sums of whole numbers are quicker than tuples: a link is `row * width + column`, a neighbour a step away,
    and a visit `8 * link + place`, the place being that of the step.
    """
    links = set(forward & backward)
    rows, columns = _words(links)
    others = forward ^ backward
    if not links or not others:
        return links, rows, columns
    width = max(max(columns), max([j for _, j in others])) + 2
    steps = [down * width + right for down, right in _NEIGHBOURS]
    places = list(enumerate(steps))
    candidates = {i * width + j for i, j in others}
    visits = [
        8 * link + place
        for link in [i * width + j for i, j in links]
        for place, step in places
        if link + step in candidates
    ]
    while visits:
        visits.sort()
        later: list[int] = []
        while visits:
            visit = heapq.heappop(visits)
            new = (visit >> 3) + steps[visit & 7]
            if new not in candidates:
                continue
            candidates.discard(new)
            i, j = new // width, new % width
            if i in rows and j in columns:
                continue
            links.add((i, j))
            rows.add(i)
            columns.add(j)
            for place, step in places:
                if new + step in candidates:
                    heapq.heappush(visits if steps[visit & 7] > 0 else later, 8 * new + place)
        visits = later
    return links, rows, columns


def _final(forward: Links, backward: Links, free: int) -> set[Link]:
    """What grow-diag gives, and the links of either direction that have so many free words."""
    links, rows, columns = _grown(forward, backward)
    for direction in (forward, backward):
        for i, j in sorted(direction - links):
            if (i not in rows) + (j not in columns) >= free:
                links.add((i, j))
                rows.add(i)
                columns.add(j)
    return links


def _extends_a_line(links: set[Link], i: int, j: int) -> bool:
    """Whether `(i, j)` has a straight neighbour, and no link would have both kinds with it."""
    beside = [(i + down, j + right) for down, right in _STRAIGHT if (i + down, j + right) in links]
    if not beside:
        return False
    links.add((i, j))
    bent = any(_is_bent(links, *link) for link in ((i, j), *beside))
    links.discard((i, j))
    return not bent


def _is_bent(links: set[Link], i: int, j: int) -> bool:
    vertical = (i - 1, j) in links or (i + 1, j) in links
    return vertical and ((i, j - 1) in links or (i, j + 1) in links)
