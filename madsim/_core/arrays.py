"""Checks at the boundary: arrays come in unchanged and go out read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def readonly(array: NDArray[Any]) -> NDArray[Any]:
    """The same values in an array that cannot be written; copies only what the caller could still change."""
    if array.flags.writeable or array.base is not None:
        array = array.copy()
    array.setflags(write=False)
    return array


def as_probabilities(values: ArrayLike, *, name: str, atol: float = 1e-9) -> NDArray[np.float64]:
    """Read-only probabilities along the last axis.

    Raises
    ------
    ValueError
        If a value is not finite, is negative, or a row does not sum to one within `atol`. Rows within `atol` are divided by their sum.
    """
    array = _finite(values, name)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"{name} needs at least one probability, got shape {array.shape}")
    if (array < 0).any():
        raise ValueError(f"{name} must not be negative; the smallest value is {array.min():g}")
    total = array.sum(axis=-1, keepdims=True)
    worst = float(np.abs(total - 1).max())
    if worst > atol:
        raise ValueError(f"{name} must sum to 1 along the last axis; off by {worst:g}. Divide by the sum first")
    return readonly(array / total)


def as_positive(values: ArrayLike, *, name: str, allow_zero: bool = False) -> NDArray[np.float64]:
    """Read-only finite values above zero (from zero on, with `allow_zero`)."""
    array = _finite(values, name)
    bad = array < 0 if allow_zero else array <= 0
    if bad.any():
        bound = "at least 0" if allow_zero else "above 0"
        raise ValueError(f"{name} must be {bound}; the smallest value is {array.min():g}")
    return readonly(array)


def as_count(value: Any, *, name: str, minimum: int = 0, maximum: int | None = None) -> int:
    """An integer within bounds; booleans and fractional floats are refused."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < minimum or (maximum is not None and value > maximum):
        bound = f"at least {minimum}" if maximum is None else f"between {minimum} and {maximum}"
        raise ValueError(f"{name} must be {bound}, got {value}")
    return int(value)


def _finite(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers in a regular array, got {values!r}") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; found NaN or infinity")
    return array
