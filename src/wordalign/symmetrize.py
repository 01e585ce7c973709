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
        "intersection": "wordalign.symmetrize:intersection",
        "union": "wordalign.symmetrize:union",
        "grow-diag": "wordalign.symmetrize:grow_diag",
        "grow-diag-final": "wordalign.symmetrize:grow_diag_final",
        "grow-diag-final-and": "wordalign.symmetrize:grow_diag_final_and",
        "och": "wordalign.symmetrize:och",
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
    links = set(forward & backward)
    if len(links) < len(forward) or len(links) < len(backward):
        _grow(links, (forward | backward) - links)
    return links


def grow_diag_final(forward: Links, backward: Links) -> set[Link]:
    """`grow_diag`, and then every link with a free word."""
    return _final(grow_diag(forward, backward), forward, backward, free=1)


def grow_diag_final_and(forward: Links, backward: Links) -> set[Link]:
    """`grow_diag`, and then every link of two free words; the paper's choice."""
    return _final(grow_diag(forward, backward), forward, backward, free=2)


def och(forward: Links, backward: Links) -> set[Link]:
    """The intersection and, until none is left, links of the union of two free words, or beside a link.

    Beside means horizontally or vertically; and no link, old or new, may get both kinds of neighbours.
    """
    links = set(forward & backward)
    rows, columns = _words(links)
    left = sorted((forward | backward) - links)
    while left:
        refused = []
        for i, j in left:
            if (i not in rows and j not in columns) or _extends_a_line(links, i, j):
                links.add((i, j))
                rows.add(i)
                columns.add(j)
            else:
                refused.append((i, j))
        if len(refused) == len(left):
            break
        left = refused
    return links


def _words(links: Links) -> tuple[set[int], set[int]]:
    return {i for i, _ in links}, {j for _, j in links}


def _grow(links: set[Link], candidates: Links) -> None:
    """Add to `links` what grow-diag adds.

    The literal algorithm scans all links again and again. But a refused neighbour stays refused, so a link
    needs one visit, and only where a candidate is near; links added behind the scan wait for the next one.
    """
    rows, columns = _words(links)
    visits = sorted(
        {
            (i + down, j + right)
            for i, j in candidates
            if i not in rows or j not in columns
            for down, right in _NEIGHBOURS
            if (i + down, j + right) in links
        }
    )
    while visits:
        later: list[Link] = []
        while visits:
            visited = heapq.heappop(visits)
            i, j = visited
            for down, right in _NEIGHBOURS:
                link = (i + down, j + right)
                if link in candidates and (link[0] not in rows or link[1] not in columns):
                    links.add(link)
                    rows.add(link[0])
                    columns.add(link[1])
                    if link > visited:
                        heapq.heappush(visits, link)
                    else:
                        later.append(link)
        visits = sorted(later)


def _final(links: set[Link], forward: Links, backward: Links, free: int) -> set[Link]:
    """Add the links of either direction that have so many free words."""
    rows, columns = _words(links)
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
