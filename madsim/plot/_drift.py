"""Drift of runs against the tolerance, and bets against no drift: what is refuted, what is shown, and what nobody can tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from madsim.plot._style import BLUE, CYCLE, FAINT, GREEN, GREY, PURPLE, VERMILLION, dress, in_percent, legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from madsim.verify import CheckReport, EProcess

_LOOKS = {
    "drift": (VERMILLION, "X"),
    "equivalent": (GREEN, "o"),
    "inconclusive": (BLUE, "s"),
    "vacuous": (GREY, "D"),
    "unreadable": (PURPLE, "v"),
}


def draw_drift(axes: Axes, reports: Mapping[str, CheckReport]) -> None:
    """Draw the mean change in the share of right answers of each checked run, with its interval, against the tolerance.

    The interval is that of the equivalence test: a drift counts as shown to be small only where the whole interval lies in the shaded
    zone. Colour and mark tell the verdict.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    reports
        what `madsim.verify.check` gave, by name; all with the same tolerance and level

    Raises
    ------
    ValueError
        If there is no report, none has a drift (no sample has a target), or tolerances or levels differ.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.simulate import draw_beliefs, simulate_questions
    >>> from madsim.verify import check
    >>> beliefs = draw_beliefs(400, accuracy=0.72, kappa=4.0, rng=1)
    >>> report = check(simulate_questions(beliefs, n_rounds=2, rng=2).votes, delta=0.05)
    >>> figure, axes = new_figure()
    >>> draw_drift(axes, {"plain": report})
    >>> [tick.get_text() for tick in axes.get_yticklabels()]
    ['plain (equivalent)']
    """
    shown = {name: one for name, one in reports.items() if one.drift is not None}
    if not shown:
        raise ValueError(f"nothing to draw: of {len(reports)} reports none has a drift; it needs samples with a target")
    settings = {(one.delta, one.level, one.anytime is None) for one in shown.values()}
    if len(settings) > 1:
        raise ValueError("reports with different tolerances, levels or kinds of test cannot share one figure")
    ((delta, level, fixed),) = settings
    axes.axvspan(-delta, delta, color=GREEN, alpha=0.12, linewidth=0)
    axes.axvline(0, color=GREY, linewidth=0.8)
    for place, one in enumerate(shown.values()):
        colour, marker = _LOOKS[one.verdict]
        if one.equivalence is not None and one.equivalence.interval is not None:
            axes.hlines(place, *one.equivalence.interval, color=colour, linewidth=2)
        if one.drift is not None:
            axes.plot(one.drift.value, place, marker, color=colour, markersize=8)
    axes.set_yticks(range(len(shown)), [plain(f"{name} ({one.verdict})") for name, one in shown.items()])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -1.3 * delta), max(high, 1.3 * delta))
    share = f"{100 * (1 - 2 * level):g} % interval" if fixed else f"{100 * (1 - level):g} % confidence sequence"
    dress(axes, x=f"drift in points, {share}")
    note = f"shaded: within ± {100 * delta:g} points"
    axes.annotate(note, (1, 1.01), xycoords="axes fraction", ha="right", va="bottom", fontsize="x-small", color=GREY)
    axes.grid(visible=False, axis="y")
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    in_percent(axes, x=True)


def draw_bets(axes: Axes, bets: Mapping[str, EProcess]) -> None:
    """Draw the capital of bets against "no drift" after each question, on a logarithmic scale.

    Above the dashed line the null is refuted, however often one looked.

    Parameters
    ----------
    axes
        matplotlib axes, changed in place
    bets
        what `madsim.verify.e_process` gave, by name, at most seven; all at the same level

    Raises
    ------
    ValueError
        If there are none or more than seven, or levels differ.

    Examples
    --------
    >>> from madsim.plot import new_figure
    >>> from madsim.verify import e_process
    >>> figure, axes = new_figure()
    >>> draw_bets(axes, {"always up": e_process([0.5] * 20)})
    >>> axes.get_yscale()
    'log'
    """
    if not 1 <= len(bets) <= len(CYCLE):
        raise ValueError(f"one figure shows 1 to {len(CYCLE)} runs, got {len(bets)}; draw the others on other axes")
    levels = {one.level for one in bets.values()}
    if len(levels) > 1:
        raise ValueError(f"bets at different levels cannot share one line, got {sorted(levels)}")
    for (name, one), colour in zip(bets.items(), CYCLE, strict=False):
        capital = np.concatenate([[1.0], one.path])
        axes.plot(np.arange(len(capital)), capital, color=colour, linewidth=1.6, label=plain(name))
    limit = 1 / levels.pop()
    axes.axhline(limit, color=GREY, linestyle="--", linewidth=1.2, label=f"refuted above {limit:g}")
    axes.set_yscale("log")
    dress(axes, x="questions", y="capital")
    legend(axes, loc="best")
