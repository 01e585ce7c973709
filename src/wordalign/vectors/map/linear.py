"""Linear maps from a dictionary: rows x[k] and z[k] are translations of each other, both (pairs, d).

orthogonal   the rotation W that brings x W nearest to z: U Vᵀ of the decomposition of xᵀ z
reweighted   both sides whitened, rotated onto their common axes, each axis weighted by the square root
             of its correlation, the whitening undone (Artetxe et al. 2018, 3.4; AAAI 2018)
"""

from __future__ import annotations

import numpy as np

from wordalign.types import Floats


def orthogonal(product: Floats) -> Floats:
    """W with Wᵀ W = 1 from xᵀ z, of shape (d, d).

    >>> orthogonal(np.array([[0.0, 2.0], [-1.0, 0.0]]))
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    left, _, right = np.linalg.svd(product.astype(np.float64))
    rotation: Floats = left @ right + 0.0  # no minus zeros
    return rotation


def reweighted(x: Floats, z: Floats) -> tuple[Floats, Floats]:
    """Maps for both sides, (d, d) each, after which rows are compared by cosine."""
    x, z = x.astype(np.float64), z.astype(np.float64)
    whiten_x, colour_x = _whitening(x)
    whiten_z, colour_z = _whitening(z)
    left, weights, right = np.linalg.svd(whiten_x.T @ (x.T @ z) @ whiten_z)
    scale = np.sqrt(weights)
    map_x = (whiten_x @ left * scale) @ (left.T @ colour_x @ left)
    map_z = (whiten_z @ right.T * scale) @ (right @ colour_z @ right.T)
    return map_x, map_z


def _whitening(x: Floats) -> tuple[Floats, Floats]:
    """(xᵀ x)^(-1/2) and its inverse. Directions in which there is nothing are left out."""
    values, axes = np.linalg.eigh(x.T @ x)
    roots = np.sqrt(np.clip(values, 0, None))
    inverse = np.divide(1, roots, out=np.zeros_like(roots), where=roots > 1e-6 * roots.max(initial=0))
    return axes * inverse @ axes.T, axes * roots @ axes.T
