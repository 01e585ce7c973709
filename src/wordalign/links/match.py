"""Match: the one-to-one alignment with the largest total similarity.

>>> match(np.array([[0.9, 0.8],      # 0.8 + 0.7 beats 0.9 + 0.1
...                 [0.7, 0.1]])).astype(int)
array([[0, 1],
       [1, 0]])
"""

from __future__ import annotations

import numpy as np

from wordalign.types import Bools, Floats, Ints


def match(similarity: Floats) -> Bools:
    """One-to-one links with the largest total similarity.

    The maximum-weight maximal matching of the bipartite graph that the similarity matrix induces: of all
    A in which each row and each column has at most one link, and no link can be added, the one with the
    largest sum of A[i, j] S[i, j] (Jalili Sabet et al. 2020, 2.1). A cell of zero is no edge, so a row of
    zeros stays free. Shape (m, n), or a zero-padded stack (..., m, n).
    """
    # scipy takes longer to import than all of wordalign; only this method needs it.
    from scipy.optimize import linear_sum_assignment

    links = np.zeros(similarity.shape, dtype=np.bool_)
    edges = similarity > 0
    heights, widths = _extent(edges, axis=-1), _extent(edges, axis=-2)
    for number in np.ndindex(similarity.shape[:-2]):
        # Without the padding the same ties are broken the same way, whatever stack a matrix is in.
        inner = similarity[number][: heights[number], : widths[number]]
        rows, columns = linear_sum_assignment(inner, maximize=True)
        links[number][rows, columns] = True
    return links & edges


def _extent(edges: Bools, axis: int) -> Ints:
    """How many rows (axis -1) or columns (axis -2) are left when the empty ones at the end are cut."""
    used = np.any(edges, axis=axis)
    extent: Ints = (used * np.arange(1, edges.shape[-3 - axis] + 1)).max(axis=-1, initial=0)
    return extent
