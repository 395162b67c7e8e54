"""Figures: functions that draw on given matplotlib axes, with uncertainty by default and exact values as lines."""

from madsim.plot._beliefs import draw_beliefs
from madsim.plot._calibration import draw_calibration
from madsim.plot._changes import draw_flips
from madsim.plot._drift import draw_bets, draw_drift
from madsim.plot._forecast import draw_forecast
from madsim.plot._profile import draw_profile
from madsim.plot._rounds import draw_estimates, draw_exact
from madsim.plot._scores import Measure, draw_comparison, draw_disagreement, draw_scores, draw_unparsed
from madsim.plot._style import new_figure, save_figure
from madsim.plot._swarm import draw_fixation, draw_shares, draw_simplex

__all__ = [
    "Measure",
    "draw_beliefs",
    "draw_bets",
    "draw_calibration",
    "draw_comparison",
    "draw_disagreement",
    "draw_drift",
    "draw_estimates",
    "draw_exact",
    "draw_fixation",
    "draw_flips",
    "draw_forecast",
    "draw_profile",
    "draw_scores",
    "draw_shares",
    "draw_simplex",
    "draw_unparsed",
    "new_figure",
    "save_figure",
]
