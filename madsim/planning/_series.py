"""Polynomials with non-negative coefficients, cut at a degree; nodes that integrate polynomials on [0, 1] exactly."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def times(left: NDArray[np.float64], right: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """The product of two polynomials up to `degree`."""
    return np.convolve(left[: degree + 1], right[: degree + 1])[: degree + 1]


def power(base: NDArray[np.float64], exponent: int, degree: int) -> NDArray[np.float64]:
    """A polynomial to a whole power up to `degree`, by squaring: sums of positive terms, so nothing cancels."""
    product, square, left = np.ones(1), base, exponent
    while left:
        if left & 1:
            product = times(product, square, degree)
        left >>= 1
        if left:
            square = times(square, square, degree)
    return product


@lru_cache(maxsize=128)
def unit_nodes(n_nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (nodes + 1) / 2, weights / 2
