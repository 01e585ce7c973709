"""Two directed alignments -> one, each link with how sure the two directions are of it.

forward {(0,0), (1,1)}, backward {(0,0), (1,2)}  ->  certain {(0,0)}, possible {(1,1), (1,2)}
"""

from __future__ import annotations

Links = set[tuple[int, int]]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def grow_diag_final_and(forward: Links, backward: Links) -> tuple[Links, Links]:
    """The intersection, and what grow-diag-final-and adds to it (Koehn et al. 2005)."""
    certain = forward & backward
    union = forward | backward
    links = set(certain)
    rows = {i for i, _ in links}
    columns = {j for _, j in links}
    frontier = sorted(links)
    while frontier:
        added = []
        for i, j in frontier:
            for down, right in _NEIGHBOURS:
                link = (i + down, j + right)
                if link in union and link not in links and (link[0] not in rows or link[1] not in columns):
                    links.add(link)
                    rows.add(link[0])
                    columns.add(link[1])
                    added.append(link)
        frontier = added
    for direction in (forward, backward):
        for link in sorted(direction):
            if link[0] not in rows and link[1] not in columns:
                links.add(link)
                rows.add(link[0])
                columns.add(link[1])
    return certain, links - certain
