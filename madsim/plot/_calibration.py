"""What forecasts said against what happened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from madsim._core.estimate import Estimate
from madsim.plot._style import CYCLE, GREY, MARKERS, dress, in_percent, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_calibration(
    axes: Axes,
    series: Mapping[str, Sequence[tuple[float, Estimate]]],
    *,
    x: str = "foretold chance",
    y: str = "share that came true, 95 % interval",
) -> None:
    """Draw shares of what happened over the chances foretold; forecasts that keep their word lie on the diagonal.

    Bars are Wilson's 95 % intervals from the number of independent cases behind each share.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    series
        by name, at most seven: foretold chance and estimated share of what happened, one pair a point
    x, y
        words for the axes

    Raises
    ------
    ValueError
        If there is no series, one has no point, or there are more than seven.

    Examples
    --------
    >>> from madsim._core.estimate import Estimate
    >>> from madsim.plot import new_figure
    >>> figure, axes = new_figure()
    >>> draw_calibration(axes, {"mine": [(0.2, Estimate(value=0.25, standard_error=0.05, n=80))]})
    >>> axes.lines[1].get_xydata().tolist()
    [[0.2, 0.25]]
    """
    if not 1 <= len(series) <= len(CYCLE):
        raise ValueError(f"one figure shows 1 to {len(CYCLE)} series, got {len(series)}")
    if not all(series.values()):
        raise ValueError("a series holds no point; nothing to draw")
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1.2, label="kept word")
    for (name, points), colour, marker in zip(series.items(), CYCLE, MARKERS, strict=False):
        ordered = sorted(points, key=lambda one: one[0])
        said = np.array([one[0] for one in ordered])
        happened = np.array([one[1].value for one in ordered])
        axes.plot(said, happened, color=colour, marker=marker, markersize=6, linewidth=1.0, label=plain(name))
        for place, (_, estimate) in zip(said.tolist(), ordered, strict=True):
            axes.vlines(place, *_wilson(estimate), color=colour, linewidth=1.4)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    dress(axes, x=x, y=y)
    in_percent(axes)
    from matplotlib.ticker import FuncFormatter

    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.3g} %"))
    legend(axes, loc="upper left")


def _wilson(share: Estimate) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n independent cases: it has a length where none or all came true."""
    z2, n, p = 1.959964**2, share.n, share.value
    middle, half = p + z2 / (2 * n), math.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    return (middle - half) / (1 + z2 / n), (middle + half) / (1 + z2 / n)
