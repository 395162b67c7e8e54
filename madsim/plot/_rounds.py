"""The drawing that most figures share: estimates by round with their intervals, and exact values as a line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from madsim._core.estimate import Estimate
from madsim.plot._style import BLACK, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_estimates(
    axes: Axes,
    estimates: Sequence[Estimate],
    *,
    label: str,
    colour: str,
    marker: str = "o",
    level: float = 0.95,
    shift: float = 0.0,
) -> None:
    """Draw one estimate a round: points joined by a line, a band for the intervals, and bars on the points.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    estimates
        one a round; a value of NaN leaves a gap, an unknown standard error leaves out the interval
    label, colour, marker
        how the series is told apart
    level
        of the normal intervals
    shift
        moves the points along the round axis, so that bars of several series do not hide each other

    Raises
    ------
    ValueError
        If there is no estimate, or `level` is not between 0 and 1.

    Examples
    --------
    >>> from madsim._core.estimate import Estimate
    >>> from madsim.plot import new_figure
    >>> figure, axes = new_figure()
    >>> draw_estimates(axes, [Estimate(value=0.7, standard_error=0.02, n=50)], label="mine", colour="#0072B2")
    >>> axes.lines[0].get_ydata().tolist()
    [0.7]
    """
    if not estimates:
        raise ValueError("nothing to draw: no estimate was given")
    x = np.arange(len(estimates)) + shift
    values = np.array([one.value for one in estimates])
    low, high = _ends(estimates, level)
    axes.fill_between(x, low, high, color=colour, alpha=0.14, linewidth=0)
    axes.plot(x, values, color=colour, marker=marker, markersize=5, linewidth=1.6, label=plain(label))
    axes.vlines(x, low, high, color=colour, linewidth=1.2)


def draw_exact(axes: Axes, values: ArrayLike, *, label: str = "exact", colour: str = BLACK, style: str = "--") -> None:
    """Draw exact values by round as a line without markers or interval.

    Raises
    ------
    ValueError
        If `values` is not one finite number a round.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> figure, axes = new_figure()
    >>> draw_exact(axes, [0.7, 0.7], label="exact mean")
    >>> axes.lines[0].get_label()
    'exact mean'
    """
    exact = np.asarray(values, dtype=np.float64)
    if exact.ndim != 1 or not exact.size or not np.isfinite(exact).all():
        raise ValueError(f"exact values must be one finite number a round, got shape {exact.shape}")
    axes.plot(np.arange(exact.size), exact, color=colour, linestyle=style, linewidth=1.3, label=plain(label))


def _ends(estimates: Sequence[Estimate], level: float) -> tuple[np.ndarray, np.ndarray]:
    intervals = [one.interval(level) for one in estimates]
    missing = (math.nan, math.nan)
    ends = np.array([missing if one is None else one for one in intervals], dtype=np.float64)
    return ends[:, 0], ends[:, 1]
