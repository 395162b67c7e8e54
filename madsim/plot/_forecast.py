"""Forecasts over what they cost: which votes and debates are worth their money."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from madsim.plot._style import BLUE, FAINT, GREEN, GREY, VERMILLION, dress, in_percent, legend, plain
from madsim.plot._ticks import number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.planning import Forecast, OptionForecast

_LOOKS = {"vote": (BLUE, "o"), "debate": (VERMILLION, "s"), "judge": (GREEN, "^")}
_ROOM = 0.055  # between names, as a part of the axes' width


def draw_forecast(axes: Axes, forecast: Forecast) -> None:
    """Draw the accuracy foretold for every option, with its 95 % interval, over the cost of a question.

    Options that no other beats in both are filled and joined by a line, the others are hollow. Thin grey bars are the bounds that no law of
    difficulty can leave (votes from a pilot only). The cost is in money, or in tokens where nothing has a price, on a logarithmic scale.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    forecast
        what `madsim.planning.forecast` or `forecast_from_prior` gave

    Examples
    --------
    >>> from madsim.planning import forecast_from_prior
    >>> from madsim.plot import new_figure
    >>> found = forecast_from_prior(["vote:5", "vote:25", "debate:5x2"], accuracy=0.72, kappa=4, n_answers=2, mass=2.0)
    >>> figure, axes = new_figure()
    >>> draw_forecast(axes, found)
    >>> sorted(text.get_text() for text in axes.texts)
    ['debate:5x2', 'vote:25', 'vote:5']
    """
    priced = all(one.cost.money > 0 for one in forecast.options)
    costs = [one.cost.money if priced else max(one.cost.tokens, 1.0) for one in forecast.options]
    front = sorted((cost, one.accuracy) for cost, one in zip(costs, forecast.options, strict=True) if one.on_front)
    axes.plot(
        *np.array(front).T,
        color=GREY,
        linewidth=1.2,
        drawstyle="steps-post",
        zorder=1,
        label="no option is cheaper and better",
    )
    named: set[str] = set()
    for cost, one in sorted(zip(costs, forecast.options, strict=True), key=lambda pair: pair[0]):
        colour, marker = _LOOKS[one.option.kind]
        if one.bounds is not None:
            axes.vlines(cost, *one.bounds, color=GREY, linewidth=0.8, zorder=1)
            axes.plot([cost, cost], list(one.bounds), "_", color=GREY, markersize=7, zorder=1)
        axes.vlines(cost, *one.interval, color=colour, linewidth=2.2, zorder=2)
        label = one.option.kind if one.option.kind not in named else f"_{one.option}"
        named.add(one.option.kind)
        face = colour if one.on_front else "white"
        axes.plot(
            cost,
            one.accuracy,
            marker,
            color=colour,
            markerfacecolor=face,
            markersize=7,
            linestyle="",
            label=label,
            zorder=3,
        )
    number_ticks(axes, min(costs) / 1.3, max(costs) * 1.3)
    _name(axes, costs, forecast.options)
    dress(axes, x="money a question" if priced else "tokens a question", y="accuracy, 95 % interval")
    in_percent(axes)
    legend(axes, loc="best")


def _name(axes: Axes, costs: list[float], options: tuple[OptionForecast, ...]) -> None:
    """The options' names in a row above the axes, kept apart, each with a thin line down to its interval."""
    pairs = sorted(zip(costs, options, strict=True), key=lambda pair: pair[0])
    low, high = (math.log(end) for end in axes.get_xlim())
    places = [(math.log(cost) - low) / (high - low) for cost, _ in pairs]
    for i in range(1, len(places)):
        places[i] = max(places[i], places[i - 1] + _ROOM)
    places[-1] = min(places[-1], 1.0)
    for i in range(len(places) - 2, -1, -1):  # those pushed out on the right push the others back
        places[i] = min(places[i], places[i + 1] - _ROOM)
    for place, (cost, one) in zip(places, pairs, strict=True):
        axes.annotate(
            plain(str(one.option)),
            (cost, max(one.interval.high, 0 if one.bounds is None else one.bounds.high)),
            xytext=(place, 1.03),
            textcoords="axes fraction",
            rotation=40,
            rotation_mode="anchor",
            ha="left",
            va="bottom",
            fontsize="small",
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.8, "relpos": (0, 0)},
            annotation_clip=False,
        )
