"""Match: the one-to-one alignment with the largest total similarity.

>>> match(np.array([[0.9, 0.8],      # 0.8 + 0.7 beats 0.9 + 0.1
...                 [0.7, 0.1]])).astype(int)
array([[0, 1],
       [1, 0]])
"""

from __future__ import annotations

import numpy as np

from wordalign.types import Bools, Floats


def match(similarity: Floats) -> Bools:
    """One-to-one links with the largest total similarity.

    The maximum-weight maximal matching of the bipartite graph that the similarity matrix induces: A = argmax over matchings (each row and each column has at most one link) of sum A[i, j] S[i, j],
    such that no link can be added (Jalili Sabet et al. 2020, 2.1). A cell of zero is no edge, so a row
    of zeros stays free. Shape (m, n), or a zero-padded stack (..., m, n).
    """
    # scipy takes longer to import than all of wordalign; only this method needs it.
    from scipy.optimize import linear_sum_assignment

    links = np.zeros(similarity.shape, dtype=np.bool_)
    shape = similarity.shape[-2:]
    if similarity.size:
        for matrix, out in zip(similarity.reshape(-1, *shape), links.reshape(-1, *shape), strict=True):
            rows, columns = linear_sum_assignment(matrix, maximize=True)
            out[rows, columns] = True
    return links & (similarity > 0)
