"""Profile of a likelihood: which values of a parameter a run leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from madsim.plot._style import CYCLE, GREY, MARKERS, dress, legend, plain
from madsim.plot._ticks import number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.fit import Profile

_PLAIN = {"conformity": 1.0, "correction": 0.0}
_STYLES = ("-", "--", "-.", ":")
_SHOWN = 2.2  # depth of the figure, in cuts


def draw_profile(axes: Axes, profiles: Mapping[str, Profile]) -> None:
    """Draw how the log-likelihood falls away from its maximum along one parameter, with the interval that it leaves.

    Where a curve lies above the dashed line the run leaves the value open; a curve that never falls below it on one side leaves that side
    open without end. The dotted upright line is the plain model. Mass and conformity are drawn on a logarithmic scale.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    profiles
        what `madsim.fit.profile_debate` gave, by name, at most four; all of one parameter at one level

    Raises
    ------
    ValueError
        If there are none or more than four, or parameters or levels differ.

    Examples
    --------
    >>> from madsim.fit import profile_debate
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> votes = simulate_questions(draw_beliefs(100, accuracy=0.72, kappa=4, rng=1), n_rounds=2, rng=2).votes
    >>> figure, axes = new_figure()
    >>> draw_profile(axes, {"plain": profile_debate(votes, "conformity", n_points=9)})
    >>> axes.get_xlabel(), axes.get_xscale()
    ('conformity', 'log')
    """
    if not 1 <= len(profiles) <= len(_STYLES):
        raise ValueError(
            f"one figure shows 1 to {len(_STYLES)} profiles, got {len(profiles)}; draw the others on other axes"
        )
    kinds = {(one.parameter, one.level, one.cut) for one in profiles.values()}
    if len(kinds) > 1:
        raise ValueError(
            f"profiles of different parameters or levels cannot share one figure, got {sorted(kind[:2] for kind in kinds)}"
        )
    ((parameter, level, cut),) = kinds
    low = min(float(one.values[0]) for one in profiles.values())
    high = max(float(one.values[-1]) for one in profiles.values())
    if parameter in _PLAIN and low < _PLAIN[parameter] < high:
        axes.axvline(_PLAIN[parameter], color=GREY, linestyle=":", linewidth=1.2, label="plain model")
    for (name, one), colour, marker, style in zip(profiles.items(), CYCLE, MARKERS, _STYLES, strict=False):
        above = np.maximum(one.log_likelihood, -cut)
        axes.plot(one.values, one.log_likelihood, color=colour, linestyle=style, linewidth=1.6, label=plain(name))
        axes.fill_between(one.values, -cut, above, color=colour, alpha=0.1, linewidth=0)
        if low <= one.best <= high:
            axes.plot(one.best, 0, marker, color=colour, markersize=7, clip_on=False)
        ends = [end for end in one.interval if math.isfinite(end) and low <= end <= high]
        axes.plot(ends, np.full(len(ends), -cut), "|", color=colour, markersize=14, markeredgewidth=1.8)
    axes.axhline(-cut, color=GREY, linestyle="--", linewidth=1.2, label=f"{100 * level:g} % interval above")
    if parameter != "correction":
        number_ticks(axes, low, high)
    else:
        axes.set_xlim(low, high)
    axes.set_ylim(-_SHOWN * cut, 0.25)
    dress(axes, x=parameter, y="log-likelihood less its maximum")
    legend(axes, loc="best")
